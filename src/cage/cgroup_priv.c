/* cgroup_priv.c - control groups of one cage: v1, v2 and none behind one interface
 *
 * Runs in: the supervisor, with its rights. Touches only groups named fumehood-... below the parents that host.c found.
 *
 * Theory of operation: on v1 each controller has a hierarchy of its own, and the cage's first process writes itself
 * into each `tasks` (moving another process is a hundred times slower). On v2 the process is born in the group. Where
 * the groups are is noted in the slot's lock file before the first is made.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cage/child.h"
#include "cage/slot.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define GROUP_PREFIX  "fumehood-"
#define CPU_PERIOD_US 100000u
#define REMOVE_MS     2000

static int write_value(int dir_fd, const char *file, const char *value)
{
    AUTO_CLOSE int fd = openat(dir_fd, file, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    return write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        base_cleanup_close(&fds[i]);
        fds[i] = -1;
    }
}

static bool is_v2(const struct cage_cgroup *cgroup)
{
    return cgroup->host && cgroup->host->manager == CAGE_MANAGER_V2;
}

/* --- removing --- */

static void kill_members(const char *group)
{
    char path[CAGE_PATH_BYTES + 64];
    AUTO_CLOSE int dir_fd = open(group, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    AUTO_FCLOSE FILE *procs = NULL;
    int pid;

    if (dir_fd < 0 || write_value(dir_fd, "cgroup.kill", "1") == 0)
        return;
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", group);
    procs = fopen(path, "re");
    while (procs && fscanf(procs, "%d", &pid) == 1)
        if (pid > 0)
            (void)kill(pid, SIGKILL); /* gone already is as good */
}

/* A group can be removed once its last process is reaped; the kernel may need a moment after that. */
static int remove_group(const char *group, bool kill_first, unsigned patience_ms)
{
    const char *name = strrchr(group, '/');
    uint64_t deadline_us = base_clock_us() + patience_ms * 1000;

    /* Whatever a note says: nothing is killed or removed that does not carry our name. */
    if (!name || strncmp(name + 1, GROUP_PREFIX, strlen(GROUP_PREFIX)) != 0)
        return 0;
    while (rmdir(group) < 0) {
        if (errno == ENOENT)
            return 0;
        if (errno != EBUSY || base_clock_us() > deadline_us)
            return -errno;
        if (kill_first)
            kill_members(group);
        base_clock_sleep_ms(1);
    }
    return 0;
}

static bool group_path(const struct cage_host *host, int controller, const struct cage_slot *slot, char *path,
                       size_t path_bytes)
{
    int length = snprintf(path, path_bytes, "%s/" GROUP_PREFIX "%u", host->cgroup_parents[controller], slot->number);

    if (slot->home && length > 0 && (size_t)length < path_bytes)
        length += snprintf(path + length, path_bytes - (size_t)length, "-%08x", slot->home);
    return length > 0 && (size_t)length < path_bytes;
}

/* v2 has one hierarchy for everything, which stands under PIDS. */
static bool has_own_directory(const struct cage_host *host, int controller)
{
    return host->controllers[controller] && (host->manager == CAGE_MANAGER_V1 || controller == CAGE_PIDS);
}

static unsigned remove_slot(const struct cage_host *host, const struct cage_slot *slot)
{
    unsigned left = 0;

    for (int c = CAGE_CONTROLLER_MAX - 1; c >= 0; c--) {
        char path[CAGE_PATH_BYTES + 32];
        if (has_own_directory(host, c) && group_path(host, c, slot, path, sizeof(path)) &&
            remove_group(path, false, REMOVE_MS) < 0)
            left++;
    }
    return left;
}

void cage_cgroup_close(struct cage_cgroup *cgroup)
{
    close_all(cgroup->dir_fds, CAGE_CONTROLLER_MAX);
    close_all(cgroup->counter_fds, CAGE_COUNTER_MAX);
}

unsigned cage_cgroup_remove(struct cage_cgroup *cgroup)
{
    const struct cage_host *host = cgroup->host;

    cage_cgroup_close(cgroup);
    cgroup->host = NULL;
    return host ? remove_slot(host, &cgroup->slot) : 0;
}

/* The groups of a slot, in the order of making, one a line. */
static int describe_groups(const struct cage_host *host, const struct cage_slot *slot, char note[CAGE_NOTE_BYTES])
{
    size_t length = 0;

    note[0] = 0;
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        if (!has_own_directory(host, c))
            continue;
        if (!group_path(host, c, slot, note + length, CAGE_NOTE_BYTES - length - 1))
            return -ENAMETOOLONG;
        length += strlen(note + length);
        note[length++] = '\n';
        note[length] = 0;
    }
    return 0;
}

static bool clear_noted(int lock_fd, unsigned patience_ms)
{
    char note[CAGE_NOTE_BYTES];
    bool all = true;

    if (cage_slot_note_read(lock_fd, note) == 0)
        return true;
    for (char *line, *rest = note; (line = strsep(&rest, "\n")) && *line;)
        if (remove_group(line, true, patience_ms) < 0)
            all = false;
    if (all)
        (void)cage_slot_note_wipe(lock_fd); /* what stays is met again at the next start */
    return all;
}

/* The note stays when the groups are gone: the next run of this slot mostly needs the same one. An older one that
 * differs is cleared first; groups where the new ones will be are met when those are made. */
static int note_groups(const struct cage_host *host, const struct cage_slot *slot)
{
    char wanted[CAGE_NOTE_BYTES], found[CAGE_NOTE_BYTES];
    int r = describe_groups(host, slot, wanted);

    if (r < 0)
        return r;
    (void)cage_slot_note_read(slot->lock_fd, found);
    if (strcmp(found, wanted) == 0)
        return 0;
    (void)clear_noted(slot->lock_fd, REMOVE_MS);
    return cage_slot_note_write(slot->lock_fd, wanted);
}

unsigned cage_cgroup_reconcile(bool patient)
{
    return cage_slot_each_dead(clear_noted, patient ? REMOVE_MS : 0);
}

/* --- making --- */

static int set_limit(const struct cage_cgroup *cgroup, int controller, const char *file, const char *value,
                     struct base_err *err)
{
    int r = write_value(cgroup->dir_fds[controller], file, value);

    if (r < 0)
        return base_err_sys(err, BASE_E_SETUP, -r, file, "the control group does not take \"%s\"", value);
    return 0;
}

static int set_number(const struct cage_cgroup *cgroup, int controller, const char *file, uint64_t value,
                      struct base_err *err)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    return set_limit(cgroup, controller, file, text, err);
}

static const struct policy_limit *limit_of(const struct cage_plan *plan, enum policy_limit_key key)
{
    return &plan->policy->limits[key];
}

static bool limited(const struct cage_plan *plan, enum cage_controller controller, enum policy_limit_key key)
{
    return plan->uses_cgroup[controller] && !limit_of(plan, key)->unlimited;
}

/* Those that are ours count too. */
static uint64_t process_limit(const struct cage_cgroup *cgroup, const struct cage_plan *plan)
{
    return limit_of(plan, POLICY_LIMIT_PROCESSES)->value + cgroup->own;
}

static int limit_v1(const struct cage_cgroup *cgroup, const struct cage_plan *plan, struct base_err *err)
{
    uint64_t memory = limit_of(plan, POLICY_LIMIT_MEMORY_BYTES)->value;
    int r = 0;

    if (limited(plan, CAGE_PIDS, POLICY_LIMIT_PROCESSES))
        r = set_number(cgroup, CAGE_PIDS, "pids.max", process_limit(cgroup, plan), err);
    if (r == 0 && limited(plan, CAGE_MEMORY, POLICY_LIMIT_MEMORY_BYTES)) {
        r = set_number(cgroup, CAGE_MEMORY, "memory.limit_in_bytes", memory, err);
        /* Only a kernel that accounts swap has this file; without it nothing of a group is swapped beyond its limit. */
        if (r == 0 && faccessat(cgroup->dir_fds[CAGE_MEMORY], "memory.memsw.limit_in_bytes", W_OK, 0) == 0)
            r = set_number(cgroup, CAGE_MEMORY, "memory.memsw.limit_in_bytes", memory, err);
        /* Socket buffers are in no group's count until they have a limit of their own; then they are in this one's. */
        if (r == 0 && plan->policy->network != POLICY_NETWORK_NONE)
            r = set_number(cgroup, CAGE_MEMORY, "memory.kmem.tcp.limit_in_bytes", memory, err);
    }
    if (r == 0 && limited(plan, CAGE_CPU, POLICY_LIMIT_CPUS))
        r = set_number(cgroup, CAGE_CPU, "cpu.cfs_quota_us", limit_of(plan, POLICY_LIMIT_CPUS)->value * CPU_PERIOD_US,
                       err);
    return r;
}

static int limit_v2(const struct cage_cgroup *cgroup, const struct cage_plan *plan, struct base_err *err)
{
    char quota[64];
    int r = 0;

    if (limited(plan, CAGE_PIDS, POLICY_LIMIT_PROCESSES))
        r = set_number(cgroup, CAGE_PIDS, "pids.max", process_limit(cgroup, plan), err);
    if (r == 0 && limited(plan, CAGE_MEMORY, POLICY_LIMIT_MEMORY_BYTES)) {
        r = set_number(cgroup, CAGE_PIDS, "memory.max", limit_of(plan, POLICY_LIMIT_MEMORY_BYTES)->value, err);
        if (r == 0 && faccessat(cgroup->dir_fds[CAGE_PIDS], "memory.swap.max", W_OK, 0) == 0)
            r = set_limit(cgroup, CAGE_PIDS, "memory.swap.max", "0", err);
        if (r == 0)
            r = set_limit(cgroup, CAGE_PIDS, "memory.oom.group", "1", err);
    }
    if (r == 0 && limited(plan, CAGE_CPU, POLICY_LIMIT_CPUS)) {
        (void)snprintf(quota, sizeof(quota), "%" PRIu64 " %u", limit_of(plan, POLICY_LIMIT_CPUS)->value * CPU_PERIOD_US,
                       CPU_PERIOD_US);
        r = set_limit(cgroup, CAGE_PIDS, "cpu.max", quota, err);
    }
    return r;
}

/* A v2 group may hold processes or hand out controllers, not both: when our own group is the parent, we step aside into
 * a leaf of it first. */
static int enable_v2(const struct cage_host *host, struct base_err *err)
{
    const char *parent = host->cgroup_parents[CAGE_PIDS];
    AUTO_CLOSE int fd = open(parent, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    const char *wanted = host->controllers[CAGE_CPU] ? "+pids +memory +cpu" : "+pids +memory";
    int r;

    if (fd < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, parent, "cannot be opened");
    r = write_value(fd, "cgroup.subtree_control", wanted);
    if (r == -EBUSY) {
        AUTO_CLOSE int leaf_fd = -1;
        if (mkdirat(fd, "fumehood.supervisor", 0755) < 0 && errno != EEXIST)
            return base_err_sys(err, BASE_E_SETUP, errno, parent, "takes no group for the supervisor");
        leaf_fd = openat(fd, "fumehood.supervisor", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
        if (leaf_fd < 0 || (r = write_value(leaf_fd, "cgroup.procs", "0")) < 0)
            return base_err_sys(err, BASE_E_SETUP, leaf_fd < 0 ? errno : -r, parent,
                                "cannot move the supervisor aside");
        r = write_value(fd, "cgroup.subtree_control", wanted);
    }
    if (r < 0) {
        (void)base_err_sys(err, BASE_E_SETUP, -r, parent, "does not hand out the controllers memory and pids");
        return base_err_remedy(err, "start fumehood in a delegated group of its own: systemd-run --user --scope -p "
                                    "Delegate=yes fumehood ...");
    }
    return 0;
}

/* A group of this name is the rest of a dead owner: we hold the slot. */
static int make_group(const char *path, struct base_err *err)
{
    if (mkdir(path, 0755) == 0)
        return 0;
    if (errno == EEXIST) {
        int r = remove_group(path, true, REMOVE_MS);
        if (r < 0)
            return base_err_sys(err, BASE_E_SETUP, -r, path, "an old control group cannot be removed");
        if (mkdir(path, 0755) == 0)
            return 0;
    }
    return base_err_sys(err, BASE_E_SETUP, errno, path, "the control group cannot be made");
}

static int open_group(struct cage_cgroup *cgroup, int controller, struct base_err *err)
{
    char path[CAGE_PATH_BYTES + 32];
    int r;

    if (!group_path(cgroup->host, controller, &cgroup->slot, path, sizeof(path)))
        return base_err_set(err, BASE_E_SETUP, cgroup->host->cgroup_parents[controller], "is too long a path");
    r = make_group(path, err);
    if (r < 0)
        return r;
    cgroup->dir_fds[controller] = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (cgroup->dir_fds[controller] < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be opened");
    return 0;
}

static int fill(struct cage_cgroup *cgroup, struct base_err *err)
{
    int r = cgroup->host->manager == CAGE_MANAGER_V1 ? 0 : enable_v2(cgroup->host, err);

    for (int c = 0; c < CAGE_CONTROLLER_MAX && r == 0; c++)
        if (has_own_directory(cgroup->host, c))
            r = open_group(cgroup, c, err);
    return r;
}

int cage_cgroup_create(const struct cage_host *host, const struct cage_slot *slot, struct cage_cgroup *ret_cgroup,
                       struct base_err *err)
{
    struct cage_cgroup cgroup = CAGE_CGROUP_NONE;
    int r;

    *ret_cgroup = cgroup;
    if (host->manager == CAGE_MANAGER_NONE)
        return 0;
    cgroup.host = host;
    cgroup.slot = *slot;
    cgroup.own = 1; /* the cage's first process */
    r = note_groups(host, slot);
    r = r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "slot", "cannot take a note") : fill(&cgroup, err);
    if (r < 0) {
        (void)cage_cgroup_remove(&cgroup); /* the failure to report is the first one */
        return r;
    }
    *ret_cgroup = cgroup;
    return 0;
}

int cage_cgroup_limit(const struct cage_cgroup *cgroup, const struct cage_plan *plan, struct base_err *err)
{
    if (!cgroup->host)
        return 0;
    return cgroup->host->manager == CAGE_MANAGER_V1 ? limit_v1(cgroup, plan, err) : limit_v2(cgroup, plan, err);
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

void cage_cgroup_hurry(struct cage_cgroup *cgroup)
{
    bool v2 = is_v2(cgroup);
    int dir_fd = cgroup->dir_fds[v2 ? CAGE_PIDS : CAGE_CPU];

    cgroup->is_hurried = true;
    if (dir_fd >= 0) /* where it fails, the end comes later */
        (void)write_value(dir_fd, v2 ? "cpu.max" : "cpu.cfs_quota_us", v2 ? "max" : "-1");
}

/* --- counting --- */

static const struct {
    enum cage_controller controller; /* v1: whose folder */
    const char *file, *key;          /* v1: the number in the file; with a key: after it, in lines of "key number" */
    const char *v2_file, *v2_key;
} counters[CAGE_COUNTER_MAX] = {
    [CAGE_COUNTER_CPU] = {CAGE_CPUACCT, "cpuacct.usage", NULL, "cpu.stat", "usage_usec"},
    [CAGE_COUNTER_MEMORY_PEAK] = {CAGE_MEMORY, "memory.max_usage_in_bytes", NULL, "memory.peak", NULL},
    [CAGE_COUNTER_OOM_KILLS] = {CAGE_MEMORY, "memory.oom_control", "oom_kill", "memory.events", "oom_kill"},
    [CAGE_COUNTER_PROCESSES_PEAK] = {CAGE_PIDS, "pids.peak", NULL, "pids.peak", NULL},
    [CAGE_COUNTER_PROCESS_REFUSALS] = {CAGE_PIDS, "pids.events", "max", "pids.events", "max"},
    [CAGE_COUNTER_PROCESSES] = {CAGE_PIDS, "pids.current", NULL, "pids.current", NULL},
    [CAGE_COUNTER_CHARGE] = {CAGE_MEMORY, "memory.usage_in_bytes", NULL, "memory.current", NULL},
};

/* The peak of memory can be written to, mostly, which sets it back. */
static int open_counter(int dir_fd, enum cage_counter counter, const char *file)
{
    int fd = counter == CAGE_COUNTER_MEMORY_PEAK ? openat(dir_fd, file, O_RDWR | O_CLOEXEC) : -1;

    return fd < 0 ? openat(dir_fd, file, O_RDONLY | O_CLOEXEC) : fd;
}

void cage_cgroup_open_counters(struct cage_cgroup *cgroup, bool many_runs)
{
    bool v2 = is_v2(cgroup);

    for (int i = 0; i < (many_runs ? CAGE_COUNTER_MAX : CAGE_COUNTER_OF_RUN_MAX); i++) {
        int dir_fd = cgroup->dir_fds[v2 ? CAGE_PIDS : counters[i].controller];
        if (dir_fd >= 0)
            cgroup->counter_fds[i] =
                open_counter(dir_fd, (enum cage_counter)i, v2 ? counters[i].v2_file : counters[i].file);
    }
}

static uint64_t parse_counter(char *text, const char *key)
{
    size_t length = key ? strlen(key) : 0;
    uint64_t value;

    for (char *line, *rest = text; (line = strsep(&rest, "\n"));)
        if ((!key || (strncmp(line, key, length) == 0 && line[length] == ' ')) &&
            sscanf(line + length, "%" SCNu64, &value) == 1)
            return value;
    return UINT64_MAX;
}

static uint64_t read_counter(const struct cage_cgroup *cgroup, enum cage_counter counter)
{
    char text[1024];
    int fd = cgroup->counter_fds[counter];
    ssize_t count = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

    if (count < 0)
        return UINT64_MAX;
    text[count] = 0;
    return parse_counter(text, is_v2(cgroup) ? counters[counter].v2_key : counters[counter].key);
}

/* Groups that serve many runs go on counting. */
static uint64_t counted_since(const struct cage_cgroup *cgroup, enum cage_counter counter)
{
    uint64_t value = read_counter(cgroup, counter);

    return value == UINT64_MAX ? value : value - cgroup->counted[counter];
}

void cage_cgroup_count_from_here(struct cage_cgroup *cgroup)
{
    static const enum cage_counter growing[] = {CAGE_COUNTER_CPU, CAGE_COUNTER_OOM_KILLS,
                                                CAGE_COUNTER_PROCESS_REFUSALS};

    for (size_t i = 0; i < ARRAY_COUNT(growing); i++) {
        uint64_t value = read_counter(cgroup, growing[i]);
        cgroup->counted[growing[i]] = value == UINT64_MAX ? 0 : value;
    }
}

uint64_t cage_cgroup_cpu_us(const struct cage_cgroup *cgroup)
{
    uint64_t value = counted_since(cgroup, CAGE_COUNTER_CPU);

    return is_v2(cgroup) || value == UINT64_MAX ? value : value / 1000; /* v1 counts nanoseconds */
}

uint64_t cage_cgroup_oom_kills(const struct cage_cgroup *cgroup)
{
    return counted_since(cgroup, CAGE_COUNTER_OOM_KILLS);
}

uint64_t cage_cgroup_process_refusals(const struct cage_cgroup *cgroup)
{
    return counted_since(cgroup, CAGE_COUNTER_PROCESS_REFUSALS);
}

void cage_cgroup_read(const struct cage_cgroup *cgroup, struct cage_counters *ret_counters)
{
    uint64_t peak = read_counter(cgroup, CAGE_COUNTER_PROCESSES_PEAK);

    *ret_counters = (struct cage_counters){
        .cpu_us = cage_cgroup_cpu_us(cgroup),
        .memory_peak_bytes = read_counter(cgroup, CAGE_COUNTER_MEMORY_PEAK),
        .oom_kills = cage_cgroup_oom_kills(cgroup),
        .processes_peak = peak == UINT64_MAX || peak < cgroup->own ? peak : peak - cgroup->own,
        .process_refusals = cage_cgroup_process_refusals(cgroup),
    };
}

/* --- between two runs of the same groups --- */

uint64_t cage_cgroup_processes(const struct cage_cgroup *cgroup)
{
    return read_counter(cgroup, CAGE_COUNTER_PROCESSES);
}

uint64_t cage_cgroup_charge_bytes(const struct cage_cgroup *cgroup)
{
    return read_counter(cgroup, CAGE_COUNTER_CHARGE);
}

/* The kernel has no way to set back the peak of processes, and of memory only new ones on v2. */
bool cage_cgroup_reset_peaks(const struct cage_cgroup *cgroup)
{
    uint64_t processes = read_counter(cgroup, CAGE_COUNTER_PROCESSES_PEAK);
    int memory_fd = cgroup->counter_fds[CAGE_COUNTER_MEMORY_PEAK];

    if (processes != UINT64_MAX && processes > cgroup->own + 1)
        return false;
    return memory_fd < 0 || pwrite(memory_fd, "0", 1, 0) == 1;
}
