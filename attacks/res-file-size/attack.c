/* attack.c - res-file-size
 *
 * Ignores the signal that ends who writes too much, raises the limit, writes past it by every call, and when none of
 * that helps, fills one file after another. Bare, one file of 2 MiB is had in its own folder. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define OVER (2L << 20)

static int has_grown(int fd)
{
    return lseek(fd, 0, SEEK_END) >= OVER;
}

int main(void)
{
    static char block[65536];
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    int fd = open("grown", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), reached = 0;

    (void)unlink("grown");
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &none);
    (void)!pwrite(fd, "x", 1, OVER);
    reached |= has_grown(fd);
    (void)!ftruncate(fd, OVER);
    reached |= has_grown(fd);
    (void)fallocate(fd, 0, 0, OVER);
    reached |= has_grown(fd);
    printf("one file past its limit: %s\n", reached ? "done" : strerrorname_np(errno));
    if (reached || getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    for (int file = 0; file < 16; file++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "many%d", file);
        fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        for (long done = 0; done < 1L << 20; done += (long)sizeof(block))
            if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
                return 1;
    }
    return 10;
}
