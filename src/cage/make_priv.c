/* make_priv.c - the supervisor's half of building a cage, and its end
 *
 * Runs in: the supervisor, single-threaded, with its rights.
 * Touches: the new process's id maps, its control groups.
 *
 * Theory of operation: the first process is cloned before anything is known of what will run, and builds the cage by
 * itself while the supervisor looks at the machine and reads the policy and the program. So the memory that it copies
 * holds none of that.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/ids.h"
#include "cage/kernel.h"
#include "cage/mutation.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* --- the first process --- */

/* The root of this process is no mount, or it is not that of process 1 (which only root may look at). */
static bool is_chroot(void)
{
    struct statx own, first;

    if (statx(AT_FDCWD, "/", 0, STATX_MNT_ID | STATX_INO, &own) < 0)
        return false;
    if ((own.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) && !(own.stx_attributes & STATX_ATTR_MOUNT_ROOT))
        return true;
    return statx(AT_FDCWD, "/proc/1/root/", 0, STATX_INO, &first) == 0 &&
           (own.stx_ino != first.stx_ino || own.stx_dev_minor != first.stx_dev_minor ||
            own.stx_dev_major != first.stx_dev_major);
}

/* To root, without a filter of system calls, no setting refuses it: a chroot whose root is a mount looks like any other
 * root, or it is SELinux or its like. */
static bool is_barred(void)
{
    return geteuid() == 0 && prctl(PR_GET_SECCOMP) == 0;
}

static bool is_filtered(int sys_errno)
{
    return sys_errno == ENOSYS || (sys_errno == EPERM && prctl(PR_GET_SECCOMP) > 0);
}

static int clone_failed(int sys_errno, struct base_err *err)
{
    if ((sys_errno == ENOSYS || sys_errno == EINVAL || sys_errno == E2BIG) && cage_kernel_blame(err))
        return BASE_E_SETUP;
    if (is_filtered(sys_errno)) {
        (void)base_err_sys(err, BASE_E_SETUP, sys_errno, "namespaces", "a filter of system calls refuses them");
        return cage_outer_remedy("RestrictNamespaces=no and no SystemCallFilter= without clone3", err);
    }
    if ((sys_errno == EPERM || sys_errno == EACCES || sys_errno == ENOSPC) && cage_namespaces_blame(err))
        return BASE_E_SETUP;
    if (sys_errno == EPERM && (is_chroot() || is_barred())) {
        (void)base_err_set(err, BASE_E_SETUP, "namespaces", "the kernel makes none in a chroot%s",
                           is_chroot() ? "" : ", or a security module forbids it");
        return base_err_remedy(err, "start fumehood outside of it, or enter the folder as a root of its own: "
                                    "bwrap --dev-bind DIR / COMMAND, or systemd-nspawn -D DIR");
    }
    (void)base_err_sys(err, BASE_E_SETUP, sys_errno, "namespaces", "the cage's first process cannot be made");
    return sys_errno == ENOSPC ? base_err_remedy(err, "as root: raise sysctl user.max_user_namespaces and its like")
                               : BASE_E_SETUP;
}

static int begin(struct cage *cage, struct base_err *err)
{
    AUTO_CLOSE int group_fd = cage_cgroup_birthplace(&cage->cgroup);
    int r = group_fd < -1 ? group_fd : cage_begin_clone(environ, group_fd, cage);

    return r < 0 ? clone_failed(-r, err) : 0;
}

static int say(const struct cage *cage, enum cage_word word, const int *fds, int count, struct base_err *err)
{
    int r = count < 0 ? count : cage_line_send(cage->line_fd, word, fds, (unsigned)count);

    return r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "cage", "cannot be told to go on") : 0;
}

static int say_groups(const struct cage *cage, enum cage_word word, struct base_err *err)
{
    int fds[CAGE_CONTROLLER_MAX];
    int count = cage_cgroup_open_tasks(&cage->cgroup, fds);
    int r = say(cage, word, fds, count, err);

    for (int i = 0; i < count; i++)
        (void)close(fds[i]); /* it has its own copies */
    return r;
}

static int settle(const struct cage_host *host, const struct cage_slot *slot, enum cage_word word, struct cage *cage,
                  struct base_err *err)
{
    bool own_ids = !(cage_mutation_read(environ) & CAGE_BIT(USER_NS));
    int r = own_ids ? cage_ids_map(host, slot->ids, cage->pid, err) : 0;

    if (r < 0)
        return r;
    cage->shared->host = *host;
    if (word == CAGE_WORD_GROUPS)
        cage_ready_tell(host, slot, &cage->shared->ready);
    r = cage_ns_names(cage->shared->host_ns);
    if (r < 0)
        return base_err_sys(err, BASE_E_SETUP, -r, "/proc/self/ns", "cannot be looked at");
    r = say(cage, CAGE_WORD_IDS, &slot->lock_fd, slot->lock_fd >= 0 ? 1 : 0, err);
    if (r == 0 && !cage->cgroup.host)
        r = cage_cgroup_create(host, slot, word == CAGE_WORD_KEEP, &cage->cgroup, err);
    return r < 0 ? r : say_groups(cage, word, err);
}

/* Dropping leaves nothing; the failure to report is the first one. */
static int or_drop(int r, struct cage *cage)
{
    if (r < 0)
        (void)cage_drop(cage);
    return r;
}

int cage_begin(struct cage *ret_cage, struct base_err *err)
{
    if (cage_begin_take_early(ret_cage)) {
        if (ret_cage->pid > 0)
            return 0;
        (void)cage_drop(ret_cage); /* it failed; once more, with words */
    }
    return cage_host_is_unified() ? 0 : or_drop(begin(ret_cage, err), ret_cage);
}

int cage_try(struct base_err *err)
{
    struct cage cage = CAGE_NONE;
    int r = or_drop(begin(&cage, err), &cage);

    (void)cage_drop(&cage);
    return r;
}

void cage_begin_never(void)
{
    struct cage cage;

    if (cage_begin_take_early(&cage))
        (void)cage_drop(&cage); /* it has no groups yet */
}

int cage_make(const struct cage_host *host, const struct cage_slot *slot, struct cage *cage, struct base_err *err)
{
    return cage_make_as(host, slot, CAGE_WORD_GROUPS, NULL, cage, err);
}

int cage_make_as(const struct cage_host *host, const struct cage_slot *slot, enum cage_word word,
                 const struct cage_zygote *zygote, struct cage *cage, struct base_err *err)
{
    int r = 0;

    if (cage->pid < 0 && host->manager == CAGE_MANAGER_V2)
        r = cage_cgroup_create(host, slot, word == CAGE_WORD_KEEP, &cage->cgroup, err);
    if (cage->pid < 0 && r == 0)
        r = begin(cage, err);
    if (r == 0)
        r = cage_order_zygote(cage->shared, zygote, err);
    if (r == 0)
        r = settle(host, slot, word, cage, err);
    return or_drop(r, cage);
}

/* --- its first process comes first --- */

void cage_put_first(const struct cage *cage)
{
    struct kernel_sched_attr attr = {0};

    if (!cage->cgroup.host || !cage->cgroup.host->controllers[CAGE_CPU] || kernel_sched_getattr(cage->pid, &attr) < 0 ||
        attr.policy != SCHED_OTHER)
        return;
    attr.size = sizeof(attr);
    attr.nice = -20;
    (void)kernel_sched_setattr(cage->pid, &attr);
}

/* --- a word to the guest --- */

/* The first process may be busy with the guest's denied calls, and then nobody waits for it. */
#define GUEST_PATIENCE_MS 20

/* As a terminal does with Ctrl-C: Python waits for a child of its own (subprocess.run), which has to end, too. */
static bool interrupt_all(int guest_fd)
{
    return kernel_pidfd_send_signal_to_group(guest_fd, SIGINT) == 0 || kernel_pidfd_send_signal(guest_fd, SIGINT) == 0;
}

bool cage_interrupt(const struct cage *cage)
{
    AUTO_CLOSE int fd = -1;

    return cage_line_send(cage->line_fd, CAGE_WORD_GUEST, NULL, 0) == 0 &&
           cage_line_receive(cage->line_fd, CAGE_WORD_GUEST, GUEST_PATIENCE_MS, &fd, NULL) == 0 && fd >= 0 &&
           interrupt_all(fd);
}

/* --- its end --- */

/* What the kernel cannot end in this time it mostly never ends. */
#define KILL_PATIENCE_MS 10000

/* One that a keeper made is reaped by that. Without its line, it ends where it cannot be killed. */
static void kill_and_reap(struct cage *cage)
{
    int status;

    (void)kernel_pidfd_send_signal(cage->pid_fd, SIGKILL); /* it may be dead already, or reaped */
    base_cleanup_close(&cage->line_fd);
    cage->line_fd = -1;
    if (cage->keeper) /* it must not write into what the next one has */
        (void)poll(&(struct pollfd){.fd = cage->pid_fd, .events = POLLIN}, 1, KILL_PATIENCE_MS);
    while (!cage->keeper && waitpid(cage->pid, &status, 0) < 0 && errno == EINTR)
        ;
}

void cage_forget(struct cage *cage)
{
    base_cleanup_close(&cage->pid_fd);
    base_cleanup_close(&cage->line_fd);
    if (cage->keeper) { /* the rest is its */
        cage_keeper_note_hurry(cage->keeper, &cage->cgroup);
    } else {
        cage_cgroup_close(&cage->cgroup);
        cage_shared_free(cage->shared);
    }
    *cage = (struct cage)CAGE_NONE;
}

unsigned cage_drop(struct cage *cage)
{
    unsigned left;

    (void)cage_wait(cage, NULL); /* what cannot be waited for cannot be killed, and goes with its line */
    if (cage->pid > 0)
        kill_and_reap(cage);
    left = cage->keeper ? 0 : cage_cgroup_remove(&cage->cgroup);
    if (!cage->keeper && cage->shared)
        cage_ready_renew(cage->shared);
    cage_forget(cage);
    return left;
}

/* --- what both sides see --- */

void cage_shared_free(struct cage_shared *shared)
{
    if (shared)
        (void)munmap(shared, sizeof(*shared));
}
