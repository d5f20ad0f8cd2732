/* attack.c - proc-deaf
 *
 * Handles every signal with a function that does not return, blocks the rest, and spins; every child does the same. A
 * runner that asks first would wait in vain. Bare, it asks itself to end and goes on for longer than the limit. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double end;

static void spin(int sig)
{
    (void)sig;
    while (now() < end)
        continue;
    _exit(10);
}

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;
    sigset_t all;

    end = now() + (bare ? 0.6 : 3600);
    for (int sig = 1; sig <= 64; sig++)
        (void)signal(sig, spin);
    if (!bare && fork() == 0)
        (void)setsid();
    if (bare)
        (void)raise(SIGTERM); /* does not come back */
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    spin(0);
}
