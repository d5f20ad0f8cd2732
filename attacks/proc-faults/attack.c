/* attack.c - proc-faults
 *
 * Reads memory that is not there, divides by zero and runs into nonsense, and handles each signal by going back to
 * where it came from. It never ends and never gets anywhere. Bare, the handler gives up after 0.6 s. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf next;
static volatile int faults;

static void handle(int sig)
{
    (void)sig;
    faults++;
    siglongjmp(next, 1);
}

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(void)
{
    double end = now() + (getenv("DRILL_CONTROL") ? 0.6 : 3600);
    volatile int zero = 0, *volatile nowhere = NULL;

    (void)signal(SIGSEGV, handle);
    (void)signal(SIGFPE, handle);
    (void)signal(SIGILL, handle);
    (void)signal(SIGTRAP, handle);
    (void)sigsetjmp(next, 1);
    while (now() < end)
        switch (faults % 4) {
        case 0:
            zero = *nowhere;
            break;
        case 1:
            zero = 100 / zero;
            break;
        case 2:
            __asm__ volatile("ud2");
            break;
        default:
            __asm__ volatile("int3");
        }
    return faults > 100 ? 10 : 0;
}
