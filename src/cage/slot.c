/* slot.c - a number that nobody else on this machine has at this time
 *
 * It names the control groups and chooses the host ids of a cage. It is held by a lock on a file, which the kernel
 * gives back when the supervisor and the cage's first process are both dead or dying: what it left behind is nobody's
 * then. "Nobody" goes as far as the folder of locks is seen; for others see note_home().
 */
#include "cage/slot.h"
#include "base/cleanup.h"
#include "base/place.h"
#include "cage/child.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Where the folder of locks stands: our own folders one in the other, below one that others may use too. */
struct slots_place {
    const char *base;
    size_t base_length;
    char own[32];
};

/* The folder of this user's sessions; else that of a unit of systemd, which may have several; else the sessions' again,
 * which a process outside of them finds too. */
static const char *runtime_folder(size_t *ret_length)
{
    static char own[32];
    const char *folder = cage_runtime_folder();
    struct stat st;

    if (!folder && (folder = getenv("RUNTIME_DIRECTORY")) && folder[0] != '/')
        folder = NULL;
    if (!folder) {
        (void)snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
        folder = stat(own, &st) == 0 && st.st_uid == geteuid() && access(own, W_OK | X_OK) == 0 ? own : NULL;
    }
    if (folder)
        *ret_length = strcspn(folder, ":");
    return folder;
}

static struct slots_place slots_place(void)
{
    struct slots_place place = {.base = "/tmp", .base_length = strlen("/tmp"), .own = "fumehood"};
    size_t length = 0;
    const char *runtime = runtime_folder(&length);

    if (geteuid() == 0) {
        place.base = "/run";
        place.base_length = strlen("/run");
    } else if (runtime) {
        place.base = runtime;
        place.base_length = length;
    } else
        (void)snprintf(place.own, sizeof(place.own), "fumehood-%u", (unsigned)geteuid());
    return place;
}

/* No other place will do: a lock means something only where all of this user's supervisors meet. */
static int not_writable(struct base_err *err)
{
    char unit[CAGE_UNIT_BYTES];

    if (cage_unit_name(unit) && geteuid() == 0)
        (void)base_err_remedy(err, "RuntimeDirectory=fumehood and RuntimeDirectoryPreserve=yes in %s: docs/systemd.md",
                              unit);
    else if (*unit)
        (void)base_err_remedy(err, "RuntimeDirectory=fumehood-%u in %s: docs/systemd.md", (unsigned)geteuid(), unit);
    else if (geteuid() != 0)
        (void)base_err_remedy(
            err, "set XDG_RUNTIME_DIR to a folder of your own that can be written to, the same for all runs");
    else
        (void)base_err_remedy(err, "let it be written to, as one folder for all that root starts here: "
                                   "RuntimeDirectory=fumehood in a systemd unit, a tmpfs at /run in a container");
    return BASE_E_SETUP;
}

/* Who may exchange what stands in a folder could hold our locks against us, or let two cages have one number:
 * base/place.h goes through no such folder. Here it is this machine's fault. */
static int setup_failed(const struct base_err *why, struct base_err *err)
{
    (void)base_err_set(err, BASE_E_SETUP, why->place, "%s", why->what);
    if (*why->remedy)
        return base_err_remedy(err, "%s", why->remedy);
    return why->sys_errno == EROFS || why->sys_errno == EACCES ? not_writable(err) : BASE_E_SETUP;
}

static int open_slots(int *ret_fd, struct base_err *err)
{
    const struct slots_place place = slots_place();
    const char *const names[] = {place.own, "slots"};
    char path[CAGE_PATH_BYTES + sizeof(place.own) + sizeof("//slots")];
    AUTO_CLOSE int fd = -1;
    size_t length = place.base_length;
    struct base_err why;

    if (length >= CAGE_PATH_BYTES)
        return base_err_set(err, BASE_E_SETUP, "XDG_RUNTIME_DIR", "is too long");
    memcpy(path, place.base, length);
    path[length] = 0;
    if (base_place_folder(path, BASE_PLACE_MAKE | BASE_PLACE_SHARED, &fd, &why) < 0)
        return setup_failed(&why, err);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        int next = -1;

        length += (size_t)snprintf(path + length, sizeof(path) - length, "/%s", names[i]);
        if (base_place_folder_at(fd, names[i], path, BASE_PLACE_MAKE | BASE_PLACE_OWN, &next, &why) < 0)
            return setup_failed(&why, err);
        (void)close(fd);
        fd = next;
    }
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static int lock_failed(unsigned number, int sys_errno, struct base_err *err)
{
    const struct slots_place place = slots_place();
    char path[CAGE_PATH_BYTES + sizeof(place.own) + sizeof("//slots/4294967295")];

    (void)snprintf(path, sizeof(path), "%.*s/%s/slots/%u", (int)place.base_length, place.base, place.own, number);
    (void)base_err_sys(err, BASE_E_SETUP, sys_errno, path, "a number of this run's own cannot be locked");
    return sys_errno == EROFS || sys_errno == EACCES ? not_writable(err) : BASE_E_SETUP;
}

/* Returns 1 with the lock, 0 when somebody has it or had it just now, or -errno. */
static int try_lock(int slots_fd, unsigned number, int *ret_fd)
{
    char name[16];
    AUTO_CLOSE int fd = -1;
    int r;

    (void)snprintf(name, sizeof(name), "%u", number);
    fd = base_place_open_at(slots_fd, name, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        return fd;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? 0 : -errno;
    /* Its owner may have removed the file between our opening it and our lock: then that is a lock on nothing. */
    if (!base_place_is_still(fd, slots_fd, name))
        return 0;
    r = cage_fd_high(&fd);
    if (r < 0)
        return r;
    *ret_fd = TAKE_FD(fd);
    return 1;
}

/* Every start looks at all that lie there. So only the low ones, which nearly every start needs, stay for the next
 * owner. The lock must be held. */
#define SLOTS_THAT_STAY 8

static void remove_high(int slots_fd, unsigned number)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "%u", number);
    if (number >= SLOTS_THAT_STAY)
        (void)unlinkat(slots_fd, name, 0); /* else it stays, and is looked at */
}

int cage_slot_lock_free(unsigned number, int *ret_fd)
{
    AUTO_CLOSE int slots_fd = -1;

    if (open_slots(&slots_fd, NULL) < 0)
        return 0;
    return try_lock(slots_fd, number, ret_fd) > 0;
}

int cage_slot_note_write(int lock_fd, const char *note)
{
    size_t count = strlen(note);
    ssize_t written = pwrite(lock_fd, note, count, 0);

    if (written != (ssize_t)count)
        return written < 0 ? -errno : -EIO;
    return ftruncate(lock_fd, (off_t)count) < 0 ? -errno : 0;
}

size_t cage_slot_note_read(int lock_fd, char note[CAGE_NOTE_BYTES])
{
    ssize_t count = pread(lock_fd, note, CAGE_NOTE_BYTES - 1, 0);

    note[count > 0 ? count : 0] = 0;
    return count > 0 ? (size_t)count : 0;
}

int cage_slot_note_wipe(int lock_fd)
{
    return ftruncate(lock_fd, 0) < 0 ? -errno : 0;
}

/* What a note says may be there; or the file itself is to go. */
static bool is_of_interest(int slots_fd, const char *name, unsigned number)
{
    struct stat st;

    return fstatat(slots_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           (st.st_size > 0 || number >= SLOTS_THAT_STAY);
}

/* 1 where something is left. */
static unsigned clear_dead(int slots_fd, unsigned number, bool (*clear)(int lock_fd, unsigned patience_ms),
                           unsigned patience_ms)
{
    AUTO_CLOSE int lock_fd = -1;

    if (try_lock(slots_fd, number, &lock_fd) <= 0)
        return 0;
    if (!clear(lock_fd, patience_ms))
        return 1;
    remove_high(slots_fd, number);
    return 0;
}

unsigned cage_slot_each_dead(bool (*clear)(int lock_fd, unsigned patience_ms), unsigned patience_ms)
{
    int slots_fd = -1;
    unsigned left = 0;
    DIR *slots;

    if (open_slots(&slots_fd, NULL) < 0 || !(slots = fdopendir(slots_fd))) {
        base_cleanup_close(&slots_fd);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(slots));) {
        unsigned number;
        if (sscanf(entry->d_name, "%u", &number) == 1 && is_of_interest(slots_fd, entry->d_name, number))
            left += clear_dead(slots_fd, number, clear, patience_ms);
    }
    (void)closedir(slots); /* and slots_fd with it */
    return left;
}

/* Containers may share the control groups and the ids of their host and not its /run, and a user's unit not that of the
 * session: then each counts its slots alone, and this keeps their groups apart, and mostly their ids. The time of birth
 * is 0 where the filesystem knows none. */
static void note_home(int slots_fd, struct cage_slot *slot)
{
    struct statx st;
    uint64_t mix;

    if (statx(slots_fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) < 0)
        return;
    slot->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
    slot->ino = st.stx_ino;
    mix = st.stx_ino ^ (uint64_t)slot->dev << 20 ^ (uint64_t)st.stx_btime.tv_sec << 30 ^ st.stx_btime.tv_nsec;
    slot->home = (unsigned)(mix * UINT64_C(0x9e3779b97f4a7c15) >> 32); /* every bit of it changes the high ones */
}

int cage_slot_folder(int *ret_fd)
{
    return open_slots(ret_fd, NULL);
}

int cage_slot_acquire(const struct cage_host *host, struct cage_slot *ret_slot, struct base_err *err)
{
    AUTO_CLOSE int slots_fd = -1;
    unsigned slots = host->has_own_ids ? host->uid_slots : 4096;
    int r;

    *ret_slot = (struct cage_slot){.lock_fd = -1};
    if (!host->has_own_ids && host->manager == CAGE_MANAGER_NONE)
        return 0;
    r = open_slots(&slots_fd, err);
    if (r < 0)
        return r;
    note_home(slots_fd, ret_slot);
    for (unsigned number = 0; number < slots; number++) {
        r = try_lock(slots_fd, number, &ret_slot->lock_fd);
        if (r < 0)
            return lock_failed(number, -r, err);
        if (r > 0) {
            ret_slot->number = number;
            ret_slot->ids = (unsigned)(((uint64_t)ret_slot->home + number) % slots);
            return 0;
        }
    }
    return base_err_set(err, BASE_E_SETUP, "slot", "all %u are taken", slots);
}

void cage_slot_retire(struct cage_slot *slot)
{
    AUTO_CLOSE int slots_fd = -1;

    if (slot->lock_fd >= 0 && slot->number >= SLOTS_THAT_STAY && open_slots(&slots_fd, NULL) == 0)
        remove_high(slots_fd, slot->number);
    cage_slot_release(slot);
}

void cage_slot_release(struct cage_slot *slot)
{
    if (slot->lock_fd >= 0)
        (void)close(slot->lock_fd); /* gives up the lock; the file stays for the next owner */
    slot->lock_fd = -1;
}
