/* attack.c - proc-timer-storm
 *
 * Sets every kind of timer to the shortest time there is, handles each signal by setting it anew, and resets the alarm
 * that somebody may have set. Clocks of the process are its own to move; the one that ends it must not be among them.
 * Bare, it stops after 0.6 s. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct timespec start;
static volatile int storms;

/* The storm may leave no time for anything but its handler. */
static void look_at_time(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (getenv("DRILL_CONTROL") && (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 > 600)
        _exit(storms > 100 ? 10 : 0);
}

static void again(int sig)
{
    struct itimerval soon = {{0, 1}, {0, 1}};

    (void)sig;
    storms++;
    look_at_time();
    (void)alarm(0);
    (void)setitimer(ITIMER_REAL, &soon, NULL);
}

int main(void)
{
    static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    struct itimerval soon = {{0, 1}, {0, 1}};
    struct itimerspec sooner = {{0, 1000}, {0, 1000}};

    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (int sig = 1; sig <= 64; sig++)
        if (sig != SIGSEGV)
            (void)signal(sig, again);
    for (int i = 0; i < 64; i++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + i % 16};
        timer_t timer;
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
            (void)timer_settime(timer, 0, &sooner, NULL);
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        (void)setitimer(kinds[i], &soon, NULL);
    for (;;)
        look_at_time();
}
