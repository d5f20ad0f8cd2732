/* ns_child.c - which namespaces a process is in
 *
 * Runs in: the supervisor and the cage's first process. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"

static int read_name(int fd, enum cage_ns ns, char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES])
{
    static const char *const links[CAGE_NS_MAX] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
    int length = kernel_readlink(fd, links[ns], names[ns], CAGE_NS_NAME_BYTES - 1);

    if (length < 0)
        return length;
    names[ns][length] = 0;
    return 0;
}

int cage_ns_name(enum cage_ns ns, char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES])
{
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, "/proc/self/ns", O_PATH | O_DIRECTORY, 0);

    return fd < 0 ? fd : read_name(fd, ns, names);
}

int cage_ns_names(char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES])
{
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, "/proc/self/ns", O_PATH | O_DIRECTORY, 0);
    int r = fd < 0 ? fd : 0;

    for (int ns = 0; ns < CAGE_NS_MAX && r == 0; ns++)
        r = read_name(fd, (enum cage_ns)ns, names);
    return r;
}
