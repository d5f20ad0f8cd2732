/* network_child.c - the cage's network namespace, made beside the rest of the cage
 *
 * Runs in: the cage's first process, and a short-lived second one that shares its memory and descriptors.
 * Privilege: full in the cage's user namespace.
 * Must not: allocate, log, return from the second process.
 *
 * Theory of operation: making a network namespace takes the kernel longer than all mounts together. A second process
 * does it while the first mounts, opens it as a descriptor in the table that both share, and ends; the first then moves
 * into it. It stays owned by the cage's user namespace.
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

#define MAKER_STACK_BYTES (32 * 1024)

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

static int maker_main(void *argument)
{
    struct cage_context *context = argument;

    context->network_fd = make_network(context);
    _exit(0);
}

int cage_network_start(struct cage_context *context)
{
    static char stack[MAKER_STACK_BYTES] __attribute__((aligned(64)));

    context->network_pid = clone(maker_main, stack + sizeof(stack), CLONE_VM | CLONE_FILES, context);
    return context->network_pid < 0 ? -errno : 0;
}

int cage_network_join(struct cage_context *context)
{
    AUTO_CLOSE int fd = -1;
    int status;

    while (waitpid(context->network_pid, &status, __WALL) < 0)
        if (errno != EINTR)
            return -errno;
    if (context->network_fd < 0)
        return context->network_fd;
    fd = context->network_fd;
    return setns(fd, CLONE_NEWNET) < 0 ? -errno : 0;
}
