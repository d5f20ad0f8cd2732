/* keep_priv.c - the supervisor's half of a keeper: cages are asked for
 *
 * Runs in: the supervisor, single-threaded, with its rights. keep_child.c is the other half; clean_priv.c
 * proves them gone.
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
    keeper.ids = slot->ids;
    keeper.has_zygote = zygote != NULL;
    if (!cage_keeper_is_apart(&keeper))
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

    if (report->zygote_why[0])
        return base_err_set(err, BASE_E_SETUP, "zygote", "%s", report->zygote_why);
    if (report->failed_step >= 0) {
        (void)base_err_sys(err, BASE_E_SETUP, report->failed_errno, cage_step_name((unsigned)report->failed_step),
                           "this part of the cage failed");
        cage_outer_blame((unsigned)report->failed_step, report->failed_errno, err);
        return BASE_E_SETUP;
    }
    (void)base_err_sys(err, BASE_E_SETUP, -r, "keeper", "it makes no cage");
    return cage_host_is_filtered() ? cage_outer_remedy(NULL, err) : BASE_E_SETUP;
}

int cage_next(struct cage_keeper *keeper, struct cage *ret_cage, struct base_err *err)
{
    int fds[2], run_fd = keeper->cage.cgroup.dir_fds[CAGE_PIDS], r;

    if (keeper->cage.report->failed_step >= 0)
        return failed(keeper, -ESRCH, err);
    clear_report(keeper->cage.shared);
    keeper->cage.shared->ahead = keeper->ahead;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "cage", "no line to it can be made");
    r = cage_line_send(keeper->cage.line_fd, CAGE_WORD_NEXT, (const int[]){fds[0], run_fd},
                       cage_keeper_is_apart(keeper) ? 2 : 1);
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

bool cage_keeper_is_apart(const struct cage_keeper *keeper)
{
    return keeper->cage.cgroup.host && keeper->cage.cgroup.host->manager == CAGE_MANAGER_V2;
}

void cage_keeper_note_hurry(struct cage_keeper *keeper, const struct cage_cgroup *cgroup)
{
    if (cgroup->is_hurried && !cage_keeper_is_apart(keeper)) /* else its groups are renewed, and have their limits */
        keeper->is_limited = false;
}

static int move(struct cage_keeper *keeper)
{
    AUTO_CLOSE int tasks_fd = cage_cgroup_open_turn(&keeper->cage.cgroup);
    int line_fd = keeper->cage.line_fd;
    int r = tasks_fd < 0 ? tasks_fd : cage_line_send(line_fd, CAGE_WORD_MOVE, &tasks_fd, 1);

    return r < 0 ? r : cage_line_receive(line_fd, CAGE_WORD_GONE, PATIENCE_MS, NULL, NULL);
}

bool cage_keeper_renew(struct cage_keeper *keeper)
{
    const struct cage_bounds bounds = {keeper->limits, keeper->uses_cgroup, keeper->network};
    struct cage_cgroup *cgroup = &keeper->cage.cgroup;

    if (cage_keeper_is_apart(keeper))
        return cage_cgroup_renew(cgroup, &bounds) == 0;
    return cage_cgroup_turn(cgroup, &bounds) == 0 && move(keeper) == 0 && cage_cgroup_leave_turn(cgroup) == 0;
}

static bool limits_equal(const struct cage_keeper *keeper, const struct cage_plan *plan)
{
    return memcmp(keeper->limits, plan->policy->limits, sizeof(keeper->limits)) == 0 &&
           memcmp(keeper->uses_cgroup, plan->uses_cgroup, sizeof(keeper->uses_cgroup)) == 0;
}

static bool terms_equal(const struct cage_keeper *keeper, const struct cage_plan *plan, bool learn)
{
    const struct policy_set allowed = policy_allowed(plan->policy);

    return keeper->requested == plan->requested && keeper->denied_calls == policy_denied_calls(plan->policy) &&
           keeper->observe == plan->policy->observe && keeper->learn == learn &&
           memcmp(&keeper->allowed, &allowed, sizeof(allowed)) == 0;
}

bool cage_keeper_leaves_room(const struct cage_keeper *keeper, const struct cage_plan *plan)
{
    const struct policy_limit *limit = &plan->policy->limits[POLICY_LIMIT_MEMORY_BYTES];
    uint64_t charge = keeper->has_run ? keeper->charge_bytes : cage_cgroup_charge_bytes(&keeper->cage.cgroup);

    return limit->unlimited || charge == UINT64_MAX || charge <= limit->value / 2;
}

bool cage_shows_as(const struct cage *cage, const struct policy *policy)
{
    return !cage->shared || cage->shared->host.shows_machine == (policy->proc == POLICY_PROC_MACHINE);
}

bool cage_keeper_fits(const struct cage_keeper *keeper, const struct cage_plan *plan)
{
    if (!cage_shows_as(&keeper->cage, plan->policy))
        return false;
    return !keeper->has_run || (limits_equal(keeper, plan) && keeper->network == plan->policy->network);
}

/* What stands ready has the number of the guest, and cannot make room for another. */
static bool ahead_fits(const struct cage_keeper *keeper, const struct cage_plan *plan, bool learn, bool from_zygote)
{
    const enum cage_ahead ahead = keeper->cage.shared->ahead;

    return ahead == CAGE_AHEAD_NONE || (from_zygote == (ahead == CAGE_AHEAD_FORK) && terms_equal(keeper, plan, learn));
}

bool cage_next_fits(const struct cage *cage, const struct cage_plan *plan, bool learn, bool from_zygote)
{
    return !cage->keeper || ahead_fits(cage->keeper, plan, learn, from_zygote);
}

/* Under its filter a guest that stands ready waits by reading; one that a zygote forks needs no more for this than for
 * being one (cage_zygote_refuses). */
static enum cage_ahead ahead_of(const struct cage_guest *guest)
{
    const struct policy_set allowed = policy_allowed(guest->plan->policy);

    if (guest->learn || guest->plan->policy->observe)
        return CAGE_AHEAD_NONE;
    if (guest->from_zygote)
        return CAGE_AHEAD_FORK;
    return policy_set_has(&allowed, (unsigned)policy_call_find("read")) ? CAGE_AHEAD_EXEC : CAGE_AHEAD_NONE;
}

static void note_terms(struct cage_keeper *keeper, const struct cage_guest *guest)
{
    const struct cage_plan *plan = guest->plan;

    memcpy(keeper->limits, plan->policy->limits, sizeof(keeper->limits));
    memcpy(keeper->uses_cgroup, plan->uses_cgroup, sizeof(keeper->uses_cgroup));
    keeper->network = plan->policy->network;
    keeper->requested = plan->requested;
    keeper->denied_calls = policy_denied_calls(plan->policy);
    keeper->allowed = policy_allowed(plan->policy);
    keeper->observe = plan->policy->observe;
    keeper->learn = guest->learn;
    keeper->ahead = ahead_of(guest);
    keeper->is_limited = keeper->has_run = true;
    keeper->runs++;
}

int cage_keeper_limit(struct cage_keeper *keeper, const struct cage_guest *guest, struct base_err *err)
{
    int r;

    if (!ahead_fits(keeper, guest->plan, guest->learn, guest->from_zygote)) /* it would run on another's terms */
        return base_err_set(err, BASE_E_INTERNAL, "slot", "what stands ready is for another policy or another way");
    r = keeper->is_limited ? 0 : cage_cgroup_limit(&keeper->cage.cgroup, guest->plan, err);
    if (r < 0)
        return r;
    if (!keeper->has_run)
        keeper->charge_bytes = cage_cgroup_charge_bytes(&keeper->cage.cgroup);
    note_terms(keeper, guest);
    return 0;
}

bool cage_keeper_reap(struct cage_keeper *keeper, int *ret_status, uint64_t *ret_cpu_us)
{
    int line_fd = keeper->cage.line_fd;
    int r = cage_line_send(line_fd, CAGE_WORD_REAP, NULL, 0);

    if (r == 0)
        r = cage_line_receive(line_fd, CAGE_WORD_GONE, PATIENCE_MS, NULL, NULL);
    *ret_status = keeper->cage.report->kept_status;
    *ret_cpu_us = keeper->cage.report->kept_cpu_us + keeper->cage.report->fork_cpu_us;
    keeper->is_silent = r < 0;
    return r == 0;
}
