/* attack.c - tries every descriptor from 3 to 65535: reads it, and makes a file in it
 *
 * If it worked, a program would get what its starter happened to have open: files, folders, sockets. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    int reached = 0;

    for (int fd = 3; fd <= 65535; fd++) {
        char bytes[128], path[64];
        ssize_t got;
        int again, made;

        if (fcntl(fd, F_GETFD) < 0 && fcntl(fd, F_GETFL) < 0)
            continue;
        reached = 1;
        printf("%d: is open\n", fd);
        got = pread(fd, bytes, sizeof(bytes), 0);
        if (got > 0)
            printf("%d: read %.*s\n", fd, (int)got, bytes);
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        again = open(path, O_RDWR);
        if (again >= 0) {
            printf("%d: opened again for writing\n", fd);
            (void)close(again);
        }
        made = openat(fd, "leak", O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (made >= 0) {
            printf("%d: made a file in it\n", fd);
            (void)unlinkat(fd, "leak", 0);
            (void)close(made);
        }
    }
    if (!reached)
        printf("none\n");
    return reached ? 10 : 0;
}
