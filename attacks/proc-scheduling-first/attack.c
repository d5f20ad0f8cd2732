/* attack.c - proc-scheduling-first
 *
 * Gives process 1 the lowest priority, the idle class and a single processor, by its number, its group and its user. If
 * it worked, process 1 would be late at everything, from answering denied calls to seeing the program end. Bare, a
 * child of its own is slowed down. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;
    pid_t child = bare ? fork() : 1;
    struct sched_param none = {0};
    unsigned attributes[14] = {48, SCHED_IDLE};
    cpu_set_t first;

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    tried("nice", setpriority(PRIO_PROCESS, (id_t)child, 19));
    tried("idle class", syscall(SYS_sched_setscheduler, child, SCHED_IDLE, &none));
    tried("parameters", syscall(SYS_sched_setparam, child, &none));
    tried("attributes", syscall(SYS_sched_setattr, child, attributes, 0));
    tried("one processor", syscall(SYS_sched_setaffinity, child, sizeof(first), &first));
    tried("last at the disk", syscall(SYS_ioprio_set, 1, child, 3 << 13));
    if (bare) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        return reached;
    }
    tried("nice, its group", setpriority(PRIO_PGRP, 1, 19));
    tried("nice, its user", setpriority(PRIO_USER, getuid(), 19));
    tried("last at the disk, its group", syscall(SYS_ioprio_set, 2, 1, 3 << 13));
    tried("last at the disk, its user", syscall(SYS_ioprio_set, 3, getuid(), 3 << 13));
    return reached;
}
