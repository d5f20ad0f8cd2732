/* settings_child.c - which rows of settings.def this machine has, and where they lead
 *
 * Runs in: the cage's first process, while the supervisor starts; and in who wants to tell of it. Must not: allocate.
 */
#include "base/cleanup.h"
#include "cage/cage.h"
#include "cage/kernel.h"
#include "cage/plain.h"
#include <dirent.h>
#include <errno.h>

static const struct {
    const char *path, *also;
} rows[] = {
#define SETTING(path, also, who) {path, also},
#include "cage/settings.def"
#undef SETTING
};

_Static_assert(ARRAY_COUNT(rows) <= CAGE_SETTINGS_MAX, "a receipt tells them by a bit");

#define PATH_BYTES 256 /* what is longer is not shown */

/* A walk through them. */
struct look {
    unsigned flags; /* of open_tree() */
    cage_setting_take *take;
    void *argument;
    char way[PATH_BYTES]; /* the last folder that was found open to everybody, with its slash */
};

const char *cage_settings_path(unsigned row)
{
    return row < ARRAY_COUNT(rows) ? rows[row].path : NULL;
}

/* What nobody has put somewhere else: the path itself, or what its packages make of it. */
static bool may_lead_to(const char *path, const char *also, const char *real)
{
    return cage_text_equal(path, real) || cage_text_starts(real, "/usr/") || (also && cage_text_starts(real, also));
}

/* Only what everybody may read anyway. */
static bool is_for_everybody(const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return (st->st_mode & (S_IROTH | S_IXOTH)) == (S_IROTH | S_IXOTH);
    return S_ISREG(st->st_mode) && (st->st_mode & S_IROTH);
}

/* And reach: we may still be of root's id, who is let through folders of its own. The folders of @path: 0, -ELOOP where
 * one is a link, -EACCES, -ENOENT and the like. */
static int walk_way(struct look *look, const char *path)
{
    char folder[PATH_BYTES];
    bool is_known = look->way[0] != 0;
    struct stat st;
    int r;

    for (size_t i = 0; path[i]; i++) {
        if (i == sizeof(folder) - 1)
            return -ENAMETOOLONG;
        folder[i] = 0;
        is_known = is_known && path[i] == look->way[i];
        if (i > 0 && path[i] == '/' && !is_known) {
            r = kernel_stat(AT_FDCWD, folder, &st, AT_SYMLINK_NOFOLLOW);
            if (r < 0 || !S_ISDIR(st.st_mode) || !(st.st_mode & S_IXOTH))
                return r < 0 ? r : S_ISLNK(st.st_mode) ? -ELOOP : -EACCES;
            memcpy(look->way, folder, i);
            look->way[i] = '/';
            look->way[i + 1] = 0;
        }
        folder[i] = path[i];
    }
    return 0;
}

/* Where an open file is, as the kernel says. */
static int real_path(int fd, char *real, size_t real_bytes)
{
    char link[32] = "/proc/self/fd/";
    size_t at = sizeof(link) - 1;
    int r;

    for (link[at] = 0; fd > 0 || link[at] == 0; fd /= 10)
        link[--at] = (char)('0' + fd % 10);
    memmove(link + sizeof("/proc/self/fd/") - 1, link + at, sizeof(link) - at);
    r = kernel_readlink(AT_FDCWD, link, real, real_bytes - 1);
    if (r < 0 || (size_t)r == real_bytes - 1)
        return r < 0 ? r : -ENAMETOOLONG;
    real[r] = 0;
    return 0;
}

/* What a link leads to, where it may. */
static int open_led(struct look *look, const char *path, const char *also)
{
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, path, O_PATH, 0);
    char real[PATH_BYTES];
    int r = fd < 0 ? fd : real_path(fd, real, sizeof(real));

    if (r == 0 && !may_lead_to(path, also, real))
        r = -EXDEV;
    if (r == 0)
        r = walk_way(look, real);
    return r < 0 ? r : kernel_open_tree(fd, "", look->flags | AT_EMPTY_PATH);
}

/* Mostly there is no link, and this is all there is to ask. */
static int open_shown(struct look *look, const char *path, const char *also, struct stat *ret_stat)
{
    int r = walk_way(look, path);
    KERNEL_AUTO_CLOSE int fd = r < 0 ? r : kernel_open_tree(AT_FDCWD, path, look->flags | AT_SYMLINK_NOFOLLOW);

    if (fd >= 0)
        r = kernel_stat(fd, "", ret_stat, AT_EMPTY_PATH);
    if (fd == -ELOOP || (fd >= 0 && r == 0 && S_ISLNK(ret_stat->st_mode))) {
        kernel_cleanup_close(&fd);
        fd = open_led(look, path, also);
        r = fd < 0 ? fd : kernel_stat(fd, "", ret_stat, AT_EMPTY_PATH);
    }
    return r < 0 ? r : TAKE_FD(fd);
}

static int look_at(struct look *look, unsigned row, const char *path)
{
    struct cage_setting setting;
    size_t length = cage_text_length(path);
    struct stat st;

    if (length >= sizeof(setting.at))
        return 0;
    setting.fd = open_shown(look, path, rows[row].also, &st);
    if (setting.fd < 0)
        return setting.fd == -EMFILE ? -EMFILE : 0;
    if (!is_for_everybody(&st)) {
        (void)kernel_close(setting.fd);
        return 0;
    }
    memcpy(setting.at, path, length + 1);
    setting.row = row;
    setting.is_folder = S_ISDIR(st.st_mode);
    return look->take(&setting, look->argument);
}

/* @name in the place of the star, which stands at @star. */
static int look_at_name(struct look *look, unsigned row, size_t star, const char *name)
{
    const char *pattern = rows[row].path, *rest = pattern + star + 1;
    size_t name_length = cage_text_length(name), rest_length = cage_text_length(rest);
    char path[sizeof(((struct cage_setting *)0)->at)];

    if (name[0] == '.' || star + name_length + rest_length >= sizeof(path))
        return 0;
    memcpy(path, pattern, star);
    memcpy(path + star, name, name_length);
    memcpy(path + star + name_length, rest, rest_length + 1);
    return look_at(look, row, path);
}

static int look_at_each(struct look *look, unsigned row, size_t star)
{
    char folder[sizeof(((struct cage_setting *)0)->at)] = "", entries[2048] __attribute__((aligned(8)));
    KERNEL_AUTO_CLOSE int fd = -1;
    const struct dirent64 *entry;
    long count;
    int r = 0;

    memcpy(folder, rows[row].path, star);
    fd = kernel_open(AT_FDCWD, folder, O_DIRECTORY | O_RDONLY, 0);
    if (fd < 0)
        return fd == -EMFILE ? -EMFILE : 0;
    while (r == 0 && (count = KERNEL(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
        for (long at = 0; at < count && r == 0; at += entry->d_reclen) {
            entry = (const void *)(entries + at);
            r = look_at_name(look, row, star, entry->d_name);
        }
    return r;
}

static int look_at_row(struct look *look, unsigned row)
{
    const char *path = rows[row].path;
    size_t star = 0;

    while (path[star] && path[star] != '*')
        star++;
    return path[star] ? look_at_each(look, row, star) : look_at(look, row, path);
}

unsigned cage_settings_look(unsigned first, bool clones, cage_setting_take *take, void *argument)
{
    struct look look = {OPEN_TREE_CLOEXEC | (clones ? OPEN_TREE_CLONE : 0), take, argument, ""};

    for (; first < ARRAY_COUNT(rows); first++)
        if (look_at_row(&look, first) < 0)
            break;
    return first;
}
