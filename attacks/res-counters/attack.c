/* attack.c - res-counters
 *
 * Makes timers and leaves signals waiting, thousands of each. They are counted for a user and not for a process:
 * without a limit, other programs of that user would be refused theirs. Bare, 2000 of each are had. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WANTED 2000

int main(void)
{
    int timers = 0, signals = 0;
    sigset_t blocked;

    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGRTMIN);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
    for (; signals < WANTED; signals++) {
        union sigval value = {.sival_int = signals};
        if (sigqueue(getpid(), SIGRTMIN, value) < 0)
            break;
    }
    printf("%d signals wait: %s\n", signals, signals < WANTED ? strerrorname_np(errno) : "all");
    for (; timers < WANTED; timers++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
        timer_t timer;
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
            break;
    }
    printf("%d timers: %s\n", timers, timers < WANTED ? strerrorname_np(errno) : "all");
    return signals >= WANTED || timers >= WANTED ? 10 : 0;
}
