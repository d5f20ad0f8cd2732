/* attack.c - kern-perf-event
 *
 * Opens performance counters on itself, on process 1, on a processor, and with a pointer that leads nowhere. If it
 * worked, the guest could watch what other programs on the machine do, and reach much code of the kernel. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS && error != EACCES))
        reached = 10;
}

int main(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .disabled = 1,
        .exclude_kernel = 1,
    };

    tried("itself", syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
    tried("process 1", syscall(SYS_perf_event_open, &attributes, 1, -1, -1, 0));
    tried("processor 0", syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0));
    tried("no pointer", syscall(SYS_perf_event_open, (void *)8, 0, -1, -1, 0));
    /* Where the machine's settings refuse all that an ordinary user could ask for, this is looked at before them. */
    tried("no such flags", syscall(SYS_perf_event_open, &attributes, 0, -1, -1, ~0ul));
    attributes.type = PERF_TYPE_TRACEPOINT;
    attributes.config = ~0ull; /* none has this number: opening one rewrites code of the kernel */
    tried("a trace point", syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
    return reached;
}
