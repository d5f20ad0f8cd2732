/* ns_child.c - which namespaces a process is in
 *
 * Runs in: the supervisor and the cage's first process. Must not: allocate, log.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include <errno.h>
#include <fcntl.h>

int cage_ns_names(char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES])
{
    static const char *const links[CAGE_NS_MAX] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
    AUTO_CLOSE int fd = open("/proc/self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    for (int ns = 0; ns < CAGE_NS_MAX; ns++) {
        ssize_t length = readlinkat(fd, links[ns], names[ns], CAGE_NS_NAME_BYTES - 1);
        if (length < 0)
            return -errno;
        names[ns][length] = 0;
    }
    return 0;
}
