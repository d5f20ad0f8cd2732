/* attack.c - kern-prlimit-others
 *
 * Sets limits of its child, its parent and process 1. With a lower limit on process 1, which answers denied calls, the
 * guest could disable it; with a core limit of a child, it could have the host's crash handler run. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, pid_t pid, int resource)
{
    struct rlimit small = {4, 4};
    long result = syscall(SYS_prlimit64, pid, resource, &small, NULL);

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
    if (result >= 0)
        reached = 10;
}

int main(void)
{
    pid_t child = fork();

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    tried("files of its child", child, RLIMIT_NOFILE);
    tried("cores of its child", child, RLIMIT_CORE);
    if (!getenv("DRILL_CONTROL")) {
        tried("files of process 1", 1, RLIMIT_NOFILE);
        tried("processor time of process 1", 1, RLIMIT_CPU);
        tried("processes of process 1", 1, RLIMIT_NPROC);
        tried("files of its parent", getppid(), RLIMIT_NOFILE);
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    return reached;
}
