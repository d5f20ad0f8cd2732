/* attack.c - proc-core-dump
 *
 * Raises its limit on core files in every way and aborts. The host's crash handler is a program of root that would read
 * what the guest left in memory. Bare, it is only looked at whether that is prevented. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static rlim_t at_start;

static rlim_t now(void)
{
    struct rlimit limit = {0, 0};

    (void)getrlimit(RLIMIT_CORE, &limit);
    return limit.rlim_cur;
}

int main(void)
{
    static const rlim_t wanted[] = {0, 4096, RLIM_INFINITY};
    int moved = 0, answered = 0;

    at_start = now();
    (void)prctl(PR_SET_DUMPABLE, 1);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        struct rlimit limit = {wanted[i], RLIM_INFINITY};
        answered |= syscall(SYS_setrlimit, RLIMIT_CORE, &limit) < 0;
        moved |= now() != at_start;
        (void)syscall(SYS_prlimit64, 0, RLIMIT_CORE, &limit, NULL);
        moved |= now() != at_start;
        (void)syscall(SYS_prlimit64, getpid(), RLIMIT_CORE, &limit, NULL);
        moved |= now() != at_start;
    }
    printf("the limit was %llu and %s\n", (unsigned long long)at_start, moved ? "could be moved" : "stayed");
    /* Where crashes go to a handler, 1 and no other number keeps it from running; without one it may be 0, too. In a
     * cage the kernel is not asked at all, so it refuses nothing. */
    if (moved || answered || at_start > 1)
        return 10;
    abort();
}
