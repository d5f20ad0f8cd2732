/* bounding_child.c - no capability can ever be gained any more
 *
 * Runs in: the cage's first process, and a zygote. What is permitted now stays so. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <linux/securebits.h>

#define CAPABILITIES 64
#define SECURE_BITS                                                                                                    \
    (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |                  \
     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

int cage_bounding_empty(void)
{
    for (unsigned capability = 0; capability < CAPABILITIES; capability++) {
        int r = kernel_prctl(PR_CAPBSET_DROP, capability, 0);
        if (r == -EINVAL)
            break; /* past the last that this kernel has */
        if (r < 0)
            return r;
    }
    return kernel_prctl(PR_SET_SECUREBITS, SECURE_BITS, 0);
}

int cage_bounding_prove(void)
{
    for (unsigned capability = 0; capability < CAPABILITIES; capability++) {
        int r = kernel_prctl(PR_CAPBSET_READ, capability, 0);
        if (r < 0)
            break;
        if (r > 0)
            return -EPERM;
    }
    return kernel_prctl(PR_GET_SECUREBITS, 0, 0) == SECURE_BITS ? 0 : -EPERM;
}
