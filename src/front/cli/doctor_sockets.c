/* doctor_sockets.c - sockets that stand below /usr, where every program in a cage may connect to them
 *
 * A bounded look: two levels of /usr, some more of /usr/local, where what does not come from packages lies.
 */
#include "front/cli/doctor_sockets.h"
#include "base/cleanup.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAMES_MAX   20000u
#define DEPTH       2u
#define DEPTH_LOCAL 6u

static void note(struct doctor_sockets *sockets, const char *folder, const char *name)
{
    if (sockets->count++ > 0)
        return;
    (void)snprintf(sockets->first, sizeof(sockets->first), "%s/%s", folder, name);
    for (char *at = sockets->first; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?'; /* whoever made it chose the name */
}

static unsigned char kind_of(int dir_fd, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    return fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? DT_UNKNOWN
                                                                        : (unsigned char)IFTODT(st.st_mode);
}

/* Look at what is in @folder and, @depth levels deep, below it, but not in @except. Recursive, and no deeper. */
static void look(const char *folder, unsigned depth, const char *except, struct doctor_sockets *sockets)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (!dir) {
        base_cleanup_close(&fd);
        return; /* what we may not list is not there for a guest either */
    }
    for (struct dirent *entry; !sockets->is_cut && (entry = readdir(dir));) {
        char path[sizeof(sockets->first)];
        unsigned char kind;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        sockets->is_cut = ++sockets->looked_at >= NAMES_MAX;
        kind = kind_of(fd, entry);
        if (kind == DT_SOCK)
            note(sockets, folder, entry->d_name);
        if (kind == DT_DIR && depth > 1 && strcmp(entry->d_name, except) != 0 &&
            (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < sizeof(path))
            look(path, depth - 1, "", sockets);
    }
    (void)closedir(dir);
}

void cli_doctor_find_sockets(const char *usr, struct doctor_sockets *ret_sockets)
{
    char local[sizeof(ret_sockets->first)];

    *ret_sockets = (struct doctor_sockets){0};
    if ((size_t)snprintf(local, sizeof(local), "%s/local", usr) < sizeof(local))
        look(local, DEPTH_LOCAL, "", ret_sockets);
    look(usr, DEPTH, "local", ret_sockets);
}
