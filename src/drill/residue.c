/* residue.c - processes, control groups and mounts that a run leaves behind */
#include "drill/residue.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cage/cage.h"
#include "drill/scene.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define KILL_US          5000000
#define STEP_MS          10
#define GROUPS_PATIENCES 4 /* of another run that was killed, they are there until the next one starts */
#define GROUP_PREFIX     "fumehood-"
#define OWN_NAME         "fumehood" /* in the names of what we make */
#define MOUNTS           "/proc/self/mountinfo"
#define MOUNTS_MAX       (4u << 20)

static int others_fd = -1; /* the mounts that everybody else sees; -1: ours are the same */

/* A copy of the mounts that only we and our processes see: others' do not come into it, and what a bare attack mounts
 * goes with us. What a cage would let out of itself still arrives. */
static void own_mounts(void)
{
    int fd = geteuid() == 0 ? open(MOUNTS, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0 || unshare(CLONE_NEWNS) < 0) {
        base_cleanup_close(&fd);
        return; /* then others' are seen too */
    }
    others_fd = fd;
    (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL); /* of our own copy; cannot fail where the above did not */
    (void)mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL);
}

int drill_residue_begin(struct base_err *err)
{
    own_mounts();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "drill", "cannot be the reaper of its processes");
    return 0;
}

/* --- processes --- */

struct process {
    pid_t pid, parent;
    bool below;
};

struct table {
    struct process items[DRILL_PIDS_MAX];
    size_t count;
};

char drill_process_state(pid_t pid, pid_t *ret_parent)
{
    char path[32], text[512], state;
    const char *rest;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (base_file_read_start(AT_FDCWD, path, text, sizeof(text)) < 0)
        return 0;
    rest = strrchr(text, ')'); /* a name may hold anything */
    return rest && sscanf(rest + 1, " %c %d", &state, ret_parent) == 2 ? state : 0;
}

/* A dead child of ours is reaped, and not in the table. */
static void add_process(struct table *table, const char *name)
{
    pid_t pid, parent;
    char state = sscanf(name, "%d", &pid) == 1 ? drill_process_state(pid, &parent) : 0;

    if (state == 'Z' && parent == getpid())
        (void)waitpid(pid, NULL, WNOHANG);
    if (state != 0 && state != 'Z' && state != 'X' && table->count < DRILL_PIDS_MAX)
        table->items[table->count++] = (struct process){pid, parent, false};
}

static void read_table(struct table *table)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    table->count = 0;
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            add_process(table, entry->d_name);
    if (dir)
        (void)closedir(dir);
}

static bool is_below(const struct table *table, pid_t parent, pid_t root)
{
    if (parent == root)
        return true;
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i].pid == parent)
            return table->items[i].below;
    return false;
}

void drill_pids_below(pid_t root, pid_t except, struct drill_pids *ret_pids)
{
    static struct table table; /* large; one drill a process */
    bool found = true;

    ret_pids->count = 0;
    read_table(&table);
    while (found) {
        found = false;
        for (size_t i = 0; i < table.count; i++) {
            struct process *process = &table.items[i];
            if (process->below || process->pid == except || !is_below(&table, process->parent, root))
                continue;
            process->below = found = true;
            ret_pids->items[ret_pids->count++] = process->pid;
        }
    }
}

bool drill_kill_below(pid_t except)
{
    static struct drill_pids pids;
    uint64_t end_us = base_clock_us() + KILL_US;

    for (;;) {
        drill_pids_below(getpid(), except, &pids);
        if (pids.count == 0)
            return true;
        if (base_clock_us() > end_us)
            return false;
        for (size_t i = 0; i < pids.count; i++)
            (void)kill(pids.items[i], SIGKILL); /* gone already is as good */
        base_clock_sleep_ms(2);
    }
}

/* --- control groups --- */

static void list_groups(const char *parent, struct drill_words *groups)
{
    char path[CAGE_PATH_BYTES + 300];
    DIR *dir = *parent ? opendir(parent) : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, GROUP_PREFIX, strlen(GROUP_PREFIX)) != 0)
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name);
        (void)drill_words_add(groups, path);
    }
    if (dir)
        (void)closedir(dir);
}

static void list_all_groups(const struct cage_host *host, struct drill_words *groups)
{
    if (host->manager == CAGE_MANAGER_NONE)
        return; /* then those that are there are somebody else's */
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        list_groups(host->cgroup_parents[c], groups);
}

/* Nobody is in the group at @path, or it is gone. */
static bool is_empty(const char *path)
{
    char procs[CAGE_PATH_BYTES + 600], text[16];

    (void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
    return base_file_read_start(AT_FDCWD, procs, text, sizeof(text)) < 0 || !*text;
}

/* Those who are in a slot are in groups below its own. */
static bool is_empty_below(const char *path)
{
    char below[CAGE_PATH_BYTES + 580];
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool empty = true;

    while (dir && empty && (entry = readdir(dir))) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        (void)snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
        empty = is_empty(below);
    }
    if (dir)
        (void)closedir(dir);
    return empty;
}

/* The number of an empty group, 0 when it holds somebody or is gone. Another run on this machine makes and removes
 * groups too: each has a number of its own. */
static ino_t empty_group(const char *path)
{
    struct stat st;

    return is_empty(path) && is_empty_below(path) && stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Empty groups that came since and stay are somebody's rest. */
static void look_for_groups(const struct cage_host *host, const struct drill_before *before, uint64_t patience_us,
                            struct drill_residue *residue)
{
    struct drill_words now = {.count = 0};
    ino_t numbers[DRILL_WORDS_MAX];
    uint64_t end_us = base_clock_us() + patience_us;
    size_t left = 0;

    list_all_groups(host, &now);
    for (size_t i = 0; i < now.count; i++)
        numbers[i] = drill_words_has(&before->cgroups, now.items[i]) ? 0 : empty_group(now.items[i]);
    do {
        left = 0;
        for (size_t i = 0; i < now.count; i++) {
            numbers[i] = numbers[i] && empty_group(now.items[i]) == numbers[i] ? numbers[i] : 0;
            left += numbers[i] != 0;
        }
        if (left > 0)
            base_clock_sleep_ms(STEP_MS);
    } while (left > 0 && base_clock_us() < end_us);
    for (size_t i = 0; i < now.count; i++)
        if (numbers[i])
            drill_fault(&residue->faults, "a control group was left: %.200s", now.items[i]);
    residue->cgroups += left;
    drill_words_release(&now);
}

/* --- mounts --- */

/* What @fd shows, of its mount namespace, from its start. */
static int read_mounts(int fd, struct base_buf *mounts, struct base_err *err)
{
    char piece[4096];
    ssize_t count = -1;
    int r = lseek(fd, 0, SEEK_SET) < 0 ? base_err_sys(err, BASE_E_IO, errno, MOUNTS, "cannot be read") : 0;

    mounts->max = MOUNTS_MAX;
    while (r == 0 && (count = read(fd, piece, sizeof(piece))) > 0)
        if (base_buf_append(mounts, piece, (size_t)count) < 0)
            r = base_err_set(err, BASE_E_NOMEM, MOUNTS, "is too long");
    return r == 0 && count < 0 ? base_err_sys(err, BASE_E_IO, errno, MOUNTS, "cannot be read") : r;
}

static int read_own_mounts(struct base_buf *mounts, struct base_err *err)
{
    AUTO_CLOSE int fd = open(MOUNTS, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? base_err_sys(err, BASE_E_IO, errno, MOUNTS, "cannot be read") : read_mounts(fd, mounts, err);
}

/* Of a line of mountinfo, all but the filesystem's own options after the first, which is rw or ro: its size and the
 * like are changed at any place where it is mounted, and by whom cannot be seen. */
static size_t mount_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    const char *at = memmem(line, length, " - ", strlen(" - "));

    for (int word = 0; at && word < 3; word++) /* the dash, its type, its source */
        at = memchr(at + 1, ' ', length - (size_t)(at + 1 - line));
    return at ? (size_t)(at - line) + strcspn(at, ",\n") : length;
}

static bool has_mount(const struct base_buf *text, const char *line, size_t length)
{
    for (const char *at = text->bytes; at && *at;) {
        if (mount_length(at) == length && memcmp(at, line, length) == 0)
            return true;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return false;
}

/* Of a line of mountinfo: which filesystem, what of it, and where. */
struct place {
    char device[32], root[200], at[200];
};

static void read_place(const char *line, struct place *place)
{
    *place = (struct place){.device = "", .at = "?"};
    (void)sscanf(line, "%*s %*s %31s %199s %199s", place->device, place->root, place->at);
}

static bool has_place(const struct base_buf *text, const struct place *place)
{
    for (const char *at = text->bytes; at && *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
        struct place other;
        read_place(at, &other);
        if (strcmp(other.device, place->device) == 0 && strcmp(other.root, place->root) == 0 &&
            strcmp(other.at, place->at) == 0)
            return true;
    }
    return false;
}

static void add_mount(const struct place *place, const char *what, struct drill_residue *residue)
{
    drill_fault(&residue->faults, "a mount %s: %s", what, place->at);
    residue->mounts++;
}

/* Of those of @from that are not in @to, what a run can have done, which @is_ours says. */
static void compare_mounts(const struct base_buf *from, const struct base_buf *to, const char *what,
                           bool (*is_ours)(const struct place *, const struct base_buf *),
                           const struct base_buf *others, struct drill_residue *residue)
{
    for (const char *at = from->bytes; at && *at;) {
        struct place place;
        read_place(at, &place);
        if (!has_mount(to, at, mount_length(at)) && is_ours(&place, others))
            add_mount(&place, what, residue);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
}

/* People come and go, and mounts with them: where ours are everybody's, only what bears our name is a run's. Where ours
 * are a copy, nobody else's come into it. */
static bool is_ours_new(const struct place *place, const struct base_buf *others)
{
    return others->bytes || strstr(place->at, OWN_NAME);
}

/* Out of the copy goes also what is gone from everybody, with the folder that it stood on. */
static bool is_ours_gone(const struct place *place, const struct base_buf *others)
{
    return others->bytes ? has_place(others, place) : strstr(place->at, OWN_NAME) != NULL;
}

static void look_for_mounts(const struct drill_before *before, struct drill_residue *residue)
{
    AUTO_BUF struct base_buf now = {0}, others = {0};
    struct base_err err;
    int r = read_own_mounts(&now, &err);

    if (r == 0 && others_fd >= 0)
        r = read_mounts(others_fd, &others, &err);
    if (r < 0) {
        drill_fault(&residue->faults, "%s: %s", err.place, err.what);
        return;
    }
    compare_mounts(&now, &before->mounts, "appeared", is_ours_new, &others, residue);
    compare_mounts(&before->mounts, &now, "disappeared", is_ours_gone, &others, residue);
}

/* --- all --- */

int drill_before_take(const struct cage_host *host, struct drill_before *ret_before, struct base_err *err)
{
    *ret_before = (struct drill_before){.mounts = {0}};
    list_all_groups(host, &ret_before->cgroups);
    return read_own_mounts(&ret_before->mounts, err);
}

void drill_before_release(struct drill_before *before)
{
    base_buf_release(&before->mounts);
    drill_words_release(&before->cgroups);
}

void drill_residue_release(struct drill_residue *residue)
{
    drill_words_release(&residue->faults);
}

void drill_residue_processes(pid_t except, uint64_t patience_us, struct drill_residue *residue)
{
    static struct drill_pids pids;
    uint64_t end_us = base_clock_us() + patience_us;

    for (;;) {
        drill_pids_below(getpid(), except, &pids);
        if (pids.count == 0)
            return;
        if (base_clock_us() > end_us)
            break;
        base_clock_sleep_ms(STEP_MS);
    }
    residue->processes = pids.count;
    drill_fault(&residue->faults, "%zu process%s of the run live%s", pids.count, pids.count == 1 ? "" : "es",
                pids.count == 1 ? "s" : "");
}

void drill_residue_look(const struct cage_host *host, const struct drill_before *before, pid_t except,
                        uint64_t patience_us, struct drill_residue *residue)
{
    drill_residue_processes(except, 0, residue);
    look_for_groups(host, before, GROUPS_PATIENCES * patience_us, residue);
    look_for_mounts(before, residue);
}
