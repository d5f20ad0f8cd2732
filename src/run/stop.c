/* stop.c - the emergency stop
 *
 * A file that exists stops every run: root's stops the machine, a user's stops that user. It outlives a restart.
 */
#include "run/stop.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "run/run.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MACHINE_FILE "/var/lib/fumehood/disabled"
#define PATH_BYTES   512

/* Empty when this user has no home: then only the machine's file counts. */
static void user_file(char *path, size_t path_bytes)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = 0;

    path[0] = 0;
    if (geteuid() == 0)
        length = snprintf(path, path_bytes, MACHINE_FILE);
    else if (state && state[0] == '/')
        length = snprintf(path, path_bytes, "%s/fumehood/disabled", state);
    else if (home && home[0] == '/')
        length = snprintf(path, path_bytes, "%s/.local/state/fumehood/disabled", home);
    if (length < 0 || (size_t)length >= path_bytes)
        path[0] = 0;
}

static const char *find_stop(char *user, size_t user_bytes)
{
    if (access(MACHINE_FILE, F_OK) == 0)
        return MACHINE_FILE;
    user_file(user, user_bytes);
    return user[0] && access(user, F_OK) == 0 ? user : NULL;
}

const char *run_stop_reason(void)
{
    char user[PATH_BYTES];

    return find_stop(user, sizeof(user)) ? "the emergency stop was set" : NULL;
}

int run_check_stop(struct base_err *err)
{
    char user[PATH_BYTES];
    const char *path = find_stop(user, sizeof(user));
    AUTO_BUF struct base_buf why = {.max = 4096};

    if (!path)
        return 0;
    if (base_file_read(path, 4000, &why, NULL) < 0 || why.count == 0)
        (void)base_buf_text(&why, "no reason is given");
    while (why.count > 0 && why.bytes[why.count - 1] == '\n')
        why.bytes[--why.count] = 0;
    (void)base_err_set(err, BASE_E_REFUSED, path, "runs are disabled: %s", why.bytes ? why.bytes : "");
    return base_err_remedy(err, "fumehood enable");
}

int run_stop_set(const char *why, struct base_err *err)
{
    char path[PATH_BYTES], folder[PATH_BYTES];
    int r;

    user_file(path, sizeof(path));
    if (!path[0])
        return base_err_set(err, BASE_E_SETUP, "disable",
                            "there is no place for it: neither XDG_STATE_HOME nor HOME is set");
    (void)snprintf(folder, sizeof(folder), "%s", path);
    *strrchr(folder, '/') = 0;
    r = base_file_mkdirs(folder, err);
    return r < 0 ? r : base_file_replace(path, why, strlen(why), err);
}

int run_stop_clear(struct base_err *err)
{
    char path[PATH_BYTES];

    user_file(path, sizeof(path));
    if (path[0] && unlink(path) < 0 && errno != ENOENT)
        return base_err_sys(err, BASE_E_IO, errno, path, "cannot be removed");
    if (geteuid() != 0 && access(MACHINE_FILE, F_OK) == 0)
        return base_err_set(err, BASE_E_REFUSED, MACHINE_FILE, "the machine's own stop is set: only root can clear it");
    return 0;
}
