/* slot.c - a number that nobody else on this machine has at this time
 *
 * The number names the control groups and chooses the host ids of a cage. It is held by a lock on a file, which the
 * kernel gives back when the supervisor and the cage's first process are both dead or dying: what it left behind is
 * nobody's then.
 */
#include "cage/slot.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/child.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static int slots_path(char *path, size_t path_bytes, struct base_err *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int length;

    if (geteuid() == 0)
        length = snprintf(path, path_bytes, "/run/fumehood/slots");
    else if (runtime && runtime[0] == '/')
        length = snprintf(path, path_bytes, "%s/fumehood/slots", runtime);
    else
        length = snprintf(path, path_bytes, "/tmp/fumehood-%u/slots", (unsigned)geteuid());
    if (length < 0 || (size_t)length >= path_bytes)
        return base_err_set(err, BASE_E_SETUP, "XDG_RUNTIME_DIR", "is too long");
    return 0;
}

/* In /tmp somebody else may have made the folder first, to hold our locks against us. */
static int check_owner(int dir_fd, const char *path, struct base_err *err)
{
    struct stat st;

    if (fstat(dir_fd, &st) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be looked at");
    if (st.st_uid != geteuid() || (st.st_mode & 022))
        return base_err_set(err, BASE_E_SETUP, path, "belongs to another user, or others may write to it");
    return 0;
}

static int open_slots(int *ret_fd, struct base_err *err)
{
    char path[CAGE_PATH_BYTES];
    AUTO_CLOSE int fd = -1;
    int r = slots_path(path, sizeof(path), err);

    if (r < 0)
        return r;
    fd = open(path, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        r = base_file_mkdirs(path, err);
        if (r < 0)
            return r;
        fd = open(path, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be opened");
    r = check_owner(fd, path, err);
    if (r < 0)
        return r;
    *ret_fd = TAKE_FD(fd);
    return 0;
}

/* Returns 1 with the lock, 0 when somebody has it, or -errno. */
static int try_lock(int slots_fd, unsigned number, int *ret_fd)
{
    char name[16];
    AUTO_CLOSE int fd = -1;
    int r;

    (void)snprintf(name, sizeof(name), "%u", number);
    fd = openat(slots_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? 0 : -errno;
    r = cage_fd_high(&fd);
    if (r < 0)
        return r;
    *ret_fd = TAKE_FD(fd);
    return 1;
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

    if (pwrite(lock_fd, note, count, 0) != (ssize_t)count)
        return -EIO;
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

static bool has_note(int slots_fd, const char *name)
{
    struct stat st;

    return fstatat(slots_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
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
        AUTO_CLOSE int lock_fd = -1;
        unsigned number;
        if (sscanf(entry->d_name, "%u", &number) == 1 && has_note(slots_fd, entry->d_name) &&
            try_lock(slots_fd, number, &lock_fd) > 0)
            left += !clear(lock_fd, patience_ms);
    }
    (void)closedir(slots); /* and slots_fd with it */
    return left;
}

/* Containers may share the control groups of their host and not its /run: then each counts its slots alone, and this
 * keeps their groups apart. */
static unsigned home_of(int slots_fd)
{
    struct stat st;

    return fstat(slots_fd, &st) < 0 ? 0 : (unsigned)(st.st_ino ^ st.st_ctim.tv_sec ^ st.st_dev << 20);
}

int cage_slot_acquire(const struct cage_host *host, struct cage_slot *ret_slot, struct base_err *err)
{
    AUTO_CLOSE int slots_fd = -1;
    unsigned slots = host->privileged ? host->uid_slots : 4096;
    int r;

    *ret_slot = (struct cage_slot){.lock_fd = -1};
    if (!host->privileged && host->manager == CAGE_MANAGER_NONE)
        return 0;
    r = open_slots(&slots_fd, err);
    if (r < 0)
        return r;
    ret_slot->home = home_of(slots_fd);
    for (unsigned number = 0; number < slots; number++) {
        r = try_lock(slots_fd, number, &ret_slot->lock_fd);
        if (r < 0)
            return base_err_sys(err, BASE_E_SETUP, -r, "slot", "cannot be locked");
        if (r > 0) {
            ret_slot->number = number;
            return 0;
        }
    }
    return base_err_set(err, BASE_E_SETUP, "slot", "all %u are taken", slots);
}

void cage_slot_release(struct cage_slot *slot)
{
    if (slot->lock_fd >= 0)
        (void)close(slot->lock_fd); /* gives up the lock; the file stays for the next owner */
    slot->lock_fd = -1;
}
