/* identity_child.c - all three user and group ids of this process
 *
 * Runs in: the cage's first process and the guest-to-be. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>

int cage_identity_set(uint32_t id)
{
    int r = kernel_setresgid(id, id, id);

    return r < 0 ? r : kernel_setresuid(id, id, id);
}

int cage_identity_prove(uint32_t id)
{
    uid_t uid[3];
    gid_t gid[3];

    if (kernel_getresuid(uid) < 0 || kernel_getresgid(gid) < 0)
        return -EPERM;
    for (int i = 0; i < 3; i++)
        if (uid[i] != id || gid[i] != id)
            return -EPERM;
    return 0;
}
