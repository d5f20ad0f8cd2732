/* attack.c - res-cpu-many
 *
 * Eight processes spin for a moment, end, and are followed by others. None ever comes near the limit, so that a limit
 * for each process ends none of them; all together use it up soon. Bare, it stops at 600 ms in all. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long used_ms(clockid_t clock)
{
    struct timespec time;

    (void)clock_gettime(clock, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static long used_by_children_ms(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_CHILDREN, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;

    while (!bare || used_by_children_ms() < 600) {
        for (int i = 0; i < 8; i++)
            if (fork() == 0) {
                while (used_ms(CLOCK_PROCESS_CPUTIME_ID) < 20)
                    continue;
                _exit(0);
            }
        while (wait(NULL) > 0)
            continue;
    }
    return 10;
}
