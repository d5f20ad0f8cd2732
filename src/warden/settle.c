/* settle.c - what is left of a cage is torn down, and proved gone
 *
 * Runs in: the supervisor, when the end of the run is known; with a slot, while the next run has begun in another one.
 */
#include "base/clock.h"
#include "cage/kernel.h"
#include "warden/watch.h"
#include <poll.h>
#include <stdio.h>

static bool wait_for_death(const struct cage *cage)
{
    struct pollfd fd = {.fd = cage->pid_fd, .events = POLLIN};
    uint64_t until_us = base_clock_us() + WARDEN_KILL_PATIENCE_US, now_us;

    while ((now_us = base_clock_us()) < until_us)
        if (poll(&fd, 1, (int)((until_us - now_us) / 1000) + 1) > 0)
            return true;
    return false;
}

/* The kernel reports the first process dead only when everything else in its namespace is, and mounts and scratch live
 * in namespaces that end with it. What can stay behind are the control groups, or what a slot is proved clean of. */
static bool is_gone(const struct warden_rest *rest)
{
    if (rest->cage.pid_fd < 0)
        return false;
    (void)kernel_pidfd_send_signal(rest->cage.pid_fd, SIGKILL); /* mostly it is at its own end, or dead */
    if (!rest->is_stuck && wait_for_death(&rest->cage))
        return true;
    if (!rest->cage.keeper) /* somebody has stopped a zygote, which then does not reap its guest */
        return false;
    (void)kernel_pidfd_send_signal(rest->cage.keeper->cage.pid_fd, SIGKILL);
    return wait_for_death(&rest->cage);
}

/* What the kernel kills for memory may be a keeper in the same groups, a moment later. */
static bool may_have_killed_keeper(const struct cage_keeper *keeper, const struct warden_outcome *outcome)
{
    const uint64_t kills = outcome->limits[POLICY_LIMIT_MEMORY_BYTES].hits;

    return !cage_keeper_is_apart(keeper) && kills != WARDEN_UNKNOWN && kills > 0;
}

static void prove_slot(struct cage_keeper *keeper, bool gone, struct warden_outcome *outcome)
{
    const char *why = "its last cage cannot be killed";

    if (may_have_killed_keeper(keeper, outcome))
        why = "the kernel has killed for its memory";
    else if (gone && cage_keeper_clean(keeper, &why) && outcome->ending == WARDEN_LOST)
        why = "its last run was lost";
    keeper->is_dirty = why != NULL;
    (void)snprintf(outcome->teardown.slot_why, sizeof(outcome->teardown.slot_why), "%s", why ? why : "");
}

/* What it may have made all the same dies with it. */
static void settle_unmade(struct warden_rest *rest, struct warden_outcome *outcome)
{
    outcome->teardown.cgroups_left = cage_keeper_drop(rest->cage.keeper);
    (void)snprintf(outcome->teardown.slot_why, sizeof(outcome->teardown.slot_why), "its keeper made no cage");
    rest->cage.pid = -1;
    (void)cage_drop(&rest->cage);
}

static void settle_cage(struct warden_rest *rest, struct warden_outcome *outcome)
{
    struct cage *cage = &rest->cage;
    bool gone = is_gone(rest);

    if (cage->keeper)
        prove_slot(cage->keeper, gone, outcome);
    if (cage->keeper || !gone)
        cage->pid = -1; /* its keeper has reaped it, or it is given up */
    outcome->teardown.processes_left = outcome->teardown.mounts_left = outcome->teardown.files_left = gone ? 0 : 1;
    outcome->teardown.cgroups_left = cage_drop(cage);
}

void warden_settle(struct warden_rest *rest, struct warden_outcome *outcome)
{
    if (!rest->cage.shared)
        return;
    (rest->cage.keeper && rest->cage.pid_fd < 0 ? settle_unmade : settle_cage)(rest, outcome);
    outcome->teardown.us = base_clock_us() - rest->from_us;
    *rest = (struct warden_rest)WARDEN_REST_NONE;
}
