/* attack.c - asks for files of the machine's disk to be made safe, though it may not change them
 *
 * Each request makes the disk empty its cache and everybody's writing wait. If it worked, a program that can store
 * nothing on the machine could slow down all that do. It is seen by the time that it takes: the same request for a file
 * in memory takes next to none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BATCHES 20
#define CALLS   10

static void *map;

static int by_fsync(int fd)
{
    return fsync(fd);
}

static int by_fdatasync(int fd)
{
    return fdatasync(fd);
}

static int by_msync(int fd)
{
    (void)fd;
    return msync(map, 4096, MS_SYNC);
}

static int by_range(int fd)
{
    return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

/* Of the fastest batch, so that what else the machine does has no part in it. */
static double microseconds(int (*way)(int), int fd)
{
    double best = 1e9;

    for (int batch = 0; batch < BATCHES; batch++) {
        struct timespec a, b;
        double us;
        (void)clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < CALLS; i++)
            if (way(fd) < 0)
                return 0;
        (void)clock_gettime(CLOCK_MONOTONIC, &b);
        us = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 1e3 / CALLS;
        best = us < best ? us : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*way)(int);
    } ways[] = {{"fsync", by_fsync}, {"fdatasync", by_fdatasync}, {"msync", by_msync}, {"sync_file_range", by_range}};
    int theirs = open("/usr/bin/env", O_RDONLY), folder = open("/usr/bin", O_RDONLY), own = memfd_create("own", 0),
        reached = 0;

    map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, theirs, 0);
    if (theirs < 0 || folder < 0 || own < 0 || ftruncate(own, 4096) < 0 || map == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        double slow = microseconds(ways[i].way, theirs), fast = microseconds(by_fsync, own);
        printf("%s: %.2f us, in memory %.2f us\n", ways[i].name, slow, fast);
        reached |= slow > 8 && slow > 8 * fast;
    }
    printf("folder: %.2f us\n", microseconds(by_fsync, folder));
    if (!reached && getenv("DRILL_CONTROL")) {
        printf("the disk below /usr has no cache to write out\n");
        return 77;
    }
    return reached ? 10 : 0;
}
