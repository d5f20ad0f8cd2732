/* attack.c - proc-stopped-by-child
 *
 * A child stops its parent again and again and sleeps in between. Nothing is used but a place. Bare, the child stops
 * its parent for a moment only, which is then asked whether it was. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec before, after;
    int bare = getenv("DRILL_CONTROL") != NULL;
    pid_t child;

    (void)clock_gettime(CLOCK_MONOTONIC, &before); /* it may be stopped any time from here on */
    child = fork();
    if (child == 0) {
        do {
            (void)kill(getppid(), SIGSTOP);
            (void)usleep(200000);
        } while (!bare);
        (void)kill(getppid(), SIGCONT);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    return (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 > 150 ? 10 : 0;
}
