/* attack.c - res-memory-files
 *
 * Makes files in memory, each below the limit on one file, fills them by writing, by mapping and by reserving, and
 * shows them in no folder. They count neither as scratch nor for any process. Bare, it stops at 64 MiB. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP (2L << 20)

static char block[STEP];

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;

    memset(block, 1, sizeof(block));
    for (int step = 0; !bare || step < 32; step++) {
        int fd = memfd_create("hidden", 0);
        if (fd < 0)
            return 0;
        if (step % 3 == 0) {
            if (write(fd, block, sizeof(block)) != STEP)
                return 0;
        } else if (step % 3 == 1) {
            if (fallocate(fd, 0, 0, STEP) < 0)
                return 0;
        } else {
            char *map;
            if (ftruncate(fd, STEP) < 0)
                return 0;
            map = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            if (map == MAP_FAILED)
                return 0;
            memset(map, 1, STEP);
        }
    }
    return 10;
}
