/* attack.c - renames files so that a mark stays where they were; the mark is a device node
 *
 * It is meant for layered file systems and needs no right to make devices. No device belongs to the number of that one
 * today; but where none is to be made, none should appear by another door. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WHITEOUT 4

static int reached;

static void attempt(const char *folder, unsigned long long flags)
{
    char from[4096], to[4096];
    struct stat st;
    int fd, r;

    (void)snprintf(from, sizeof(from), "%s/from", folder);
    (void)snprintf(to, sizeof(to), "%s/to", folder);
    fd = open(from, O_CREAT | O_RDWR, 0600);
    if (fd < 0)
        return;
    (void)close(fd);
    r = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
    printf("%s: %s", folder, r < 0 ? strerror(errno) : "renamed");
    if (lstat(from, &st) == 0 && S_ISCHR(st.st_mode)) {
        printf(", reached: a device stands there");
        reached = 1;
        fd = open(from, O_RDONLY | O_NONBLOCK);
        printf(", open: %s", fd < 0 ? strerror(errno) : "opened");
    }
    printf("\n");
    (void)unlink(from);
    (void)unlink(to);
}

int main(int argc, char **argv)
{
    static const char *const folders[] = {"/work", "/tmp", "/dev/shm"};

    if (argc < 2)
        return 1;
    if (getenv("DRILL_CONTROL")) {
        attempt(argv[1], WHITEOUT);
        if (!reached)
            printf("this file system has no such marks\n");
        return reached ? 10 : 77;
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        attempt(folders[i], WHITEOUT);
        attempt(folders[i], WHITEOUT | 1);
        attempt(folders[i], WHITEOUT | 1ULL << 32);
    }
    return reached ? 10 : 0;
}
