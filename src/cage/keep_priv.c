/* keep_priv.c - the supervisor's half of a keeper: cages are asked for, and proved gone
 *
 * Runs in: the supervisor, single-threaded, with its rights. keep_child.c is the other half.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Making a first process takes a fraction of a millisecond; a machine that is far out of breath may need seconds. */
#define PATIENCE_MS 10000

/* --- begin and end --- */

static int open_counts(pid_t pid, const char *file)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int send_preload(const struct cage *cage, struct base_err *err)
{
    AUTO_CLOSE int fd = cage_zygote_preload();
    int r = fd < 0 ? fd : cage_line_send(cage->line_fd, CAGE_WORD_ZYGOTE, &fd, 1);

    return r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "zygote", "what it preloads cannot be handed over") : 0;
}

int cage_keep(const struct cage_host *host, const struct cage_slot *slot, const struct cage_zygote *zygote,
              struct cage_keeper *ret_keeper, struct base_err *err)
{
    struct cage_keeper keeper = CAGE_KEEPER_NONE;
    const int on = 1;
    int r = cage_make_as(host, slot, CAGE_WORD_KEEP, zygote, &keeper.cage, err);

    if (r == 0 && setsockopt(keeper.cage.line_fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
        r = base_err_sys(err, BASE_E_SETUP, errno, "keeper", "cannot be listened to");
    if (r == 0 && zygote)
        r = send_preload(&keeper.cage, err);
    if (r < 0) {
        (void)cage_drop(&keeper.cage);
        return r;
    }
    keeper.slot = slot->number;
    keeper.has_zygote = zygote != NULL;
    keeper.cage.cgroup.own = zygote ? 3 : 2; /* itself, its zygote, and the first process of a cage */
    cage_cgroup_open_counters(&keeper.cage.cgroup, true);
    keeper.keys_fd = open("/proc/key-users", O_RDONLY | O_CLOEXEC);
    *ret_keeper = keeper;
    return 0;
}

static void close_counts(struct cage_keeper *keeper)
{
    base_cleanup_close(&keeper->sockets_fd);
    base_cleanup_close(&keeper->keys_fd);
}

unsigned cage_keeper_drop(struct cage_keeper *keeper)
{
    unsigned left = cage_drop(&keeper->cage);

    close_counts(keeper);
    *keeper = (struct cage_keeper)CAGE_KEEPER_NONE;
    return left;
}

void cage_keeper_forget(struct cage_keeper *keeper)
{
    cage_forget(&keeper->cage);
    close_counts(keeper);
    *keeper = (struct cage_keeper)CAGE_KEEPER_NONE;
}

/* --- a cage --- */

/* Only what is read without a count before it must be cleared: tables are as long as their count says. */
static void clear_report(struct cage_shared *shared)
{
    memset(&shared->report, 0, offsetof(struct cage_report, denials));
    shared->report.failed_step = -1;
    shared->report.learned = (struct cage_numbers){0};
    for (unsigned kind = 0; kind < POLICY_OBSERVE_MAX; kind++)
        shared->observed.kinds[kind].count = shared->observed.kinds[kind].unlisted =
            shared->observed.kinds[kind].unread = 0;
}

static int failed(const struct cage_keeper *keeper, int r, struct base_err *err)
{
    const struct cage_report *report = keeper->cage.report;

    if (report->failed_step >= 0)
        return base_err_sys(err, BASE_E_SETUP, report->failed_errno, cage_step_name((unsigned)report->failed_step),
                            "this part of the cage failed");
    return base_err_sys(err, BASE_E_SETUP, -r, "keeper", "it makes no cage");
}

int cage_next(struct cage_keeper *keeper, struct cage *ret_cage, struct base_err *err)
{
    int fds[2], r;

    if (keeper->cage.report->failed_step >= 0)
        return failed(keeper, -ESRCH, err);
    clear_report(keeper->cage.shared);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "cage", "no line to it can be made");
    r = cage_line_send(keeper->cage.line_fd, CAGE_WORD_NEXT, &fds[0], 1);
    (void)close(fds[0]);
    if (r < 0) {
        (void)close(fds[1]);
        return failed(keeper, r, err);
    }
    *ret_cage = keeper->cage;
    ret_cage->keeper = keeper;
    ret_cage->pid = 0;
    ret_cage->pid_fd = -1;
    ret_cage->line_fd = fds[1];
    keeper->cages++;
    return 0;
}

int cage_wait(struct cage *cage, struct base_err *err)
{
    struct cage_keeper *keeper = cage->keeper;
    int r;

    if (!keeper || cage->pid != 0)
        return 0;
    r = cage_line_receive(keeper->cage.line_fd, CAGE_WORD_MADE, PATIENCE_MS, &cage->pid_fd, &cage->pid);
    if (r == 0 && (cage->pid_fd < 0 || cage->pid <= 0))
        r = -EPROTO;
    if (r < 0) {
        cage->pid = -1;
        return failed(keeper, r, err);
    }
    r = cage_fd_high(&cage->pid_fd);
    cage_cgroup_count_from_here(&cage->cgroup);
    return r < 0 ? failed(keeper, r, err) : 0;
}

/* --- limits --- */

static bool limits_equal(const struct cage_keeper *keeper, const struct cage_plan *plan)
{
    return memcmp(keeper->limits, plan->policy->limits, sizeof(keeper->limits)) == 0 &&
           memcmp(keeper->uses_cgroup, plan->uses_cgroup, sizeof(keeper->uses_cgroup)) == 0;
}

bool cage_keeper_fits(const struct cage_keeper *keeper, const struct cage_plan *plan)
{
    return !keeper->has_run || (keeper->network == plan->policy->network && limits_equal(keeper, plan));
}

int cage_keeper_limit(struct cage_keeper *keeper, const struct cage_plan *plan, struct base_err *err)
{
    int r = keeper->is_limited ? 0 : cage_cgroup_limit(&keeper->cage.cgroup, plan, err);

    if (r < 0)
        return r;
    if (!keeper->has_run)
        keeper->charge_bytes = cage_cgroup_charge_bytes(&keeper->cage.cgroup);
    memcpy(keeper->limits, plan->policy->limits, sizeof(keeper->limits));
    memcpy(keeper->uses_cgroup, plan->uses_cgroup, sizeof(keeper->uses_cgroup));
    keeper->network = plan->policy->network;
    keeper->is_limited = keeper->has_run = true;
    return 0;
}

/* --- proof --- */

/* "sockets: used 0": the kernel counts them by network, whoever holds them; a zygote and its keeper have two. A
 * connection may linger there ("tw"). */
static bool sockets_are_gone(struct cage_keeper *keeper)
{
    char text[1024];
    unsigned used, lingering;
    const char *tw;
    ssize_t count;

    if (keeper->sockets_fd < 0)
        keeper->sockets_fd = open_counts(keeper->cage.pid, "sockstat");
    count = keeper->sockets_fd < 0 ? -1 : pread(keeper->sockets_fd, text, sizeof(text) - 1, 0);
    if (count <= 0)
        return false;
    text[count] = 0;
    tw = strstr(text, " tw ");
    return sscanf(text, "sockets: used %u", &used) == 1 && used == (keeper->has_zygote ? 2 : 0) && tw &&
           sscanf(tw, " tw %u", &lingering) == 1 && lingering == 0;
}

/* The two ids that only this slot has own no key; where the starter's own is used, keys are the starter's affair. */
static bool keys_are_gone(const struct cage_keeper *keeper)
{
    const struct cage_host *host = &keeper->cage.shared->host;
    char text[8192];
    ssize_t count = keeper->keys_fd < 0 ? 0 : pread(keeper->keys_fd, text, sizeof(text) - 1, 0);

    if (!host->privileged)
        return true;
    if (count < 0 || count == sizeof(text) - 1)
        return false;
    text[count] = 0;
    for (unsigned i = 0; i < 2; i++) {
        char id[32];
        (void)snprintf(id, sizeof(id), "%5u:", host->uid_base + 2 * keeper->slot + i);
        if (strstr(text, id))
            return false;
    }
    return true;
}

/* Groups that were there and cannot be read are gone, and their limits with them. */
static bool has_group(const struct cage_keeper *keeper, enum cage_controller controller)
{
    return keeper->cage.cgroup.host && keeper->cage.cgroup.host->controllers[controller];
}

/* Its own, its zygote's, and the dead first process, as long as that is not reaped. */
static bool processes_are_gone(struct cage_keeper *keeper)
{
    return !has_group(keeper, CAGE_PIDS) || cage_cgroup_processes(&keeper->cage.cgroup) <= keeper->cage.cgroup.own;
}

/* What was read of /usr for the first time is charged too. It stays read when the group goes, and is charged to no
 * other run; to give it up here would take its time from the next run, which would have to read it again. */
static bool charge_is_low(const struct cage_keeper *keeper)
{
    return !has_group(keeper, CAGE_MEMORY) ||
           cage_cgroup_charge_bytes(&keeper->cage.cgroup) <= keeper->charge_bytes + CAGE_CHARGE_FLOOR_BYTES;
}

/* What the dead held is given up a moment after their end. */
static bool becomes_true(bool (*is_true)(struct cage_keeper *), struct cage_keeper *keeper)
{
    for (int i = 0; i < 5; i++) {
        if (is_true(keeper))
            return true;
        base_clock_sleep_ms(1);
    }
    return false;
}

/* A network remembers whoever used it: counters, times of connections, and more that nobody can set back. Without an
 * interface there is nothing to use. */
static bool network_is_unused(const struct cage_keeper *keeper)
{
    return keeper->network == POLICY_NETWORK_NONE;
}

/* Whom the kernel kills for want of memory it kills with all that share that memory, and so its keeper. */
static bool is_dead(const struct cage_keeper *keeper)
{
    return keeper->is_silent || poll(&(struct pollfd){.fd = keeper->cage.pid_fd, .events = POLLIN}, 1, 0) > 0;
}

static const char *dirt(struct cage_keeper *keeper)
{
    if (is_dead(keeper))
        return "its keeper was killed with its last cage";
    if (keeper->cage.report->failed_step >= 0)
        return "its last cage could not be built"; /* the keeper makes no other */
    if (!becomes_true(processes_are_gone, keeper))
        return "a process is left in its groups";
    if (!becomes_true(sockets_are_gone, keeper))
        return "a socket is left in its network";
    if (!keys_are_gone(keeper))
        return "a key is left with its ids";
    if (!network_is_unused(keeper))
        return "its network was used";
    if (!charge_is_low(keeper))
        return "memory is left charged to its groups";
    return cage_cgroup_reset_peaks(&keeper->cage.cgroup) ? NULL : "a counter of its groups cannot be set back";
}

bool cage_keeper_reap(struct cage_keeper *keeper, int *ret_status, uint64_t *ret_cpu_us)
{
    int line_fd = keeper->cage.line_fd;
    int r = cage_line_send(line_fd, CAGE_WORD_REAP, NULL, 0);

    if (r == 0)
        r = cage_line_receive(line_fd, CAGE_WORD_GONE, PATIENCE_MS, NULL, NULL);
    *ret_status = keeper->cage.report->kept_status;
    *ret_cpu_us = keeper->cage.report->kept_cpu_us;
    keeper->is_silent = r < 0;
    return r == 0;
}

bool cage_keeper_clean(struct cage_keeper *keeper, const char **ret_why)
{
    *ret_why = dirt(keeper);
    keeper->is_dirty = *ret_why != NULL;
    return !*ret_why;
}
