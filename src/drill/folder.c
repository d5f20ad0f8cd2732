/* folder.c - folders that come and go */
#include "drill/folder.h"
#include "base/cleanup.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

int drill_folder_make(char ret_path[DRILL_PATH_BYTES], struct base_err *err)
{
    (void)snprintf(ret_path, DRILL_PATH_BYTES, "/tmp/fumehood-drill-XXXXXX"); /* short: it holds a socket */
    if (!mkdtemp(ret_path) || chmod(ret_path, 0711) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "/tmp", "no folder can be made for the drill");
    return 0;
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

/* Takes the descriptor. */
static void empty(int dir_fd)
{
    DIR *dir = fdopendir(dir_fd);
    struct dirent *entry;

    if (!dir) {
        (void)close(dir_fd);
        return;
    }
    while ((entry = readdir(dir))) {
        const char *name = entry->d_name;
        int below_fd;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(dirfd(dir), name, 0) == 0)
            continue;
        below_fd = open_below(dirfd(dir), name);
        if (below_fd >= 0)
            empty(below_fd);
        (void)unlinkat(dirfd(dir), name, AT_REMOVEDIR);
    }
    (void)closedir(dir);
}

void drill_folder_remove(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0)
        empty(fd);
    (void)rmdir(path); /* what stays lies in a folder of our own, for whoever cleans /tmp */
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
