/* attack.c - res-stack-bomb
 *
 * Asks for a stack of any size and calls itself until it is used up, in a new run of itself, since the size counts from
 * there. Bare, it stops at 40 MiB. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static unsigned deepest;

static unsigned deeper(unsigned depth)
{
    volatile char frame[65536];

    memset((char *)frame, (int)depth, sizeof(frame));
    return depth >= deepest ? 10 : deeper(depth + 1) + (frame[0] != (char)depth);
}

int main(int count, char **words)
{
    struct rlimit stack;
    char again[] = "again", *arguments[] = {words[0], again, NULL};

    if (count > 1) {
        deepest = getenv("DRILL_CONTROL") ? 640 : 1u << 30;
        return (int)deeper(0);
    }
    (void)getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = stack.rlim_max < 1UL << 30 ? stack.rlim_max : RLIM_INFINITY;
    if (stack.rlim_cur == RLIM_INFINITY && setrlimit(RLIMIT_STACK, &stack) < 0) {
        stack.rlim_cur = stack.rlim_max;
        (void)setrlimit(RLIMIT_STACK, &stack);
    }
    (void)execv("/proc/self/exe", arguments);
    return 1;
}
