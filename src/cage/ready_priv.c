/* ready_priv.c - a root that stands ready for the next cage of a slot
 *
 * Runs in: the supervisor, single-threaded, when a cage is gone and its slot still held.
 * Touches: folders root-N-HASH in the folder of slots, which is root's.
 *
 * Theory of operation: to make the folders, links and small files of a root takes a cold run longer than all else that
 * its first process does by itself, and they are the same in each. So the first run of a slot leaves them, in a folder
 * of root's that nobody else can write to; the next ones clone it, read-only, as their root. What stands in it are
 * places for mounts and a few lines of ours, nothing of the machine's and nothing of a guest's, so it can only be there
 * or not: its name is a hash of all that was made. Where ids of the cage are ids of the starter's, each has a root of
 * its own, as a guest that got out of hand there could change what the next one sees.
 */
#include "base/cleanup.h"
#include "base/place.h"
#include "cage/child.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 8

void cage_ready_tell(const struct cage_host *host, const struct cage_slot *slot, struct cage_ready *ret_ready)
{
    *ret_ready = (struct cage_ready){
        .may = host->privileged && slot->lock_fd >= 0 && slot->ino != 0 && slot->number < CAGE_READY_SLOTS,
        .slot = slot->number,
        .folder = CAGE_SLOT_ROOTS_FOLDER,
        .dev = slot->dev,
        .ino = slot->ino,
    };
}

/* --- removing --- */

static void remove_tree(int dir_fd, const char *name, unsigned depth)
{
    AUTO_CLOSE int fd = -1;
    DIR *folder;

    if (unlinkat(dir_fd, name, 0) == 0 || depth == DEPTH_MAX)
        return;
    fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_tree(fd, entry->d_name, depth + 1);
    (void)closedir(folder);
    (void)TAKE_FD(fd); /* closed with it */
    (void)unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* It loses its name before anything of it: whoever is killed meanwhile leaves no half of one that the next run takes
 * for whole. */
static void retire(int slots_fd, const char *name, const char *gone)
{
    if (unlinkat(slots_fd, name, 0) < 0 && renameat(slots_fd, name, slots_fd, gone) == 0)
        remove_tree(slots_fd, gone, 0);
}

/* What stands there for a slot: of before, or half made or removed by somebody who was killed. */
static void remove_all(int slots_fd, unsigned slot)
{
    char prefix[CAGE_ROOT_NAME_BYTES], gone[CAGE_ROOT_NAME_BYTES];
    int fd = openat(slots_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *slots = fd < 0 ? NULL : fdopendir(fd);

    if (!slots) {
        base_cleanup_close(&fd);
        return;
    }
    (void)snprintf(prefix, sizeof(prefix), CAGE_ROOT_PREFIX "%u-", slot);
    (void)snprintf(gone, sizeof(gone), CAGE_ROOT_PREFIX "%u-gone", slot);
    remove_tree(slots_fd, gone, 0);
    for (struct dirent *entry; (entry = readdir(slots));)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            retire(slots_fd, entry->d_name, gone);
    (void)closedir(slots);
}

/* --- making --- */

static int note_setting(const struct cage_setting *setting, void *argument)
{
    struct cage_root *root = argument;

    (void)close(setting->fd);
    if (root->count < CAGE_SETTINGS_MAX)
        root->settings[root->count++] = *setting;
    return 0;
}

static int make_in(int slots_fd, const char *name, const struct cage_root *root)
{
    AUTO_CLOSE int fd = openat(slots_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    mode_t umask_before = umask(0);
    int r = fd < 0 ? -errno : cage_root_make(root, fd);

    (void)umask(umask_before);
    return r;
}

/* It gets its name when all of it is there. */
static void prepare(int slots_fd, unsigned slot, const char *name, const struct cage_root *root)
{
    char prefix[CAGE_ROOT_NAME_BYTES], scratch[2 * CAGE_ROOT_NAME_BYTES];

    remove_all(slots_fd, slot);
    (void)snprintf(prefix, sizeof(prefix), CAGE_ROOT_PREFIX "%u-new-", slot);
    if (base_place_scratch(slots_fd, prefix, 0755, scratch, sizeof(scratch), NULL) < 0)
        return;
    if (make_in(slots_fd, scratch, root) < 0 || renameat(slots_fd, scratch, slots_fd, name) < 0)
        remove_tree(slots_fd, scratch, 0);
}

/* One that is whole, and that the cage could not come to all the same. */
static bool stands(int slots_fd, const char *name)
{
    struct stat st;

    return fstatat(slots_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mode == (S_IFDIR | 0755);
}

/* Where nothing can be left, the next one makes its own. */
void cage_ready_renew(const struct cage_shared *shared)
{
    const struct cage_ready *ready = &shared->ready;
    const struct cage_report *report = &shared->report;
    AUTO_CLOSE int slots_fd = -1;
    struct cage_root root = {.count = 0};
    char name[CAGE_ROOT_NAME_BYTES];
    bool is_broken = report->root_stood && report->failed_step >= 0;

    if (!ready->may || !report->root || (report->root_stood && !is_broken) || cage_slot_folder(&slots_fd) < 0)
        return;
    (void)cage_settings_look(0, false, note_setting, &root);
    if (cage_root_look(&root) < 0)
        return;
    cage_root_name(ready->slot, cage_root_hash(&root), name);
    if (is_broken || !stands(slots_fd, name))
        prepare(slots_fd, ready->slot, name, &root);
}
