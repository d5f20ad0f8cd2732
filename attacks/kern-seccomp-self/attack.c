/* attack.c - kern-seccomp-self
 *
 * Puts a second filter over the one that is there: one that answers calls itself, one with a listener, the strict mode.
 * The strictest answer of all filters wins, so a guest's own could swallow attempts before they are named. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
static struct sock_fprog program = {.len = 1, .filter = allow};

static long own_filter(void)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
static long own_listener(void)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}
static long for_all_threads(void)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
static long with_old_call(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
static long strict_mode(void)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL); /* a flag that it does not take: EINVAL */
}

/* A filter stays for ever, so every attempt has a child of its own. Raw exits: nothing else may be allowed after. */
static int reached_by(const char *what, long (*attempt)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        long result = attempt();
        syscall(SYS_exit_group, result < 0 && errno == EPERM ? 0 : 10);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        exit(1);
    printf("%s: %s\n", what, WEXITSTATUS(status) ? "done" : "EPERM");
    return WEXITSTATUS(status);
}

int main(void)
{
    int reached = 0;

    reached |= reached_by("a filter", own_filter);
    reached |= reached_by("a filter with a listener", own_listener);
    reached |= reached_by("a filter for all threads", for_all_threads);
    reached |= reached_by("a filter by prctl", with_old_call);
    reached |= reached_by("strict mode", strict_mode);
    return reached;
}
