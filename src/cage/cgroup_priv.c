/* cgroup_priv.c - control groups of one cage: v1, v2 and none behind one interface
 *
 * Runs in: the supervisor, with its rights. Touches only groups named fumehood-... below the parents that host.c found.
 *
 * Theory of operation: on v1 each controller has a hierarchy of its own, and the cage's first process writes itself
 * into each `tasks` (moving another process is a hundred times slower). On v2 the process is born in its group, and
 * what serves many runs has a new one for each (cgroup.h), so that no counter is left of the run before.
 */
#include "base/cleanup.h"
#include "cage/cgroup.h"
#include "cage/ids.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU_PERIOD_US 100000u

int cage_cgroup_write(int dir_fd, const char *file, const char *value)
{
    AUTO_CLOSE int fd = openat(dir_fd, file, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    return write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

/* --- closing --- */

static void close_one(int *fd)
{
    base_cleanup_close(fd);
    *fd = -1;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close_one(&fds[i]);
}

/* What belongs to the run's group, on v2; on v1 all of it. */
static void close_run(struct cage_cgroup *cgroup)
{
    close_all(cgroup->dir_fds, CAGE_CONTROLLER_MAX);
    close_all(cgroup->counter_fds, CAGE_COUNTER_MAX);
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        close_one(&cgroup->held[c].fd);
}

void cage_cgroup_close(struct cage_cgroup *cgroup)
{
    close_run(cgroup);
    close_one(&cgroup->slot_fd);
}

/* --- limits --- */

static int refused(const char *file, const char *value, int r, struct base_err *err)
{
    return base_err_sys(err, BASE_E_SETUP, -r, file, "the control group does not take \"%s\"", value);
}

static int set_limit(const struct cage_cgroup *cgroup, int controller, const char *file, const char *value,
                     struct base_err *err)
{
    int r = cage_cgroup_write(cgroup->dir_fds[controller], file, value);

    return r < 0 ? refused(file, value, r, err) : 0;
}

/* What is looked at again when the run is over: it stays open, and what it must say then is noted. */
static int hold(struct cage_cgroup *cgroup, int controller, const char *file, const char *wanted, const char *text,
                struct base_err *err)
{
    int dir_fd = cgroup->dir_fds[cage_cgroup_is_v2(cgroup) ? CAGE_PIDS : controller];
    struct cage_held *held = &cgroup->held[controller];

    if (held->fd < 0)
        held->fd = openat(dir_fd, file, O_RDWR | O_CLOEXEC);
    if (held->fd < 0 || pwrite(held->fd, wanted, strlen(wanted), 0) < 0)
        return refused(file, wanted, -errno, err);
    (void)snprintf(held->text, sizeof(held->text), "%s", text);
    return 0;
}

static const char *number_text(uint64_t value, char text[32])
{
    (void)snprintf(text, 32, "%" PRIu64, value);
    return text;
}

static int hold_number(struct cage_cgroup *cgroup, int controller, const char *file, uint64_t value,
                       struct base_err *err)
{
    char text[32];

    number_text(value, text);
    cgroup->held[controller].value = value;
    return hold(cgroup, controller, file, text, text, err);
}

/* The kernel counts whole pages, and no more of them than it can number. */
static int hold_bytes(struct cage_cgroup *cgroup, const char *file, uint64_t value, struct base_err *err)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), most = LONG_MAX / page;
    bool is_all = value / page >= most;
    char wanted[32], said[32];

    number_text(value, wanted);
    number_text((is_all ? most : value / page) * page, said);
    cgroup->held[CAGE_MEMORY].value = value;
    return hold(cgroup, CAGE_MEMORY, file, wanted, is_all && cage_cgroup_is_v2(cgroup) ? "max" : said, err);
}

static bool limited(const struct cage_bounds *bounds, enum cage_controller controller, enum policy_limit_key key)
{
    return bounds->uses_cgroup[controller] && !bounds->limits[key].unlimited;
}

static int hold_processes(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err)
{
    if (!limited(bounds, CAGE_PIDS, POLICY_LIMIT_PROCESSES))
        return 0;
    return hold_number(cgroup, CAGE_PIDS, "pids.max", /* those that are ours count too */
                       bounds->limits[POLICY_LIMIT_PROCESSES].value + cgroup->own, err);
}

static int limit_memory_v1(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err)
{
    char text[32];
    uint64_t memory = bounds->limits[POLICY_LIMIT_MEMORY_BYTES].value;
    int r = hold_bytes(cgroup, "memory.limit_in_bytes", memory, err);

    number_text(memory, text);
    /* Only a kernel that accounts swap has this file; without it nothing of a group is swapped beyond its limit. */
    if (r == 0 && faccessat(cgroup->dir_fds[CAGE_MEMORY], "memory.memsw.limit_in_bytes", W_OK, 0) == 0)
        r = set_limit(cgroup, CAGE_MEMORY, "memory.memsw.limit_in_bytes", text, err);
    /* Socket buffers are in no group's count until they have a limit of their own; then they are in this one's. */
    if (r == 0 && bounds->network != POLICY_NETWORK_NONE)
        r = set_limit(cgroup, CAGE_MEMORY, "memory.kmem.tcp.limit_in_bytes", text, err);
    return r;
}

static int limit_v1(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err)
{
    int r = hold_processes(cgroup, bounds, err);

    if (r == 0 && limited(bounds, CAGE_MEMORY, POLICY_LIMIT_MEMORY_BYTES))
        r = limit_memory_v1(cgroup, bounds, err);
    if (r == 0 && limited(bounds, CAGE_CPU, POLICY_LIMIT_CPUS))
        r = hold_number(cgroup, CAGE_CPU, "cpu.cfs_quota_us", bounds->limits[POLICY_LIMIT_CPUS].value * CPU_PERIOD_US,
                        err);
    return r;
}

static int limit_memory_v2(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err)
{
    int r = hold_bytes(cgroup, "memory.max", bounds->limits[POLICY_LIMIT_MEMORY_BYTES].value, err);

    if (r == 0 && faccessat(cgroup->dir_fds[CAGE_PIDS], "memory.swap.max", W_OK, 0) == 0)
        r = set_limit(cgroup, CAGE_PIDS, "memory.swap.max", "0", err);
    return r < 0 ? r : set_limit(cgroup, CAGE_PIDS, "memory.oom.group", "1", err);
}

static int limit_v2(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err)
{
    char quota[40];
    int r = hold_processes(cgroup, bounds, err);

    if (r == 0 && limited(bounds, CAGE_MEMORY, POLICY_LIMIT_MEMORY_BYTES))
        r = limit_memory_v2(cgroup, bounds, err);
    if (r < 0 || !limited(bounds, CAGE_CPU, POLICY_LIMIT_CPUS))
        return r;
    (void)snprintf(quota, sizeof(quota), "%" PRIu64 " %u", bounds->limits[POLICY_LIMIT_CPUS].value * CPU_PERIOD_US,
                   CPU_PERIOD_US);
    return hold(cgroup, CAGE_CPU, "cpu.max", quota, quota, err);
}

int cage_cgroup_bound(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err)
{
    if (!cgroup->host)
        return 0;
    return cage_cgroup_is_v2(cgroup) ? limit_v2(cgroup, bounds, err) : limit_v1(cgroup, bounds, err);
}

int cage_cgroup_limit(struct cage_cgroup *cgroup, const struct cage_plan *plan, struct base_err *err)
{
    const struct policy *policy = plan->policy;

    if (!cgroup->host)
        return 0;
    return cage_cgroup_bound(cgroup, &(struct cage_bounds){policy->limits, plan->uses_cgroup, policy->network}, err);
}

void cage_cgroup_hurry(struct cage_cgroup *cgroup)
{
    bool v2 = cage_cgroup_is_v2(cgroup);
    int dir_fd = cgroup->dir_fds[v2 ? CAGE_PIDS : CAGE_CPU];

    cgroup->is_hurried = true;
    if (dir_fd >= 0) /* where it fails, the end comes later */
        (void)cage_cgroup_write(dir_fd, v2 ? "cpu.max" : "cpu.cfs_quota_us", v2 ? "max" : "-1");
}

/* --- making --- */

/* A group of this name is the rest of a dead owner: we hold the slot. */
static int make_group(const char *path, struct base_err *err)
{
    if (mkdir(path, 0755) == 0)
        return 0;
    if (errno == EEXIST) {
        int r = cage_cgroup_clear(path, true, CAGE_GROUP_PATIENCE_MS);
        if (r < 0)
            return base_err_sys(err, BASE_E_SETUP, -r, path, "an old control group cannot be removed");
        if (mkdir(path, 0755) == 0)
            return 0;
    }
    return base_err_sys(err, BASE_E_SETUP, errno, path, "the control group cannot be made");
}

static int open_group(const struct cage_cgroup *cgroup, int controller, int *ret_fd, struct base_err *err)
{
    bool is_second = controller == CAGE_PIDS && cgroup->is_second;
    char path[CAGE_GROUP_BYTES];
    int r;

    if (!cage_cgroup_path(cgroup->host, controller, &cgroup->slot, is_second, path))
        return base_err_set(err, BASE_E_SETUP, cgroup->host->cgroup_parents[controller], "is too long a path");
    r = make_group(path, err);
    if (r < 0)
        return r;
    *ret_fd = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (*ret_fd < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be opened");
    return 0;
}

static int make_v1(struct cage_cgroup *cgroup, struct base_err *err)
{
    int r = 0;

    for (int c = 0; c < CAGE_CONTROLLER_MAX && r == 0; c++)
        if (cage_cgroup_stands_alone(cgroup->host, c))
            r = open_group(cgroup, c, &cgroup->dir_fds[c], err);
    return r;
}

/* --- v1: the group of processes anew --- */

int cage_cgroup_turn(struct cage_cgroup *cgroup, const struct cage_bounds *bounds)
{
    int r;

    close_one(&cgroup->dir_fds[CAGE_PIDS]);
    close_one(&cgroup->held[CAGE_PIDS].fd);
    cage_cgroup_close_counters(cgroup, CAGE_PIDS);
    cgroup->is_second = !cgroup->is_second;
    r = open_group(cgroup, CAGE_PIDS, &cgroup->dir_fds[CAGE_PIDS], NULL);
    if (r < 0)
        return r;
    cage_cgroup_open_counters(cgroup, true);
    return hold_processes(cgroup, bounds, NULL);
}

int cage_cgroup_open_turn(const struct cage_cgroup *cgroup)
{
    int fd = openat(cgroup->dir_fds[CAGE_PIDS], "tasks", O_WRONLY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

int cage_cgroup_leave_turn(const struct cage_cgroup *cgroup)
{
    char path[CAGE_GROUP_BYTES];

    if (!cage_cgroup_path(cgroup->host, CAGE_PIDS, &cgroup->slot, !cgroup->is_second, path))
        return -ENAMETOOLONG;
    return cage_cgroup_clear(path, false, CAGE_GROUP_PATIENCE_MS);
}

/* --- v2 --- */

/* Keeper and zygote, which have an id of the slot's, make processes in the run's group: for that they must have the
 * right to move some, there and in the group above both. It is to these two files alone. */
static int let_keeper_in(const struct cage_cgroup *cgroup, int dir_fd)
{
    uid_t uid = cage_ids_of(cgroup->host, cgroup->slot.ids).first_user;

    if (!cgroup->is_kept || !cgroup->host->privileged)
        return 0;
    return fchownat(dir_fd, "cgroup.procs", uid, (gid_t)-1, 0) < 0 ? -errno : 0;
}

static int make_below(const struct cage_cgroup *cgroup, const char *name, int *ret_fd)
{
    if (mkdirat(cgroup->slot_fd, name, 0755) < 0)
        return -errno;
    *ret_fd = openat(cgroup->slot_fd, name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    return *ret_fd < 0 ? -errno : let_keeper_in(cgroup, *ret_fd);
}

static int make_slot_v2(struct cage_cgroup *cgroup, struct base_err *err)
{
    bool has_cpu = cgroup->host->controllers[CAGE_CPU];
    int r = open_group(cgroup, CAGE_PIDS, &cgroup->slot_fd, err);

    if (r < 0)
        return r;
    r = cage_cgroup_write(cgroup->slot_fd, "cgroup.subtree_control", has_cpu ? "+pids +memory +cpu" : "+pids +memory");
    return r < 0 ? refused("cgroup.subtree_control", "pids memory cpu", r, err) : 0;
}

static int make_v2(struct cage_cgroup *cgroup, struct base_err *err)
{
    AUTO_CLOSE int keeper_fd = -1;
    int r = make_slot_v2(cgroup, err);

    if (r < 0)
        return r;
    r = let_keeper_in(cgroup, cgroup->slot_fd);
    if (r == 0 && cgroup->is_kept)
        r = make_below(cgroup, CAGE_GROUP_KEEPER, &keeper_fd);
    if (r == 0)
        r = make_below(cgroup, CAGE_GROUP_RUN, &cgroup->dir_fds[CAGE_PIDS]);
    return r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "cgroup", "the groups of a slot cannot be made") : 0;
}

int cage_cgroup_renew(struct cage_cgroup *cgroup, const struct cage_bounds *bounds)
{
    int r;

    close_run(cgroup);
    r = cage_cgroup_clear_below(cgroup->slot_fd, CAGE_GROUP_RUN, CAGE_GROUP_PATIENCE_MS);
    if (r == 0)
        r = make_below(cgroup, CAGE_GROUP_RUN, &cgroup->dir_fds[CAGE_PIDS]);
    if (r < 0)
        return r;
    cage_cgroup_open_counters(cgroup, true);
    return cage_cgroup_bound(cgroup, bounds, NULL);
}

int cage_cgroup_birthplace(const struct cage_cgroup *cgroup)
{
    const char *name = cgroup->is_kept ? CAGE_GROUP_KEEPER : CAGE_GROUP_RUN;
    int fd;

    if (!cage_cgroup_is_v2(cgroup))
        return -1;
    fd = openat(cgroup->slot_fd, name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* --- both --- */

static int fill(struct cage_cgroup *cgroup, struct base_err *err)
{
    return cage_cgroup_is_v2(cgroup) ? make_v2(cgroup, err) : make_v1(cgroup, err);
}

int cage_cgroup_create(const struct cage_host *host, const struct cage_slot *slot, bool is_kept,
                       struct cage_cgroup *ret_cgroup, struct base_err *err)
{
    struct cage_cgroup cgroup = CAGE_CGROUP_NONE;
    int r;

    *ret_cgroup = cgroup;
    if (host->manager == CAGE_MANAGER_NONE)
        return 0;
    cgroup.host = host;
    cgroup.slot = *slot;
    cgroup.is_kept = is_kept;
    cgroup.own = 1; /* the cage's first process */
    r = cage_cgroup_note(host, slot);
    r = r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "slot", "cannot take a note") : fill(&cgroup, err);
    if (r < 0) {
        (void)cage_cgroup_remove(&cgroup); /* the failure to report is the first one */
        return r;
    }
    *ret_cgroup = cgroup;
    return 0;
}

int cage_cgroup_open_tasks(const struct cage_cgroup *cgroup, int ret_fds[CAGE_CONTROLLER_MAX])
{
    int count = 0;

    if (!cgroup->host || cgroup->host->manager != CAGE_MANAGER_V1)
        return 0;
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        if (cgroup->dir_fds[c] < 0)
            continue;
        ret_fds[count] = openat(cgroup->dir_fds[c], "tasks", O_WRONLY | O_CLOEXEC);
        if (ret_fds[count] < 0) {
            int r = -errno;
            close_all(ret_fds, (size_t)count);
            return r;
        }
        count++;
    }
    return count;
}
