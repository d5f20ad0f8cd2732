/* cgroup_count_priv.c - what the kernel has counted for a run, and whether what limited it still does
 *
 * Runs in: the supervisor. Changes nothing but a peak, which is set back.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/cgroup.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- one number --- */

#define PEAK_WITH_SWAP "memory.memsw.max_usage_in_bytes"

static const struct {
    enum cage_controller controller; /* v1: whose folder */
    const char *file, *key;          /* v1: the number in the file; with a key: after it, in lines of "key number" */
    const char *v2_file, *v2_key;    /* a file NULL: there is none */
} counters[CAGE_COUNTER_MAX] = {
    [CAGE_COUNTER_CPU] = {CAGE_CPUACCT, "cpuacct.usage", NULL, "cpu.stat", "usage_usec"},
    [CAGE_COUNTER_MEMORY_PEAK] = {CAGE_MEMORY, "memory.max_usage_in_bytes", NULL, "memory.peak", NULL},
    [CAGE_COUNTER_OOM_KILLS] = {CAGE_MEMORY, "memory.oom_control", "oom_kill", "memory.events", "oom_kill"},
    [CAGE_COUNTER_OOM_EVENTS] = {CAGE_MEMORY, NULL, NULL, "memory.events", "oom"},
    [CAGE_COUNTER_PROCESSES_PEAK] = {CAGE_PIDS, "pids.peak", NULL, "pids.peak", NULL},
    [CAGE_COUNTER_PROCESS_REFUSALS] = {CAGE_PIDS, "pids.events", "max", "pids.events", "max"},
    [CAGE_COUNTER_PROCESSES] = {CAGE_PIDS, "pids.current", NULL, "pids.current", NULL},
    [CAGE_COUNTER_CHARGE] = {CAGE_MEMORY, "memory.usage_in_bytes", NULL, "memory.current", NULL},
    [CAGE_COUNTER_SWAP_PEAK] = {CAGE_MEMORY, PEAK_WITH_SWAP, NULL, NULL, NULL},
};

/* Peaks of memory can be written to, mostly, which sets them back. */
static int open_counter(int dir_fd, enum cage_counter counter, const char *file)
{
    bool is_peak = counter == CAGE_COUNTER_MEMORY_PEAK || counter == CAGE_COUNTER_SWAP_PEAK;
    int fd = is_peak ? openat(dir_fd, file, O_RDWR | O_CLOEXEC) : -1;

    return fd < 0 ? openat(dir_fd, file, O_RDONLY | O_CLOEXEC) : fd;
}

void cage_cgroup_open_counters(struct cage_cgroup *cgroup, bool many_runs)
{
    bool v2 = cage_cgroup_is_v2(cgroup);

    for (int i = 0; i < (many_runs ? CAGE_COUNTER_MAX : CAGE_COUNTER_OF_RUN_MAX); i++) {
        int dir_fd = cgroup->dir_fds[v2 ? CAGE_PIDS : counters[i].controller];
        const char *file = v2 ? counters[i].v2_file : counters[i].file;
        if (dir_fd >= 0 && file && cgroup->counter_fds[i] < 0)
            cgroup->counter_fds[i] = open_counter(dir_fd, (enum cage_counter)i, file);
    }
}

void cage_cgroup_close_counters(struct cage_cgroup *cgroup, enum cage_controller controller)
{
    for (int i = 0; i < CAGE_COUNTER_MAX; i++)
        if (counters[i].controller == controller) {
            base_cleanup_close(&cgroup->counter_fds[i]);
            cgroup->counter_fds[i] = -1;
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
    return parse_counter(text, cage_cgroup_is_v2(cgroup) ? counters[counter].v2_key : counters[counter].key);
}

/* --- of one run --- */

/* Groups that serve many runs go on counting. */
static uint64_t counted_since(const struct cage_cgroup *cgroup, enum cage_counter counter)
{
    uint64_t value = read_counter(cgroup, counter);

    return value == UINT64_MAX ? value : value - cgroup->counted[counter];
}

void cage_cgroup_count_from_here(struct cage_cgroup *cgroup)
{
    static const enum cage_counter growing[] = {CAGE_COUNTER_CPU, CAGE_COUNTER_OOM_KILLS, CAGE_COUNTER_OOM_EVENTS,
                                                CAGE_COUNTER_PROCESS_REFUSALS};

    for (size_t i = 0; i < ARRAY_COUNT(growing); i++) {
        uint64_t value = read_counter(cgroup, growing[i]);
        cgroup->counted[growing[i]] = value == UINT64_MAX ? 0 : value;
    }
}

uint64_t cage_cgroup_cpu_us(const struct cage_cgroup *cgroup)
{
    uint64_t value = counted_since(cgroup, CAGE_COUNTER_CPU);

    return cage_cgroup_is_v2(cgroup) || value == UINT64_MAX ? value : value / 1000; /* v1 counts nanoseconds */
}

/* Where the group was never at its own limit, it was the memory of what is around it that ran out. v1 counts no such
 * events (its failcnt is 0 on new kernels): there its peak tells, up to what is asked for at once. Without a peak, it
 * was its own. */
#define ASKED_AT_ONCE_BYTES (1u << 16)

static bool reached_memory(const struct cage_cgroup *cgroup, uint64_t peak)
{
    const struct cage_held *held = &cgroup->held[CAGE_MEMORY];

    return held->fd >= 0 && peak + ASKED_AT_ONCE_BYTES >= held->value;
}

/* v1 limits memory and swap together, and a guest may have its memory swapped out: then this alone was at the limit.
 * Asked for only where somebody was killed. */
static bool reached_with_swap(const struct cage_cgroup *cgroup)
{
    char text[32];

    return base_file_read_start(cgroup->dir_fds[CAGE_MEMORY], PEAK_WITH_SWAP, text, sizeof(text)) >= 0 &&
           reached_memory(cgroup, parse_counter(text, NULL));
}

static bool met_own_memory(const struct cage_cgroup *cgroup)
{
    uint64_t peak = read_counter(cgroup, CAGE_COUNTER_MEMORY_PEAK);

    if (cage_cgroup_is_v2(cgroup))
        return counted_since(cgroup, CAGE_COUNTER_OOM_EVENTS) > 0; /* also where it is unknown */
    return peak == UINT64_MAX || reached_memory(cgroup, peak) || reached_with_swap(cgroup);
}

/* A limit above ours refuses processes that we would have had room for. Kernels before 6.11, and v1 on all, count that
 * here too; others do not, and then it cannot be seen. Without a peak, all are ours. */
static bool met_own_processes(const struct cage_cgroup *cgroup)
{
    uint64_t peak = read_counter(cgroup, CAGE_COUNTER_PROCESSES_PEAK);
    const struct cage_held *held = &cgroup->held[CAGE_PIDS];

    return peak == UINT64_MAX || (held->fd >= 0 && peak >= held->value);
}

struct cage_refusals cage_cgroup_refusals(const struct cage_cgroup *cgroup)
{
    struct cage_refusals refusals = {.oom_kills = counted_since(cgroup, CAGE_COUNTER_OOM_KILLS),
                                     .processes = counted_since(cgroup, CAGE_COUNTER_PROCESS_REFUSALS)};

    if (refusals.oom_kills != UINT64_MAX && refusals.oom_kills > 0 && !met_own_memory(cgroup)) {
        refusals.is_outer_memory = true;
        refusals.oom_kills = 0;
    }
    if (refusals.processes != UINT64_MAX && refusals.processes > 0 && !met_own_processes(cgroup)) {
        refusals.is_outer_processes = true;
        refusals.processes = 0;
    }
    return refusals;
}

void cage_cgroup_read(const struct cage_cgroup *cgroup, struct cage_counters *ret_counters)
{
    uint64_t peak = read_counter(cgroup, CAGE_COUNTER_PROCESSES_PEAK);

    *ret_counters = (struct cage_counters){
        .cpu_us = cage_cgroup_cpu_us(cgroup),
        .memory_peak_bytes = read_counter(cgroup, CAGE_COUNTER_MEMORY_PEAK),
        .processes_peak = peak == UINT64_MAX || peak < cgroup->own ? peak : peak - cgroup->own,
        .refusals = cage_cgroup_refusals(cgroup),
    };
}

/* --- what limited it --- */

/* Files of a controller that was taken away can never be read again, though it may have come back. */
static bool is_held(const struct cage_held *held)
{
    char text[64];
    ssize_t count = pread(held->fd, text, sizeof(text) - 1, 0);

    if (count < 0)
        return false;
    text[count] = 0;
    text[strcspn(text, "\n")] = 0;
    return strcmp(text, held->text) == 0;
}

enum cage_controller cage_cgroup_taken(const struct cage_cgroup *cgroup)
{
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (cgroup->held[c].fd >= 0 && !(c == CAGE_CPU && cgroup->is_hurried) && !is_held(&cgroup->held[c]))
            return (enum cage_controller)c;
    return CAGE_CONTROLLER_MAX;
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

bool cage_cgroup_has_peak(const struct cage_cgroup *cgroup)
{
    uint64_t processes = read_counter(cgroup, CAGE_COUNTER_PROCESSES_PEAK);

    return processes != UINT64_MAX && processes > cgroup->own + 1;
}

/* What the kernel does not count needs none; what could not be kept open is asked for once more. */
static bool set_back(const struct cage_cgroup *cgroup, enum cage_counter counter)
{
    int fd = cgroup->counter_fds[counter];
    int dir_fd = cgroup->dir_fds[counters[counter].controller];

    if (fd >= 0)
        return pwrite(fd, "0", 1, 0) == 1;
    return dir_fd < 0 || cage_cgroup_write(dir_fd, counters[counter].file, "0") == -ENOENT;
}

bool cage_cgroup_reset_memory(const struct cage_cgroup *cgroup)
{
    return set_back(cgroup, CAGE_COUNTER_SWAP_PEAK) && set_back(cgroup, CAGE_COUNTER_MEMORY_PEAK);
}
