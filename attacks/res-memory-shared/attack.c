/* attack.c - res-memory-shared
 *
 * Maps memory that is shared, writes to it in turns with children, and lets them end. Such memory belongs to no single
 * process, so that a limit for each process does not see it. Bare, it stops at 64 MiB. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP (4UL << 20)

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;

    for (unsigned step = 0; !bare || step < 16; step++) {
        char *shared = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            return 0;
        pid_t child = fork();
        if (child == 0) {
            memset(shared, 1, STEP);
            _exit(0);
        }
        if (child < 0)
            memset(shared, 1, STEP);
        else
            (void)waitpid(child, NULL, 0);
    }
    return 10;
}
