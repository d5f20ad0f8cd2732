/* stop.c - the emergency stop
 *
 * A file that exists stops every run: root's stops the machine, a user's stops that user. It outlives a restart. A
 * user's stands below the home that the machine knows (so that a run with another environment meets it too), and where
 * XDG_STATE_HOME and HOME say.
 */
#include "run/stop.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/place.h"
#include "cage/cage.h"
#include "run/run.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MACHINE_FILE "/var/lib/fumehood/disabled"
#define PATH_BYTES   512
#define PLACES       3

struct places {
    struct place {
        char path[PATH_BYTES];
        bool known; /* where the machine says, not the environment: one that we may not look into could hold a stop */
    } rows[PLACES];
    unsigned count;
};

/* The sixth field of our line in /etc/passwd. The library's way would load code at run time. */
static bool home_of_record(char *home, size_t home_bytes)
{
    AUTO_FCLOSE FILE *passwd = fopen("/etc/passwd", "re");
    char line[1024], wanted[16];

    (void)snprintf(wanted, sizeof(wanted), "%u", (unsigned)geteuid());
    while (passwd && fgets(line, sizeof(line), passwd)) {
        const char *fields[7] = {0};
        char *rest = line;
        for (unsigned i = 0; i < 7 && rest; i++)
            fields[i] = strsep(&rest, ":");
        if (!fields[5] || fields[5][0] != '/' || strcmp(fields[2], wanted) != 0)
            continue;
        (void)snprintf(home, home_bytes, "%s", fields[5]);
        return true;
    }
    return false;
}

static void add_place(struct places *places, const char *folder, const char *below, bool known)
{
    char *path = places->rows[places->count].path;

    if (!folder || folder[0] != '/')
        return;
    if (snprintf(path, PATH_BYTES, "%s%s/fumehood/disabled", folder, below) >= PATH_BYTES)
        return;
    for (unsigned i = 0; i < places->count; i++)
        if (strcmp(places->rows[i].path, path) == 0)
            return;
    places->rows[places->count++].known = known;
}

/* Asked many times a second, so the record is read once. */
static const char *recorded_home(void)
{
    static char home[PATH_BYTES];
    static bool known;

    if (!known && !home_of_record(home, sizeof(home)))
        home[0] = 0;
    known = true;
    return home;
}

static struct places own_places(void)
{
    struct places places = {.count = 0};

    if (geteuid() == 0) {
        places = (struct places){.rows = {{MACHINE_FILE, true}}, .count = 1};
        return places;
    }
    add_place(&places, recorded_home(), "/.local/state", true);
    add_place(&places, getenv("XDG_STATE_HOME"), "", false);
    add_place(&places, getenv("HOME"), "/.local/state", false);
    return places;
}

static bool stands(const char *path, bool known)
{
    return access(path, F_OK) == 0 || (known && errno != ENOENT && errno != ENOTDIR);
}

static bool find_stop(char path[PATH_BYTES])
{
    struct places places = own_places();

    (void)snprintf(path, PATH_BYTES, MACHINE_FILE);
    if (stands(MACHINE_FILE, true))
        return true;
    for (unsigned i = 0; i < places.count; i++)
        if (stands(places.rows[i].path, places.rows[i].known)) {
            memcpy(path, places.rows[i].path, PATH_BYTES);
            return true;
        }
    return false;
}

const char *run_stop_reason(void)
{
    char path[PATH_BYTES];

    if (!find_stop(path))
        return NULL;
    return access(path, F_OK) == 0 ? "the emergency stop was set" : "the emergency stop can no longer be looked for";
}

/* Where nobody can look there may be one: closed, but not said to be set. */
static int cannot_look(const char *path, int sys_errno, struct base_err *err)
{
    char unit[CAGE_UNIT_BYTES];

    (void)base_err_sys(err, BASE_E_REFUSED, sys_errno, path, "the emergency stop may be set: that cannot be looked at");
    if (cage_unit_name(unit))
        return base_err_remedy(err, "ProtectHome=read-only in %s, or a user whose home is elsewhere: docs/systemd.md",
                               unit);
    return base_err_remedy(err, "let this user search the folders on the way there");
}

int run_check_stop(struct base_err *err)
{
    char path[PATH_BYTES];
    AUTO_BUF struct base_buf why = {.max = 4096};

    if (!find_stop(path))
        return 0;
    if (access(path, F_OK) < 0 && errno != ENOENT && errno != ENOTDIR)
        return cannot_look(path, errno, err);
    if (base_file_read(path, 4000, &why, NULL) < 0 || why.count == 0)
        (void)base_buf_text(&why, "no reason is given");
    while (why.count > 0 && why.bytes[why.count - 1] == '\n')
        why.bytes[--why.count] = 0;
    (void)base_err_set(err, BASE_E_REFUSED, path, "runs are disabled: %s", why.bytes ? why.bytes : "");
    return base_err_remedy(err, "fumehood enable");
}

static int set_at(const char *path, const char *why, struct base_err *err)
{
    AUTO_CLOSE int folder_fd = -1;
    char folder[PATH_BYTES];
    int r;

    (void)snprintf(folder, sizeof(folder), "%s", path);
    *strrchr(folder, '/') = 0;
    r = base_place_folder(folder, BASE_PLACE_MAKE, &folder_fd, err);
    return r < 0 ? r : base_place_replace_at(folder_fd, "disabled", path, why, strlen(why), err);
}

int run_stop_set(const char *why, struct base_err *err)
{
    struct places places = own_places();
    int set = 0, r = 0;

    if (places.count == 0)
        return base_err_set(err, BASE_E_SETUP, "disable", "there is no place for it: this user has no home");
    for (unsigned i = 0; i < places.count; i++) {
        int one = set_at(places.rows[i].path, why, set ? NULL : err);
        set += one == 0;
        r = one < 0 ? one : r;
    }
    return set ? 0 : r; /* one place is enough: every run looks at all */
}

int run_stop_clear(struct base_err *err)
{
    struct places places = own_places();

    for (unsigned i = 0; i < places.count; i++) {
        struct base_err why;
        if (base_place_remove(places.rows[i].path, &why) < 0 && stands(places.rows[i].path, places.rows[i].known)) {
            if (err)
                *err = why;
            return why.code;
        }
    }
    if (geteuid() != 0 && stands(MACHINE_FILE, true))
        return base_err_set(err, BASE_E_REFUSED, MACHINE_FILE, "the machine's own stop is set: only root can clear it");
    return 0;
}
