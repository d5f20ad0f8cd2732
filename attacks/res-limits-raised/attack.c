/* attack.c - res-limits-raised
 *
 * Raises every limit of its process, the soft one and the hard one, by the old call and the new one. What is limited
 * for a process only holds as long as that process cannot raise it. In the end none may be above what a cage grants;
 * bare, some are. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    int resource;
    const char *what;
    rlim_t granted;
} limits[] = {
    {RLIMIT_NOFILE, "open files", 256},
    {RLIMIT_FSIZE, "size of a file", 64UL << 20},
    {RLIMIT_NPROC, "processes", 128}, /* behind the group, which has 64 */
    {RLIMIT_MEMLOCK, "locked memory", 8UL << 20},
    {RLIMIT_SIGPENDING, "waiting signals", 1024},
    {RLIMIT_MSGQUEUE, "message queues", 819200},
    {RLIMIT_NICE, "nice", 0},
    {RLIMIT_RTPRIO, "real time", 0},
};

static void raise_limit(int resource, rlim_t wanted)
{
    struct rlimit more = {wanted, wanted};

    (void)syscall(SYS_setrlimit, resource, &more);
    (void)syscall(SYS_prlimit64, 0, resource, &more, NULL);
    (void)syscall(SYS_prlimit64, getpid(), resource, &more, NULL);
}

int main(void)
{
    int reached = 0;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct rlimit now = {0, 0};
        raise_limit(limits[i].resource, limits[i].granted + 1);
        raise_limit(limits[i].resource, RLIM_INFINITY);
        (void)getrlimit((__rlimit_resource_t)limits[i].resource, &now);
        printf("%s: %llu of %llu\n", limits[i].what, (unsigned long long)now.rlim_max,
               (unsigned long long)limits[i].granted);
        if (now.rlim_max > limits[i].granted)
            reached = 10;
    }
    return reached;
}
