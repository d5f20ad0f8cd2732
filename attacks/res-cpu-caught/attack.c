/* attack.c - res-cpu-caught
 *
 * Handles SIGXCPU, asks for more time, and spins. The signal is a request; the end must not be. Bare, it gives itself
 * one second, is told so within the next one or two, and goes on for a little. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static volatile int told;

static void handle(int sig)
{
    (void)sig;
    told = 1;
}

static double used(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(void)
{
    struct rlimit limit = {1, 4}, more = {RLIM_INFINITY, RLIM_INFINITY};
    int bare = getenv("DRILL_CONTROL") != NULL;

    (void)signal(SIGXCPU, handle);
    (void)setrlimit(RLIMIT_CPU, bare ? &limit : &more);
    while (!bare || (!told && used() < 3))
        continue;
    for (double until = used() + 0.2; used() < until;)
        continue;
    return told ? 10 : 0;
}
