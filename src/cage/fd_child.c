/* fd_child.c - descriptors: which numbers they have, which of them stay
 *
 * Runs in: the supervisor and the cage's first process. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <fcntl.h>

int cage_fd_high(int *fd)
{
    int high = *fd < 0 || *fd >= CAGE_HIGH_FD ? *fd : fcntl(*fd, F_DUPFD_CLOEXEC, CAGE_HIGH_FD);

    if (*fd >= 0 && high < 0)
        return -errno;
    if (high != *fd)
        (void)close(*fd); /* the copy stays */
    *fd = high;
    return 0;
}

int cage_close_all_but(const int *keep, unsigned count)
{
    unsigned from = 0;

    for (;;) {
        int next = -1; /* the lowest kept one that is not below `from` */
        for (unsigned i = 0; i < count; i++)
            if (keep[i] >= 0 && (unsigned)keep[i] >= from && (next < 0 || keep[i] < next))
                next = keep[i];
        if (next < 0)
            return kernel_close_range(from, ~0u, 0) < 0 ? -errno : 0;
        if ((unsigned)next > from && kernel_close_range(from, (unsigned)next - 1, 0) < 0)
            return -errno;
        from = (unsigned)next + 1;
    }
}
