/* cgroup_left_priv.c - control groups are removed: our own at the end of a slot, and what killed owners left
 *
 * Runs in: the supervisor, with its rights. Kills and removes only what carries our name. Where groups are is noted in
 * the slot's lock file before the first is made: whoever starts next, from whichever group, finds them.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "cage/cgroup.h"
#include "cage/slot.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const below[] = {CAGE_GROUP_RUN, CAGE_GROUP_KEEPER};

bool cage_cgroup_path(const struct cage_host *host, int controller, const struct cage_slot *slot, bool is_second,
                      char path[CAGE_GROUP_BYTES])
{
    int length =
        snprintf(path, CAGE_GROUP_BYTES, "%s/" CAGE_GROUP_PREFIX "%u", host->cgroup_parents[controller], slot->number);

    if (slot->home && length > 0 && length < CAGE_GROUP_BYTES)
        length += snprintf(path + length, CAGE_GROUP_BYTES - (size_t)length, "-%08x", slot->home);
    if (is_second && length > 0 && length < CAGE_GROUP_BYTES)
        length += snprintf(path + length, CAGE_GROUP_BYTES - (size_t)length, CAGE_GROUP_SECOND);
    return length > 0 && length < CAGE_GROUP_BYTES;
}

/* --- killing --- */

static void kill_listed(int dir_fd)
{
    AUTO_CLOSE int fd = openat(dir_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    AUTO_FCLOSE FILE *procs = fd < 0 ? NULL : fdopen(fd, "r");
    int pid;

    if (procs)
        fd = -1; /* it is the stream's */
    while (procs && fscanf(procs, "%d", &pid) == 1)
        if (pid > 0)
            (void)kill(pid, SIGKILL); /* gone already is as good */
}

/* Before Linux 5.14, and on v1, each by itself. */
static void kill_members(const char *group)
{
    AUTO_CLOSE int dir_fd = open(group, O_DIRECTORY | O_RDONLY | O_CLOEXEC);

    if (dir_fd < 0 || cage_cgroup_write(dir_fd, "cgroup.kill", "1") == 0)
        return;
    kill_listed(dir_fd);
    for (size_t i = 0; i < ARRAY_COUNT(below); i++) {
        AUTO_CLOSE int below_fd = openat(dir_fd, below[i], O_DIRECTORY | O_RDONLY | O_CLOEXEC);
        if (below_fd >= 0)
            kill_listed(below_fd);
    }
}

/* --- removing --- */

int cage_cgroup_clear_below(int dir_fd, const char *name, unsigned patience_ms)
{
    uint64_t deadline_us = base_clock_us() + patience_ms * UINT64_C(1000);

    while (unlinkat(dir_fd, name, AT_REMOVEDIR) < 0) {
        if (errno == ENOENT)
            return 0;
        if (errno != EBUSY || base_clock_us() > deadline_us)
            return -errno;
        base_clock_sleep_ms(1);
    }
    return 0;
}

/* Or it is gone already. */
static bool is_removed(const char *group)
{
    return rmdir(group) == 0 || errno == ENOENT;
}

static void remove_below(const char *group)
{
    AUTO_CLOSE int dir_fd = open(group, O_DIRECTORY | O_RDONLY | O_CLOEXEC);

    for (size_t i = 0; dir_fd >= 0 && i < ARRAY_COUNT(below); i++)
        (void)unlinkat(dir_fd, below[i], AT_REMOVEDIR); /* what stays keeps the group, too */
}

int cage_cgroup_clear(const char *group, bool kill_first, unsigned patience_ms)
{
    const char *name = strrchr(group, '/');
    uint64_t deadline_us = base_clock_us() + patience_ms * UINT64_C(1000);

    /* Whatever a note says: nothing is killed or removed that does not carry our name. */
    if (!name || strncmp(name + 1, CAGE_GROUP_PREFIX, strlen(CAGE_GROUP_PREFIX)) != 0)
        return 0;
    while (!is_removed(group)) {
        if (errno == EBUSY) {
            remove_below(group);
            if (is_removed(group))
                return 0;
        }
        if (errno != EBUSY || base_clock_us() > deadline_us)
            return -errno;
        if (kill_first)
            kill_members(group);
        base_clock_sleep_ms(1);
    }
    return 0;
}

/* How many are still there: the group itself, and those below it. */
static unsigned count_left(const char *group)
{
    AUTO_CLOSE int dir_fd = open(group, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    unsigned left = 1;

    for (size_t i = 0; dir_fd >= 0 && i < ARRAY_COUNT(below); i++)
        left += faccessat(dir_fd, below[i], F_OK, 0) == 0;
    return left;
}

/* How many names the group of @controller may have. */
static int name_count(const struct cage_host *host, int controller)
{
    return host->manager == CAGE_MANAGER_V1 && controller == CAGE_PIDS ? 2 : 1;
}

static unsigned remove_group(const struct cage_host *host, const struct cage_slot *slot, int controller)
{
    unsigned left = 0;

    for (int i = 0; i < name_count(host, controller); i++) {
        char path[CAGE_GROUP_BYTES];
        if (cage_cgroup_path(host, controller, slot, i == 1, path) &&
            cage_cgroup_clear(path, false, CAGE_GROUP_PATIENCE_MS) < 0)
            left += count_left(path);
    }
    return left;
}

static unsigned remove_slot(const struct cage_host *host, const struct cage_slot *slot)
{
    unsigned left = 0;

    for (int c = CAGE_CONTROLLER_MAX - 1; c >= 0; c--)
        if (cage_cgroup_stands_alone(host, c))
            left += remove_group(host, slot, c);
    return left;
}

unsigned cage_cgroup_remove(struct cage_cgroup *cgroup)
{
    const struct cage_host *host = cgroup->host;

    cage_cgroup_close(cgroup);
    cgroup->host = NULL;
    return host ? remove_slot(host, &cgroup->slot) : 0;
}

/* --- notes --- */

static int describe_group(const struct cage_host *host, const struct cage_slot *slot, int controller,
                          char note[CAGE_NOTE_BYTES], size_t *length)
{
    for (int i = 0; i < name_count(host, controller); i++) {
        char path[CAGE_GROUP_BYTES];
        if (!cage_cgroup_path(host, controller, slot, i == 1, path) || *length + strlen(path) + 2 > CAGE_NOTE_BYTES)
            return -ENAMETOOLONG;
        *length += (size_t)snprintf(note + *length, CAGE_NOTE_BYTES - *length, "%s\n", path);
    }
    return 0;
}

/* The groups of a slot, in the order of making, one a line. */
static int describe_groups(const struct cage_host *host, const struct cage_slot *slot, char note[CAGE_NOTE_BYTES])
{
    size_t length = 0;
    int r = 0;

    note[0] = 0;
    for (int c = 0; c < CAGE_CONTROLLER_MAX && r == 0; c++)
        if (cage_cgroup_stands_alone(host, c))
            r = describe_group(host, slot, c, note, &length);
    return r;
}

static bool clear_noted(int lock_fd, unsigned patience_ms)
{
    char note[CAGE_NOTE_BYTES];
    bool all = true;

    if (cage_slot_note_read(lock_fd, note) == 0)
        return true;
    for (char *line, *rest = note; (line = strsep(&rest, "\n")) && *line;)
        if (cage_cgroup_clear(line, true, patience_ms) < 0)
            all = false;
    if (all)
        (void)cage_slot_note_wipe(lock_fd); /* what stays is met again at the next start */
    return all;
}

/* The note stays when the groups are gone: the next run of this slot mostly needs the same one. An older one that
 * differs is cleared first; groups where the new ones will be are met when those are made. */
int cage_cgroup_note(const struct cage_host *host, const struct cage_slot *slot)
{
    char wanted[CAGE_NOTE_BYTES], found[CAGE_NOTE_BYTES];
    int r = describe_groups(host, slot, wanted);

    if (r < 0)
        return r;
    (void)cage_slot_note_read(slot->lock_fd, found);
    if (strcmp(found, wanted) == 0)
        return 0;
    (void)clear_noted(slot->lock_fd, CAGE_GROUP_PATIENCE_MS);
    return cage_slot_note_write(slot->lock_fd, wanted);
}

unsigned cage_cgroup_reconcile(bool patient)
{
    return cage_slot_each_dead(clear_noted, patient ? CAGE_GROUP_PATIENCE_MS : 0);
}
