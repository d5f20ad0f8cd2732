/* doctor_try.c - make a namespace for real, in a child that ends at once
 *
 * Runs in: a fork of fumehood doctor. Only async-signal-safe calls after the fork.
 */

#include "base/cleanup.h"
#include "front/cli/doctor_checks.h"
#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

static int try_in_child(int flags)
{
    if (unshare(CLONE_NEWUSER) < 0)
        return errno;
    return flags && unshare(flags) < 0 ? errno : 0;
}

int cli_doctor_try_namespace(int flags)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        return errno;
    if (child == 0)
        _exit(try_in_child(flags) & 0xff); /* errno of these calls fits into a status */
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}
