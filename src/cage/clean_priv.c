/* clean_priv.c - nothing of a slot's last cage stayed, or the slot does not serve again
 *
 * Runs in: the supervisor, when the first process of that cage is dead. What is asked is the kernel's own count.
 */
#include "base/clock.h"
#include "cage/child.h"
#include "cage/ids.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_counts(pid_t pid, const char *file)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

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

static bool has_key(const char *users, uint32_t id)
{
    char line[32];

    (void)snprintf(line, sizeof(line), "%5u:", id);
    return strstr(users, line) != NULL;
}

/* The ids that only this slot has own no key; where the starter's own is used, keys are the starter's affair. */
static bool keys_are_gone(const struct cage_keeper *keeper)
{
    const struct cage_host *host = &keeper->cage.shared->host;
    const struct cage_ids ids = cage_ids_of(host, keeper->ids);
    char text[8192];
    ssize_t count = keeper->keys_fd < 0 ? 0 : pread(keeper->keys_fd, text, sizeof(text) - 1, 0);

    if (!host->has_own_ids)
        return true;
    if (count < 0 || count == sizeof(text) - 1)
        return false;
    text[count] = 0;
    return !has_key(text, ids.guest_user) && !(host->privileged && has_key(text, ids.first_user));
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
static bool charge_is_low(struct cage_keeper *keeper)
{
    return !has_group(keeper, CAGE_MEMORY) ||
           cage_cgroup_charge_bytes(&keeper->cage.cgroup) <= keeper->charge_bytes + CAGE_CHARGE_FLOOR_BYTES;
}

/* What the dead held is given up a moment after their end, and what a zygote holds for them when it has its turn. */
#define PATIENCE_MS 20

static bool becomes_true(bool (*is_true)(struct cage_keeper *), struct cage_keeper *keeper)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (is_true(keeper))
            return true;
        base_clock_sleep_ms(1);
    }
    return false;
}

/* A network remembers whoever used it: counters, times of connections, and more that nobody can set back. Without
 * an interface there is nothing to use. */
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
    if (keeper->cage.report->zygote_died)
        return "its zygote is dead";
    if (!cage_keeper_is_apart(keeper) && !becomes_true(processes_are_gone, keeper))
        return "a process is left in its groups";
    if (!becomes_true(sockets_are_gone, keeper))
        return "a socket is left in its network";
    if (!keys_are_gone(keeper))
        return "a key is left with its ids";
    if (!network_is_unused(keeper))
        return "its network was used";
    if (!cage_keeper_is_apart(keeper) && !becomes_true(charge_is_low, keeper)) /* else it goes with the group */
        return "memory is left charged to its groups";
    if (!cage_keeper_is_apart(keeper) && !cage_cgroup_reset_memory(&keeper->cage.cgroup))
        return "a counter of its groups cannot be set back";
    if ((cage_keeper_is_apart(keeper) || cage_cgroup_has_peak(&keeper->cage.cgroup)) && !cage_keeper_renew(keeper))
        return "the group of its runs cannot be renewed"; /* it goes only when it is empty */
    return NULL;
}

bool cage_keeper_clean(struct cage_keeper *keeper, const char **ret_why)
{
    *ret_why = dirt(keeper);
    keeper->is_dirty = *ret_why != NULL;
    return !*ret_why;
}
