/* attack.c - kern-clone3
 *
 * Makes children by clone3, whose flags are in memory: no filter can read them, so the call as a whole must answer
 * "not there", for which libraries have a way round. Also tries to be put into a control group by descriptor. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

/* Any other answer than ENOSYS has looked into the memory, or makes libraries fail where they should fall back. */
static void tried(const char *what, long child)
{
    if (child == 0)
        _exit(0);
    printf("%s: %s\n", what, child < 0 ? strerrorname_np(errno) : "done");
    if (child > 0)
        (void)waitpid((pid_t)child, NULL, __WALL);
    if (child > 0 || errno != ENOSYS)
        reached = 10;
}

int main(void)
{
    struct clone_args plain = {.exit_signal = SIGCHLD};
    struct clone_args thread_group = {.flags = CLONE_THREAD, .exit_signal = SIGCHLD};
    struct clone_args in_group = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = 9999};
    struct clone_args with_pid = {.exit_signal = SIGCHLD, .set_tid = 8, .set_tid_size = 1};

    setvbuf(stdout, NULL, _IONBF, 0);
    tried("a plain child", syscall(SYS_clone3, &plain, sizeof(plain)));
    tried("a thread without memory", syscall(SYS_clone3, &thread_group, sizeof(thread_group)));
    tried("a child in another control group", syscall(SYS_clone3, &in_group, sizeof(in_group)));
    tried("a child with a number of its choice", syscall(SYS_clone3, &with_pid, sizeof(with_pid)));
    tried("a wild pointer", syscall(SYS_clone3, (void *)8, sizeof(plain)));
    tried("no size", syscall(SYS_clone3, &plain, 0L));
    return reached;
}
