/* attack.c - proc-scheduling
 *
 * Takes real-time priorities, deadlines, a better nice value and a better place at the disk, and locks its memory. If
 * it worked, it could hold a processor or the memory for itself while others wait. Bare, a child does so for a moment.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
    if (result >= 0)
        reached = 10;
}

static void attempt_all(void)
{
    struct sched_param first = {.sched_priority = 1};
    struct {
        unsigned size, policy;
        unsigned long flags;
        int nice;
        unsigned priority;
        unsigned long runtime, deadline, period;
    } deadline = {48, 6, 0, 0, 0, 1000000, 10000000, 10000000};

    tried("a better nice value", setpriority(PRIO_PROCESS, 0, -20));
    tried("a better place at the disk", syscall(SYS_ioprio_set, 1, 0, 1 << 13));
    tried("real time", sched_setscheduler(0, SCHED_FIFO, &first));
    tried("real time, in turns", sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first));
    tried("a deadline", syscall(SYS_sched_setattr, 0, &deadline, 0));
    tried("all its memory, locked", mlockall(MCL_FUTURE) < 0 ? -1
                                    : mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                                        ? -1
                                        : 0);
}

int main(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        attempt_all();
        fflush(stdout);
        _exit(reached);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
