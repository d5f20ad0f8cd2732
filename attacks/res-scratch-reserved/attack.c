/* attack.c - res-scratch-reserved
 *
 * Reserves space without writing, makes a file with a hole that is larger than all space and fills the hole by a
 * mapping, where no call can say that it is full. Bare, 16 MiB are had in its own folder, and given back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (16L << 20)

/* Its file is in no folder and is gone when it is: full is what it must be seen to be before. */
static void full(int sig)
{
    (void)usleep(150000);
    (void)signal(sig, SIG_DFL); /* the same write comes again */
}

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;
    int fd = open("reserved", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), reached = 0;
    char *map;

    if (fd < 0)
        return 1;
    (void)unlink("reserved"); /* in no folder from here on */
    if (fallocate(fd, 0, 0, SIZE) == 0)
        reached = 10;
    printf("16 MiB reserved: %s\n", reached ? "done" : strerrorname_np(errno));
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, SIZE) == 0)
        reached = 10;
    if (reached || bare)
        return reached;
    if (ftruncate(fd, SIZE) < 0)
        return 1;
    map = mmap(NULL, (size_t)SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return 1;
    (void)signal(SIGBUS, full);
    memset(map, 1, (size_t)SIZE); /* ends it where the space ends */
    return 10;
}
