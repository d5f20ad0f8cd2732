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
        int below;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(dirfd(dir), name, 0) == 0)
            continue;
        (void)fchmodat(dirfd(dir), name, 0700, 0); /* it may have been made unreadable; a link was unlinked above */
        below = openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            empty(below);
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
