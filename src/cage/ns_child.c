/* ns_child.c - which namespaces a process is in
 *
 * Runs in: the supervisor and the cage's first process. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"

int cage_ns_names(char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES])
{
    static const char *const links[CAGE_NS_MAX] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, "/proc/self/ns", O_PATH | O_DIRECTORY, 0);

    if (fd < 0)
        return fd;
    for (int ns = 0; ns < CAGE_NS_MAX; ns++) {
        int length = kernel_readlink(fd, links[ns], names[ns], CAGE_NS_NAME_BYTES - 1);
        if (length < 0)
            return length;
        names[ns][length] = 0;
    }
    return 0;
}
