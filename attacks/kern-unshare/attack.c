/* attack.c - kern-unshare
 *
 * Leaves each of its namespaces for a new one, then writes itself a map of ids that would make it root there. If it
 * worked, it could mount, make network devices, and reach kernel code that only root was meant to reach. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static int become_root(void)
{
    char map[64];
    int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);

    (void)snprintf(map, sizeof(map), "0 %d 1", (int)getuid());
    return fd >= 0 && write(fd, map, strlen(map)) > 0;
}

/* In a child each: what is left cannot be returned to. */
static int attempt(int flags)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        int before = (int)getuid();
        if (unshare(flags) < 0)
            _exit(errno == EPERM ? 0 : 77);
        printf("unshare(0x%x): done\n", flags);
        if ((flags & CLONE_NEWUSER) && before != (int)getuid())
            printf("and root there: %d\n", become_root());
        fflush(stdout);
        _exit(10);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        exit(1);
    return WEXITSTATUS(status) == 10 ? 10 : 0;
}

int main(void)
{
    static const int flags[] = {CLONE_NEWUSER,   CLONE_NEWNS,   CLONE_NEWNET,
                                CLONE_NEWPID,    CLONE_NEWUTS,  CLONE_NEWIPC,
                                CLONE_NEWCGROUP, CLONE_NEWTIME, CLONE_NEWNS | CLONE_NEWUSER};
    int reached = 0;

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        reached |= attempt(flags[i]);
    if (access("/proc/self/uid_map", F_OK) == 0 && !getenv("DRILL_CONTROL") && become_root()) {
        printf("its own map of ids was written anew\n");
        reached = 10;
    }
    return reached;
}
