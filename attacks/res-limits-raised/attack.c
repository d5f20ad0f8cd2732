/* attack.c - res-limits-raised
 *
 * Raises every limit of its process, the soft one and the hard one, by the old call and the new one. What is limited
 * for a process only holds as long as that process cannot raise it. Bare, a child raises its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

static void attempt(int resource, const char *what)
{
    struct rlimit before, after, more;

    if (getrlimit((__rlimit_resource_t)resource, &before) < 0 || before.rlim_max == RLIM_INFINITY)
        return; /* there is nothing to raise */
    more.rlim_cur = more.rlim_max = before.rlim_max + 1;
    (void)syscall(SYS_setrlimit, resource, &more);
    (void)syscall(SYS_prlimit64, 0, resource, &more, NULL);
    (void)syscall(SYS_prlimit64, getpid(), resource, &more, NULL);
    more.rlim_cur = more.rlim_max = RLIM_INFINITY;
    (void)syscall(SYS_prlimit64, 0, resource, &more, NULL);
    (void)getrlimit((__rlimit_resource_t)resource, &after);
    printf("%s: %llu, then %llu\n", what, (unsigned long long)before.rlim_max, (unsigned long long)after.rlim_max);
    if (after.rlim_max > before.rlim_max)
        reached = 10;
}

static int attempt_all(void)
{
    static const char *const names[] = {"cpu",      "file size", "data",       "stack",  "core",
                                        "resident", "tasks",     "open files", "locked", "address space",
                                        "locks",    "signals",   "queues",     "nice",   "real-time priority",
                                        "real time"};

    for (int resource = 0; resource < (int)(sizeof(names) / sizeof(names[0])); resource++)
        attempt(resource, names[resource]);
    fflush(stdout);
    return reached;
}

int main(void)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(attempt_all());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    if (WEXITSTATUS(status) == 0 && getenv("DRILL_CONTROL")) {
        printf("root may not raise limits on this machine\n");
        return 77;
    }
    return WEXITSTATUS(status);
}
