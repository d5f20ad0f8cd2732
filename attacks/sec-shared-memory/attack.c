/* attack.c - opens and lists named shared memory
 *
 * Databases and browsers keep what they work on in /dev/shm. If it worked, a program could read and change it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int reached;

static void attempt(const char *what, int fd)
{
    char text[256];
    ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof(text), 0);

    printf("%s: %s\n", what, fd < 0 ? strerror(errno) : "reached");
    if (fd < 0)
        return;
    reached = 1;
    if (got > 0)
        printf("%.*s\n", (int)got, text);
    (void)close(fd);
}

int main(int argc, char **argv)
{
    static const char *const folders[] = {"/dev/shm",     "/run/shm",    "/proc/self/root/dev/shm",
                                          "/scratch/shm", "/dev/mqueue", "/dev/hugepages"};
    char path[4096], name[300];

    if (argc < 2)
        return 1;
    (void)snprintf(name, sizeof(name), "/%.256s", argv[1][0] == '/' ? argv[1] + 1 : argv[1]);
    attempt("shm_open", shm_open(name, O_RDONLY, 0));
    attempt("shm_open for writing", shm_open(name, O_RDWR, 0));
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", folders[i], name);
        attempt(folders[i], open(path, O_RDONLY));
    }
    if (getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        DIR *dir = opendir(folders[i]);
        for (struct dirent *entry; dir && (entry = readdir(dir));)
            if (entry->d_name[0] != '.') {
                printf("%s: reached, not empty\n", folders[i]);
                reached = 1;
            }
        if (dir)
            (void)closedir(dir);
    }
    /* the permitted sibling: its own named memory works, and is under nobody else's name */
    int own = shm_open("/own", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (own < 0 || ftruncate(own, 4096) < 0 || shm_unlink("/own") < 0)
        return 1;
    return reached ? 10 : 0;
}
