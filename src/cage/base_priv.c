/* base_priv.c - the group below which the control groups of all cages of a process tree are, on cgroup v2
 *
 * Runs in: the first process of ours in a process tree, before it has started any other, and then in each of those that
 * it starts. Touches: its own group, if that is ours to divide, and what is in it; else a scope that it asks for.
 *
 * Theory of operation: a v2 group holds processes or hands out controllers, not both. So a group that is ours to divide
 * gets two children: fumehood.supervisor for us and whoever else was in it, and fumehood, the base, which hands out
 * memory, pids and cpu itself. What hands out a controller keeps it: whoever manages the groups above, and recomputes
 * what they hand out, cannot take it away. A process that finds itself in fumehood.supervisor was put there by one of
 * ours, and uses the base beside it.
 *
 * A base is held by a shared lock on its folder, which only its owner can open. Whoever is the last takes it away.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/place.h"
#include "cage/cgroup.h"
#include "cage/scope.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
#define SUPERVISOR  "fumehood.supervisor"
#define BASE        "fumehood"
#define BASE_MODE   0711 /* its lock is not for others */

#define SCOPE_PATIENCE_MS 10000
#define LOCK_PATIENCE_MS  5000
#define MOVE_ROUNDS       200 /* a millisecond each, from the third on */

/* What was found for this process. */
struct place {
    enum cage_base base;
    bool has_cpu;
    char path[CAGE_PATH_BYTES];
    char unit[CAGE_UNIT_BYTES];
    char why[sizeof(((struct cage_host *)0)->cgroup_why)];
    char remedy[sizeof(((struct cage_host *)0)->cgroup_remedy)];
};

static struct {
    bool looked;
    pid_t owner;
    int lock_fd;
    struct place place;
} taken = {.lock_fd = -1};

const char *cage_base_name(enum cage_base base)
{
    static const char *const names[CAGE_BASE_MAX] = {"none", "own-group", "delegated", "scope", "top"};

    return names[base];
}

/* --- saying why there is none --- */

static int none(struct place *place, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Never 0, so that it can end a return statement. */
static int none(struct place *place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(place->why, sizeof(place->why), fmt, args);
    va_end(args);
    place->remedy[0] = 0;
    return -1;
}

static int mend(struct place *place, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int mend(struct place *place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(place->remedy, sizeof(place->remedy), fmt, args);
    va_end(args);
    return -1;
}

/* Who has the groups mounted as they are. */
static int mend_mount(struct place *place)
{
    char unit[CAGE_UNIT_BYTES];

    if (cage_unit_name(unit))
        return mend(place, "ProtectControlGroups=no in %.100s: docs/systemd.md", unit);
    return mend(place, "start this container with control groups that it may write: docs/containers.md");
}

/* --- where we are --- */

/* The path of our group below the mount. */
static int read_own(char own[CAGE_PATH_BYTES])
{
    char groups[8192], *line, *rest = groups;
    int r = base_file_read_start(AT_FDCWD, "/proc/self/cgroup", groups, sizeof(groups));

    while (r == 0 && (line = strsep(&rest, "\n")))
        if (strncmp(line, "0::/", 4) == 0)
            return snprintf(own, CAGE_PATH_BYTES, "%s", line + 3) < CAGE_PATH_BYTES ? 0 : -ENAMETOOLONG;
    return r < 0 ? r : -ENOENT;
}

/* Below the mount, as a path of this machine. */
static bool path_of(const char *own, char path[CAGE_PATH_BYTES])
{
    return !strstr(own, "/..") &&
           snprintf(path, CAGE_PATH_BYTES, "%s%s", CGROUP_ROOT, strcmp(own, "/") == 0 ? "" : own) < CAGE_PATH_BYTES;
}

static bool has_mark(const char *path)
{
    char value[8];

    return (getxattr(path, "user.delegate", value, sizeof(value)) == 1 && *value == '1') ||
           (getxattr(path, "trusted.delegate", value, sizeof(value)) == 1 && *value == '1');
}

static bool is_ours(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_uid == geteuid();
}

/* A user's manager leaves no mark on its units, so it is asked. Older ones of the system leave none that a user can
 * read, but only what they delegate to him is his. */
static bool is_delegated_unmarked(const char *own, size_t unit_length, const char *unit)
{
    struct cage_scope_doors doors;
    char manager[48], path[CAGE_PATH_BYTES];

    if (geteuid() == 0 || !path_of(own, path))
        return false;
    (void)snprintf(manager, sizeof(manager), "/user@%u.service/", (unsigned)geteuid());
    path[strlen(CGROUP_ROOT) + unit_length] = 0;
    if (!strstr(own, manager))
        return is_ours(path);
    cage_scope_find(false, &doors);
    return cage_scope_delegates(&doors, unit, SCOPE_PATIENCE_MS);
}

/* The unit, or somebody between it and us, was given this part of the tree; what they made in it is ours as theirs. */
static bool is_delegated(const char *own, size_t unit_length, const char *unit)
{
    char path[CAGE_PATH_BYTES];

    if (unit_length == 0 || !path_of(own, path))
        return false;
    while (strlen(path) >= strlen(CGROUP_ROOT) + unit_length) {
        if (has_mark(path))
            return true;
        *strrchr(path, '/') = 0;
    }
    return is_delegated_unmarked(own, unit_length, unit);
}

/* The machine's own topmost group has no type. */
static bool is_top(const char *own)
{
    return strcmp(own, "/") == 0 && access(CGROUP_ROOT "/cgroup.type", F_OK) < 0;
}

static bool has_systemd(void)
{
    return access("/run/systemd/system", F_OK) == 0;
}

/* Limits that somebody has set, and that we would leave. That of tasks every unit has. */
static bool is_limited(const char *own, size_t unit_length)
{
    static const char *const files[] = {"memory.max", "memory.high", "cpu.max"};
    char path[CAGE_PATH_BYTES + 32], value[64];

    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s%.*s/%s", CGROUP_ROOT, (int)unit_length, own, files[i]);
        if (base_file_read_start(AT_FDCWD, path, value, sizeof(value)) == 0 && strncmp(value, "max", 3) != 0)
            return true;
    }
    return false;
}

/* --- dividing a group --- */

/* What was found in a group when all that can be moved was. */
struct rest {
    int pid;         /* one that stays; 0: none */
    bool is_outside; /* somebody is there whom this pid namespace does not show */
    unsigned count;
};

static int move_round(int dir_fd, int to_fd, struct rest *ret_rest)
{
    AUTO_FCLOSE FILE *list = NULL;
    int fd = openat(dir_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC), pid;
    char word[16];

    *ret_rest = (struct rest){.pid = 0};
    list = fd < 0 ? NULL : fdopen(fd, "r");
    if (!list) {
        int r = -errno;
        base_cleanup_close(&fd);
        return r;
    }
    while (fscanf(list, "%d", &pid) == 1) {
        int r;

        ret_rest->count++;
        if (pid == 0) { /* to write it would mean ourselves */
            ret_rest->is_outside = true;
            continue;
        }
        (void)snprintf(word, sizeof(word), "%d", pid);
        r = cage_cgroup_write(to_fd, "cgroup.procs", word);
        if (r < 0 && r != -ESRCH)
            ret_rest->pid = pid;
    }
    return 0;
}

/* Until nobody is left: who is moved may have had children meanwhile. */
static int move_all(int dir_fd, int to_fd, struct rest *ret_rest)
{
    int r = 0;

    for (unsigned round = 0; round < MOVE_ROUNDS && r == 0; round++) {
        r = move_round(dir_fd, to_fd, ret_rest);
        if (ret_rest->count == 0 || (round > 2 && (ret_rest->pid || ret_rest->is_outside)))
            break;
        if (round > 2)
            base_clock_sleep_ms(1);
    }
    return r;
}

/* One word that is not there fails them all: so cpu, which may be missing, comes by itself. */
static int hand_out(int dir_fd, bool *ret_cpu)
{
    char list[256];
    int r = base_file_read_start(dir_fd, "cgroup.controllers", list, sizeof(list));

    if (r < 0)
        return r;
    if (!cage_list_has(list, "memory", " \n") || !cage_list_has(list, "pids", " \n"))
        return -ENOTSUP;
    r = cage_cgroup_write(dir_fd, "cgroup.subtree_control", "+memory +pids");
    *ret_cpu =
        r == 0 && cage_list_has(list, "cpu", " \n") && cage_cgroup_write(dir_fd, "cgroup.subtree_control", "+cpu") == 0;
    return r;
}

static const char *name_of(int pid, char name[32])
{
    char path[32];

    (void)snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    if (base_file_read_start(AT_FDCWD, path, name, 32) < 0)
        name[0] = 0;
    name[strcspn(name, "\n")] = 0;
    return name;
}

static int cannot_divide(struct place *place, const char *path, int r, const struct rest *rest)
{
    char name[32];

    if (r == -EROFS || (r == -EACCES && !has_systemd())) {
        (void)none(place, CGROUP_ROOT " is %s", r == -EROFS ? "mounted read-only" : "not ours to write");
        return mend_mount(place);
    }
    if (r == -ENOTSUP)
        return none(place, "%.100s has not the controllers memory and pids", path);
    if (r == -EBUSY && rest->is_outside)
        return none(place, "%.60s: a process from outside this pid namespace is in it, and cannot be moved", path);
    if (r == -EBUSY && rest->pid)
        return none(place, "%.80s: process %d (%.16s) is in it, and cannot be moved", path, rest->pid,
                    name_of(rest->pid, name));
    return none(place, "%.100s: cannot be divided: %s", path, strerror(-r));
}

static int open_folder(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

static int make_folder(int dir_fd, const char *name, mode_t mode)
{
    if (mkdirat(dir_fd, name, mode) < 0 && errno != EEXIST)
        return -errno;
    return open_folder(dir_fd, name);
}

static bool is_ours_still(int fd, int dir_fd, const char *name)
{
    struct stat held;

    return base_place_is_still(fd, dir_fd, name) && fstat(fd, &held) == 0 && held.st_uid == geteuid();
}

/* The base, held. Who finds it taken away meanwhile makes the next one. */
static int hold_base(int dir_fd)
{
    uint64_t deadline_us = base_clock_us() + LOCK_PATIENCE_MS * UINT64_C(1000);

    for (;;) {
        AUTO_CLOSE int fd = make_folder(dir_fd, BASE, BASE_MODE);

        if (fd < 0 && fd != -ENOENT)
            return fd;
        if (fd >= 0 && fchmod(fd, BASE_MODE) < 0) /* whatever the umask took */
            return -errno;
        if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 && is_ours_still(fd, dir_fd, BASE))
            return TAKE_FD(fd);
        if (base_clock_us() >= deadline_us)
            return -EAGAIN;
        base_clock_sleep_ms(1);
    }
}

/* Everybody out of it, if it has processes and is not the machine's. */
static int clear_group(int dir_fd, struct rest *ret_rest)
{
    AUTO_CLOSE int aside_fd = make_folder(dir_fd, SUPERVISOR, 0755);

    return aside_fd < 0 ? aside_fd : move_all(dir_fd, aside_fd, ret_rest);
}

static int divide(const char *path, enum cage_base base, struct place *place, int *ret_lock_fd)
{
    AUTO_CLOSE int dir_fd = open_folder(AT_FDCWD, path), base_fd = -1;
    struct rest rest = {0};
    bool has_cpu = false;
    int r = dir_fd < 0 ? dir_fd : 0;

    if (r == 0 && base != CAGE_BASE_TOP)
        r = clear_group(dir_fd, &rest);
    if (r == 0)
        r = hand_out(dir_fd, &has_cpu);
    if (r == 0) {
        base_fd = hold_base(dir_fd);
        r = base_fd < 0 ? base_fd : hand_out(base_fd, &has_cpu);
    }
    if (r == 0)
        r = cage_fd_high(&base_fd);
    if (r == 0 && snprintf(place->path, sizeof(place->path), "%s/" BASE, path) >= (int)sizeof(place->path))
        r = -ENAMETOOLONG;
    if (r < 0)
        return cannot_divide(place, path, r, &rest);
    place->base = base;
    place->has_cpu = has_cpu;
    place->why[0] = place->remedy[0] = 0;
    if (!has_cpu && geteuid() != 0) /* of systemd before 252, and of who changed it */
        (void)mend(place,
                   "as root: systemctl edit user@.service, and there Delegate=cpu memory pids; then systemctl "
                   "restart user@%u: docs/systemd.md",
                   (unsigned)geteuid());
    *ret_lock_fd = TAKE_FD(base_fd);
    return 0;
}

/* --- which one --- */

static bool is_own_scope(const char *unit)
{
    return strncmp(unit, "fumehood-", strlen("fumehood-")) == 0 && cage_unit_ends(unit, ".scope");
}

/* One of ours was here before: its base is beside us. */
static int join(const char *own, struct place *place, int *ret_lock_fd)
{
    static const char end[] = "/" SUPERVISOR;
    char path[CAGE_PATH_BYTES];

    if (!cage_unit_ends(own, end) && strcmp(own, end) != 0)
        return -ENOENT;
    if (!path_of(own, path) || !is_ours(path))
        return -ENOENT;
    *strrchr(path, '/') = 0;
    return divide(path, is_own_scope(place->unit) ? CAGE_BASE_SCOPE : CAGE_BASE_DELEGATED, place, ret_lock_fd);
}

static int divide_own(const char *own, enum cage_base base, struct place *place, int *ret_lock_fd)
{
    char path[CAGE_PATH_BYTES];

    if (!path_of(own, path))
        return none(place, "our own control group is not below " CGROUP_ROOT);
    return divide(path, base, place, ret_lock_fd);
}

static bool scopes_are_off(void)
{
    const char *word = getenv(CAGE_SCOPE_VARIABLE);

    return word && strcmp(word, "no") == 0;
}

static int say_scope(struct place *place, const struct base_err *err)
{
    bool is_root = geteuid() == 0;

    (void)none(place, "%.60s: %.96s", err->place, err->what);
    if (err->code == BASE_E_NOT_FOUND && !is_root)
        return mend(place, "as root: loginctl enable-linger %u", (unsigned)geteuid());
    return mend(place, is_root ? "see systemctl status" : "see systemctl --user status, or start as root");
}

static int ask_for_scope(struct place *place, int *ret_lock_fd)
{
    struct cage_scope_doors doors;
    struct base_err err = {0};
    char name[64], random[9], own[CAGE_PATH_BYTES];

    (void)base_random_hex(random, 8, NULL); /* another pid namespace may have the same manager */
    (void)snprintf(name, sizeof(name), "fumehood-%d-%s.scope", (int)getpid(), random);
    cage_scope_find(geteuid() == 0, &doors);
    if (cage_scope_ask(&doors, name, SCOPE_PATIENCE_MS, &err) < 0)
        return say_scope(place, &err);
    if (read_own(own) < 0)
        return none(place, "/proc does not show our control group");
    (void)cage_unit_innermost(own, place->unit);
    return divide_own(own, CAGE_BASE_SCOPE, place, ret_lock_fd);
}

/* A unit that manages others' processes by itself: we neither divide it unasked nor leave its limits. */
static int refuse_unit(const char *path, struct place *place)
{
    bool is_others = has_mark(path) && !is_ours(path);
    bool is_desktop = strncmp(place->unit, "app-", 4) == 0;

    (void)none(place, "%.90s %s", place->unit,
               is_others ? "delegates its control group to another user" : "does not delegate its control group");
    if (is_others)
        return mend(place, "start fumehood as that user, or set User= in %.100s", place->unit);
    if (is_desktop)
        return mend(place, "systemd-run --user --scope -p Delegate=yes fumehood ...");
    return mend(place, "add Delegate=yes to %.120s", place->unit);
}

/* Nobody manages groups here, but whoever made ours. */
static int without_systemd(const char *own, struct place *place, int *ret_lock_fd)
{
    char path[CAGE_PATH_BYTES];

    if (!is_top(own) && path_of(own, path) && is_ours(path) &&
        divide(path, CAGE_BASE_DELEGATED, place, ret_lock_fd) == 0)
        return 0;
    if (geteuid() == 0)
        return divide(CGROUP_ROOT, CAGE_BASE_TOP, place, ret_lock_fd);
    if (place->why[0])
        return -1;
    (void)none(place, "our control group, %.90s, is not ours to divide", own);
    return mend(place, "start as root, or in a control group that is delegated to this user");
}

static int with_systemd(const char *own, size_t unit_length, struct place *place, int *ret_lock_fd)
{
    bool is_root = geteuid() == 0, is_off = scopes_are_off();
    char path[CAGE_PATH_BYTES];

    if (!path_of(own, path))
        return none(place, "our own control group is not below " CGROUP_ROOT);
    if (cage_unit_ends(place->unit, ".service"))
        return place->why[0] ? -1 : refuse_unit(path, place);
    if (unit_length > 0 && is_limited(own, unit_length)) {
        if (place->why[0])
            return -1; /* it is delegated, and could not be divided */
        (void)none(place, "%.80s has limits that cages would leave, and does not delegate them", place->unit);
        return mend(place, "start that with -p Delegate=yes");
    }
    if (!is_off && ask_for_scope(place, ret_lock_fd) == 0)
        return 0;
    if (is_root)
        return divide(CGROUP_ROOT, CAGE_BASE_TOP, place, ret_lock_fd);
    if (!is_off)
        return -1;
    (void)none(place, "our control group is not ours to divide, and no scope is to be asked for");
    return mend(place, "leave out --no-scope (" CAGE_SCOPE_VARIABLE "=no)");
}

/* Usable is what was tried: each way says by itself why it is none. */
static int look(struct place *place, int *ret_lock_fd)
{
    char own[CAGE_PATH_BYTES], path[CAGE_PATH_BYTES];
    size_t unit_length;
    int r = read_own(own);

    if (r < 0)
        return none(place, "/proc does not show our control group");
    unit_length = cage_unit_innermost(own, place->unit);
    r = join(own, place, ret_lock_fd);
    if (r == 0)
        return 0;
    if (strcmp(own, "/") == 0 && !is_top(own))
        return divide_own(own, CAGE_BASE_DELEGATED, place, ret_lock_fd); /* a cgroup namespace's root */
    if (path_of(own, path) && is_ours(path) && is_delegated(own, unit_length, place->unit) &&
        divide_own(own, CAGE_BASE_DELEGATED, place, ret_lock_fd) == 0)
        return 0;
    return has_systemd() ? with_systemd(own, unit_length, place, ret_lock_fd)
                         : without_systemd(own, place, ret_lock_fd);
}

void cage_base_take(struct cage_host *host)
{
    if (!host->cgroup_v2 || host->manager != CAGE_MANAGER_NONE)
        return;
    if (!taken.looked) {
        taken.place = (struct place){.base = CAGE_BASE_NONE};
        if (look(&taken.place, &taken.lock_fd) < 0)
            taken.place.base = CAGE_BASE_NONE;
        taken.looked = true;
        taken.owner = getpid();
    }
    host->base = taken.place.base;
    (void)snprintf(host->cgroup_unit, sizeof(host->cgroup_unit), "%s", taken.place.unit);
    (void)snprintf(host->cgroup_why, sizeof(host->cgroup_why), "%s", taken.place.why);
    (void)snprintf(host->cgroup_remedy, sizeof(host->cgroup_remedy), "%s", taken.place.remedy);
    if (host->base == CAGE_BASE_NONE)
        return;
    host->manager = CAGE_MANAGER_V2;
    host->controllers[CAGE_PIDS] = host->controllers[CAGE_MEMORY] = host->controllers[CAGE_CPUACCT] = true;
    host->controllers[CAGE_CPU] = taken.place.has_cpu;
    (void)snprintf(host->cgroup_parents[CAGE_PIDS], CAGE_PATH_BYTES, "%s", taken.place.path);
}

/* A copy of the descriptor that a child has is of the same lock: only who took it gives it up. */
void cage_base_leave(void)
{
    if (!taken.looked || taken.owner != getpid())
        return;
    if (taken.lock_fd >= 0 && flock(taken.lock_fd, LOCK_EX | LOCK_NB) == 0)
        (void)rmdir(taken.place.path); /* what a killed one left in it is cleared by the next, and then this */
    base_cleanup_close(&taken.lock_fd);
    taken.lock_fd = -1;
    taken.looked = false;
}

/* --- what bounds all of it --- */

static void look_at_bound(const char *path, const char *file, struct cage_bound *bound)
{
    char name[CAGE_PATH_BYTES + 32], text[64];
    uint64_t value;

    (void)snprintf(name, sizeof(name), "%s/%s", path, file);
    if (base_file_read_start(AT_FDCWD, name, text, sizeof(text)) < 0 || sscanf(text, "%" SCNu64, &value) != 1 ||
        (bound->path[0] && value >= bound->value))
        return;
    bound->value = value;
    (void)snprintf(bound->path, sizeof(bound->path), "%s", path);
}

bool cage_base_bound(const struct cage_host *host, enum cage_controller controller, struct cage_bound *ret_bound)
{
    char path[CAGE_PATH_BYTES];

    *ret_bound = (struct cage_bound){.value = 0};
    if (host->manager != CAGE_MANAGER_V2 || (controller != CAGE_MEMORY && controller != CAGE_PIDS))
        return false;
    (void)snprintf(path, sizeof(path), "%s", host->cgroup_parents[CAGE_PIDS]);
    while (strlen(path) > strlen(CGROUP_ROOT)) {
        look_at_bound(path, controller == CAGE_MEMORY ? "memory.max" : "pids.max", ret_bound);
        *strrchr(path, '/') = 0;
    }
    return ret_bound->path[0];
}
