/* fd_child.c - descriptors: which numbers they have, which of them stay
 *
 * Runs in: the supervisor and the cage's first process. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>

int cage_fd_high(int *fd)
{
    int high = *fd < 0 || *fd >= CAGE_HIGH_FD ? *fd : kernel_fcntl(*fd, F_DUPFD_CLOEXEC, CAGE_HIGH_FD);

    if (*fd >= 0 && high < 0)
        return high == -EINVAL ? -EMFILE : high; /* so the kernel says that no number is so high */
    if (high != *fd)
        (void)kernel_close(*fd); /* the copy stays */
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
            return kernel_close_range(from, ~0u, 0);
        int r = (unsigned)next > from ? kernel_close_range(from, (unsigned)next - 1, 0) : 0;
        if (r < 0)
            return r;
        from = (unsigned)next + 1;
    }
}
