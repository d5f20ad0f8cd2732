/* attack.c - res-inode-bomb
 *
 * Makes empty files, folders, links, pipes and sockets with the longest names there are, in turns. They are of no size,
 * but the kernel keeps each, and somebody must clear them away. Bare, it makes 900 and removes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WANTED 900

static int make(unsigned kind, const char *name)
{
    int fd;

    switch (kind % 5) {
    case 0:
        fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
        return fd < 0 ? -1 : close(fd);
    case 1:
        return mkdir(name, 0700);
    case 2:
        return symlink("/a/place/that/is/not/there", name);
    case 3:
        return mkfifo(name, 0600);
    default:
        return mknod(name, S_IFSOCK | 0600, 0);
    }
}

int main(void)
{
    char name[256], number[16];
    unsigned made = 0;

    if (mkdir("many", 0700) < 0 || chdir("many") < 0)
        return 1;
    memset(name, 'n', sizeof(name));
    name[255] = 0;
    for (; made < WANTED; made++) {
        (void)snprintf(number, sizeof(number), "%08u", made);
        memcpy(name, number, 8);
        if (make(made, name) < 0)
            break;
    }
    printf("%u made: %s\n", made, made < WANTED ? strerrorname_np(errno) : "all");
    if (made < WANTED)
        return 1; /* left for the end of the cage to clear away */
    while (made-- > 0) {
        (void)snprintf(number, sizeof(number), "%08u", made);
        memcpy(name, number, 8);
        if (unlink(name) < 0)
            (void)rmdir(name);
    }
    (void)chdir("..");
    (void)rmdir("many");
    return 10;
}
