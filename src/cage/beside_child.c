/* beside_child.c - what takes long is done beside the mounts: the network namespace, and waiting for the control groups
 *
 * Runs in: the cage's first process, and a short-lived second one that shares its memory and descriptors.
 * Privilege: the second process keeps the supervisor's id on the host, which may join groups; full in the cage's user
 * namespace.
 * Must not: allocate, log, return from the second process.
 *
 * Theory of operation: making a network namespace takes the kernel as long as all mounts together, and the supervisor
 * makes the control groups meanwhile. The second process makes the one and waits for the other, opens both as
 * descriptors in the table that it shares with the first, and ends. The first then moves itself into them. The network
 * stays owned by the cage's user namespace.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define BESIDE_STACK_BYTES (32 * 1024)

static int raise_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}

/* With `network: none` not even loopback is up. */
static int make_network(struct cage_context *context)
{
    int r;

    if (unshare(CLONE_NEWNET) < 0)
        return -errno;
    if (context->start->plan->policy->network == POLICY_NETWORK_LOOPBACK && (r = raise_loopback()) < 0)
        return r;
    r = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    return r < 0 ? -errno : r;
}

/* v1: the files to which a process writes itself. On v2 the first process was born in its group. */
static int open_groups(struct cage_context *context)
{
    char made;
    ssize_t count;

    do
        count = read(context->groups_fd, &made, 1);
    while (count < 0 && errno == EINTR);
    if (count != 1)
        return count < 0 ? -errno : -ESRCH; /* the supervisor gave up, or died */
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        if (!context->join_paths[c][0])
            continue;
        context->join_fds[c] = open(context->join_paths[c], O_WRONLY | O_CLOEXEC);
        if (context->join_fds[c] < 0)
            return -errno;
    }
    return 0;
}

static int beside_main(void *argument)
{
    struct cage_context *context = argument;

    context->network_fd = make_network(context);
    context->groups_result = open_groups(context);
    _exit(0);
}

int cage_beside_start(struct cage_context *context)
{
    static char stack[BESIDE_STACK_BYTES] __attribute__((aligned(64)));

    context->beside_pid = clone(beside_main, stack + sizeof(stack), CLONE_VM | CLONE_FILES, context);
    return context->beside_pid < 0 ? -errno : 0;
}

int cage_beside_wait(struct cage_context *context)
{
    int status;

    while (waitpid(context->beside_pid, &status, __WALL) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

int cage_beside_join_network(struct cage_context *context)
{
    AUTO_CLOSE int fd = context->network_fd;

    if (fd < 0)
        return fd;
    return setns(fd, CLONE_NEWNET) < 0 ? -errno : 0;
}

/* A process that writes itself is moved at once; the kernel asks who opened the file, not who writes. */
int cage_beside_join_groups(struct cage_context *context)
{
    if (context->groups_result < 0)
        return context->groups_result;
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        AUTO_CLOSE int fd = context->join_fds[c];
        if (fd >= 0 && write(fd, "0", 1) < 0)
            return -errno;
    }
    return 0;
}
