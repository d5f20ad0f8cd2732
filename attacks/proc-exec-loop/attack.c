/* attack.c - proc-exec-loop
 *
 * Replaces itself by itself, thousands of times, each time from a fresh child that its parent does not wait for. What
 * is counted for a program must not start anew with its next run. Bare, it stops after 0.6 s. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words)
{
    char start[32], *arguments[] = {words[0], start, NULL};
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(start, sizeof(start), "%lld", now.tv_sec * 1000LL + now.tv_nsec / 1000000);
    if (count > 1) {
        if (getenv("DRILL_CONTROL") && atoll(start) - atoll(words[1]) > 600)
            return 10;
        (void)strncpy(start, words[1], sizeof(start) - 1);
    }
    (void)execv("/proc/self/exe", arguments);
    return 1;
}
