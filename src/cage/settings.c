/* settings.c - which rows of settings.def this machine has, and where they lead
 *
 * Runs in: the supervisor, while the cage's first process makes namespaces; that one mounts what is found here.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *path, *also;
} rows[] = {
#define SETTING(path, also, who) {path, also},
#include "cage/settings.def"
#undef SETTING
};

_Static_assert(ARRAY_COUNT(rows) <= 64, "a receipt tells them by a bit");

const char *cage_settings_path(unsigned row)
{
    return row < ARRAY_COUNT(rows) ? rows[row].path : NULL;
}

/* What nobody has put somewhere else: the path itself, or what its packages make of it. */
static bool may_lead_to(const char *path, const char *also, const char *real)
{
    return strcmp(path, real) == 0 || strncmp(real, "/usr/", 5) == 0 ||
           (also && strncmp(real, also, strlen(also)) == 0);
}

/* Only what everybody may read anyway. */
static bool is_for_everybody(const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return (st->st_mode & (S_IROTH | S_IXOTH)) == (S_IROTH | S_IXOTH);
    return S_ISREG(st->st_mode) && (st->st_mode & S_IROTH);
}

static bool look_at(const char *path, const char *also, struct cage_setting *ret_setting)
{
    char real[PATH_MAX];
    struct stat st;

    if (lstat(path, &st) < 0 || !realpath(path, real) || !may_lead_to(path, also, real))
        return false;
    if ((S_ISLNK(st.st_mode) && stat(real, &st) < 0) || !is_for_everybody(&st))
        return false;
    if (strlen(path) >= sizeof(ret_setting->at) || strlen(real) >= sizeof(ret_setting->from))
        return false;
    (void)snprintf(ret_setting->at, sizeof(ret_setting->at), "%s", path);
    (void)snprintf(ret_setting->from, sizeof(ret_setting->from), "%s", real);
    ret_setting->is_folder = S_ISDIR(st.st_mode);
    return true;
}

static void add(struct cage_settings *settings, unsigned row, const char *path)
{
    if (settings->count == CAGE_SETTINGS_MAX || !look_at(path, rows[row].also, &settings->rows[settings->count]))
        return;
    settings->rows[settings->count++].row = row;
}

/* One for each name in the place of the star. */
static void add_each(struct cage_settings *settings, unsigned row, const char *star)
{
    const char *pattern = rows[row].path;
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *folder;

    (void)snprintf(path, sizeof(path), "%.*s", (int)(star - pattern), pattern);
    folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.' || snprintf(path, sizeof(path), "%.*s%s%s", (int)(star - pattern), pattern,
                                                entry->d_name, star + 1) >= (int)sizeof(path))
            continue;
        add(settings, row, path);
    }
    if (folder)
        (void)closedir(folder);
}

void cage_settings_look(struct cage_settings *ret_settings)
{
    ret_settings->count = 0;
    for (unsigned row = 0; row < ARRAY_COUNT(rows); row++) {
        const char *star = strchr(rows[row].path, '*');
        if (star)
            add_each(ret_settings, row, star);
        else
            add(ret_settings, row, rows[row].path);
    }
}
