/* folder.c - folders that come and go */
#include "drill/folder.h"
#include "base/cleanup.h"
#include "base/place.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define PREFIX    "fumehood-drill-"
#define LOCK_FILE "lock"
#define TRIES     10

/* Short: a folder of ours holds a socket. */
static const char *const places[] = {"/tmp", "/var/tmp"};

/* Where a program with marks, a device node and a program are what they are: else controls cannot do what they show,
 * and the cage is not what denies it. */
static bool takes_all(const char *place)
{
    struct statvfs st;

    return statvfs(place, &st) == 0 && !(st.f_flag & (ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC));
}

static const char *choose_place(void)
{
    for (size_t i = 0; i < ARRAY_COUNT(places); i++)
        if (takes_all(places[i]))
            return places[i];
    return places[0];
}

/* The lock file of @path. Returns a descriptor that has the lock, -1 without. Its last link gone means that somebody
 * has taken the folder for a dead one's in the moment before. */
static int lock(const char *path, int flags)
{
    AUTO_CLOSE int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    AUTO_CLOSE int fd = -1;
    struct stat st;

    if (dir_fd < 0 || fstat(dir_fd, &st) < 0 || st.st_uid != geteuid())
        return -1;
    fd = base_place_open_at(dir_fd, LOCK_FILE, O_RDWR | flags, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0 || st.st_nlink == 0)
        return -1;
    return TAKE_FD(fd);
}

int drill_folder_make(char ret_path[DRILL_PATH_BYTES], int *ret_lock_fd, struct base_err *err)
{
    const char *place = choose_place();
    AUTO_CLOSE int place_fd = -1;
    char name[sizeof(PREFIX) + 17];
    int r = base_place_folder(place, BASE_PLACE_SHARED, &place_fd, err);

    for (int i = 0; r == 0 && i < TRIES; i++) {
        if (base_place_scratch(place_fd, PREFIX, 0711, name, sizeof(name), err) < 0)
            continue; /* also where another has taken it for a dead one's */
        (void)snprintf(ret_path, DRILL_PATH_BYTES, "%s/%s", place, name);
        *ret_lock_fd = lock(ret_path, O_CREAT | O_EXCL);
        if (*ret_lock_fd >= 0)
            return 0;
        drill_folder_remove(ret_path);
    }
    if (r == 0)
        (void)base_err_sys(err, BASE_E_SETUP, errno, place, "no folder can be made for the drill");
    else if (err)
        err->code = BASE_E_SETUP;
    *ret_path = '\0';
    return BASE_E_SETUP;
}

/* Of who was killed before the lock was made, or after it was removed; who is between the two just now tries again. */
static void remove_empty(const char *path)
{
    struct stat st;

    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
        (void)rmdir(path); /* fails where it is not empty, and so somebody's */
}

static void find_dead(const char *place, drill_folder_fn found)
{
    DIR *dir = opendir(place);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char path[DRILL_PATH_BYTES];
        AUTO_CLOSE int lock_fd = -1;

        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            snprintf(path, sizeof(path), "%s/%s", place, entry->d_name) >= (int)sizeof(path))
            continue;
        lock_fd = lock(path, 0);
        if (lock_fd >= 0)
            found(path);
        else
            remove_empty(path);
    }
    if (dir)
        (void)closedir(dir);
}

void drill_folder_dead(drill_folder_fn found)
{
    for (size_t i = 0; i < ARRAY_COUNT(places); i++)
        find_dead(places[i], found);
}

/* Open the folder @name for reading, also where it was made unreadable; never what a link leads to. */
static int open_below(int dir_fd, const char *name)
{
    AUTO_CLOSE int place_fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char path[48];

    if (place_fd < 0)
        return -1;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", place_fd);
    return chmod(path, 0700) < 0 ? -1 : openat(place_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void remove_one(int dir_fd, const char *name);

/* Takes the descriptor. @kept: a name that stays; NULL. */
static void empty(int dir_fd, const char *kept)
{
    DIR *dir = fdopendir(dir_fd);
    struct dirent *entry;

    if (!dir) {
        base_cleanup_close(&dir_fd);
        return;
    }
    while ((entry = readdir(dir))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && (!kept || strcmp(name, kept) != 0))
            remove_one(dirfd(dir), name);
    }
    (void)closedir(dir);
}

static void remove_one(int dir_fd, const char *name)
{
    int below_fd;

    if (unlinkat(dir_fd, name, 0) == 0)
        return;
    below_fd = open_below(dir_fd, name);
    if (below_fd >= 0)
        empty(below_fd, NULL);
    (void)unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* The lock goes last: who is killed in here leaves a folder that the next one can clear. */
void drill_folder_remove(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0) {
        empty(fcntl(fd, F_DUPFD_CLOEXEC, 3), LOCK_FILE);
        remove_one(fd, LOCK_FILE);
    }
    (void)rmdir(path); /* what stays lies in a folder of our own, for whoever cleans up there */
}

int drill_folder_fresh(const char *top, const char *name, unsigned mode, struct base_err *err)
{
    char path[DRILL_PATH_BYTES];

    if (snprintf(path, sizeof(path), "%s/%s", top, name) >= (int)sizeof(path))
        return base_err_set(err, BASE_E_INTERNAL, top, "is too long a path");
    drill_folder_remove(path);
    if (mkdir(path, 0700) < 0 || chmod(path, mode) < 0) /* chmod: whatever the umask */
        return base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be made");
    return 0;
}
