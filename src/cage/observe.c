/* observe.c - whether this machine lets the first process see what the guest names, and words for what it saw
 *
 * Runs in: the supervisor.
 */
#include "base/file.h"
#include "cage/cage.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

const char *cage_seen_name(unsigned seen)
{
    static const char *const names[] = {
        [CAGE_SEEN_TRIED] = "tried", [CAGE_SEEN_MISSING] = "missing", [CAGE_SEEN_REFUSED] = "refused"};

    return seen <= CAGE_SEEN_REFUSED ? names[seen] : "tried";
}

static int refuse(struct base_err *err, const char *why)
{
    (void)base_err_set(err, BASE_E_REFUSED, "observe", "%s", why);
    return base_err_remedy(err, "leave observe out of the policy, or allow it on this machine");
}

/* Yama: 3 leaves it to nobody; less, to those with the right to trace, which the first process keeps. */
int cage_observe_check(const struct policy *policy, struct base_err *err)
{
    char byte = 0, copy, scope[16];
    struct iovec local = {&copy, 1}, remote = {&byte, 1};

    if (policy->observe == 0)
        return 0;
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1)
        return refuse(err, errno == ENOSYS ? "this kernel has no process_vm_readv"
                                           : "process_vm_readv is not permitted here");
    if (base_file_read_start(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) < 0)
        return 0; /* no Yama */
    if (scope[0] == '3')
        return refuse(err, "kernel.yama.ptrace_scope is 3: nobody may read another process's memory");
    return 0;
}
