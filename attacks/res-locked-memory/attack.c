/* attack.c - res-locked-memory
 *
 * Locks 32 MiB in memory, by address, by flag and all at once, and all that is to come. Locked memory cannot be given
 * to others when it is short. Bare, root does so and lets go of it by ending. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (32UL << 20)

static int reached;

static void tried(const char *what, int worked)
{
    printf("%s: %s\n", what, worked ? "done" : strerrorname_np(errno));
    if (worked)
        reached = 10;
}

int main(void)
{
    char *range = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (range == MAP_FAILED)
        return 1;
    tried("a range", mlock(range, SIZE) == 0);
    tried("a range, when it is used", mlock2(range, SIZE, MLOCK_ONFAULT) == 0);
    tried("all that it has", mlockall(MCL_CURRENT) == 0);
    tried("a mapping that is born locked",
          mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0) != MAP_FAILED);
    return reached;
}
