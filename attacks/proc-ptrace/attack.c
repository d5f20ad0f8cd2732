/* attack.c - proc-ptrace
 *
 * Attaches to processes in every way that ptrace has. Who traces another process reads and writes its memory and makes
 * calls in its name; traced by a child, a process could even be held back from its own filter. Bare, only a child of
 * its own is touched. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
    if (result >= 0 || errno != EPERM)
        reached = 10;
}

int main(int count, char **words)
{
    pid_t victim = count > 1 ? atoi(words[1]) : 1, child = fork();

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    tried("seize its child", syscall(SYS_ptrace, PTRACE_SEIZE, child, 0L, 0L));
    if (!getenv("DRILL_CONTROL")) {
        tried("attach to its parent", syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0L, 0L));
        tried("attach to process 1", syscall(SYS_ptrace, PTRACE_ATTACH, 1, 0L, 0L));
        tried("seize process 1", syscall(SYS_ptrace, PTRACE_SEIZE, 1, 0L, 0L));
        tried("attach to one outside", syscall(SYS_ptrace, PTRACE_ATTACH, victim, 0L, 0L));
        tried("be traced", syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0L, 0L));
        tried("the filter of process 1", syscall(SYS_ptrace, 0x420c, 1, 0L, 0L));
        tried("an order that does not exist", syscall(SYS_ptrace, 9999L, child, 0L, 0L));
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    return reached;
}
