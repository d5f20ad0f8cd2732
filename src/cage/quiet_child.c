/* quiet_child.c - what is denied and yet no attempt
 *
 * Runs in: the cage's first process, which asks when the filter has denied a call. A program that copies a file, or one
 * that would tune what it does, asks whether the kernel has something for that, and goes on without. Such a call is not
 * made; it answers as where there is no such thing, and is neither listed nor counted.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/filter.h"
#include "cage/kernel.h"
#include <errno.h>

static const struct {
    int nr;
    unsigned argument;
    uint32_t value;
    int error;
} rows[] = {
#define LET(name, number, who)
#define LOOPBACK(name, number, who)
#define UNDONE(name, number, error, who) {SYS_ioctl, 1, number, error},
#define NAMED(name, number)
#include "cage/ioctls.def"
#undef LET
#undef LOOPBACK
#undef UNDONE
#undef NAMED
    {SYS_fcntl, 1, 1036, EINVAL},       /* F_SET_RW_HINT: databases say how long a file will last */
    {SYS_prctl, 0, 0x53564d41, EINVAL}, /* PR_SET_VMA: the C library, Go and Java name their memory */
};

/* The kernel reads these arguments as 32 bits. */
int cage_quiet_error(const struct seccomp_data *data)
{
    if (data->arch != CAGE_NATIVE_ARCH)
        return 0;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].nr == data->nr && rows[i].value == (uint32_t)data->args[rows[i].argument])
            return rows[i].error;
    return 0;
}
