/* choose.c - policy file, then tier, limits and environment from the command line */

#include "front/cli/choose.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cage/cage.h"
#include "front/cli/say.h"
#include "stage/read.h"
#include "stage/stage.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLICY_MAX_BYTES (1u << 20)

/* Where a user's own policy stands: false where no folder is known, or none is there. What cannot be looked at may be
 * there, and a link that leads nowhere is there. */
static bool find_own(char path[PATH_MAX])
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool has_config = config && config[0] == '/';
    struct stat st;
    int length;

    if (!has_config && (!home || home[0] != '/'))
        return false;
    length =
        snprintf(path, PATH_MAX, "%s%s/fumehood/policy.yaml", has_config ? config : home, has_config ? "" : "/.config");
    if (length >= PATH_MAX)
        return false;
    return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* It decides what a program may do without having been named: so nobody else may have written it. */
static int check_own(const char *path, int fd, struct base_err *err)
{
    const char *why = NULL;
    struct stat st;

    if (fstat(fd, &st) < 0)
        return base_err_sys(err, BASE_E_USAGE, errno, path, "cannot be looked at");
    if (st.st_uid != geteuid() && st.st_uid != 0)
        why = "belongs to another user, so it is nobody's own policy here";
    else if (st.st_mode & 022)
        why = "may be written by others, so it is nobody's own policy";
    if (!why)
        return 0;
    (void)base_err_set(err, BASE_E_USAGE, path, "%s", why);
    return base_err_remedy(err, "chmod go-w, or chown");
}

/* Nobody has named it in this call, so how to go on is told with what is wrong. */
static int load_own_failed(struct base_err *err)
{
    char unit[CAGE_UNIT_BYTES];

    if (err->sys_errno == EACCES && cage_unit_name(unit))
        return base_err_remedy(err,
                               "it may be your own default: ProtectHome=read-only in %s, a user whose home is "
                               "elsewhere, or --policy default: docs/systemd.md",
                               unit);
    return base_err_remedy(err, "%s%sit is your own default: mend or delete it, or name another: --policy default",
                           err->remedy, *err->remedy ? "; " : "");
}

static int load_own(const char *path, struct policy *ret_policy, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    AUTO_CLOSE int fd = -1;
    char open_path[64];
    int r = base_file_open(path, &fd, NULL, err);

    if (r >= 0)
        r = check_own(path, fd, err);
    if (r < 0)
        return r;
    (void)snprintf(open_path, sizeof(open_path), "/proc/self/fd/%d", fd); /* the one that was looked at */
    r = base_file_read(open_path, POLICY_MAX_BYTES, &text, err);
    return r < 0 ? r : policy_parse(text.bytes ? text.bytes : "", text.count, path, ret_policy, err);
}

/* "-", a FIFO, a shell's <(...) */
static int load_stream(const char *named, struct policy *ret_policy, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    const char *place = strcmp(named, "-") == 0 ? "standard input" : named;
    int r = stage_read(named, POLICY_MAX_BYTES, &text, err);

    return r < 0 ? r : policy_parse(text.bytes ? text.bytes : "", text.count, place, ret_policy, err);
}

bool cli_choose_is_stream(const char *named)
{
    return strcmp(named, "-") == 0 || (strpbrk(named, "/.") && stage_is_stream(named));
}

int cli_choose_named(const char *named, struct policy *ret_policy, struct base_err *err)
{
    return cli_choose_is_stream(named) ? load_stream(named, ret_policy, err) : policy_load(named, ret_policy, err);
}

static int load(const char *named, struct policy *ret_policy, struct base_err *err)
{
    char path[PATH_MAX];

    if (!named && find_own(path)) {
        int r = load_own(path, ret_policy, err);
        return r < 0 && err ? load_own_failed(err) : r;
    }
    return cli_choose_named(named ? named : "default", ret_policy, err);
}

/* Lists may be NULL: there is no such option. */
static int apply_lists(const struct cli_choice *choice, struct policy *policy, struct base_err *err)
{
    const struct cli_list *limits = choice->limits, *env = choice->env;
    int r = limits ? policy_set_limits(policy, limits->items, limits->count, "command line", err) : 0;

    return r < 0 || !env ? r : policy_add_envs(policy, env->items, env->count, err);
}

int cli_choose_policy(const struct cli_choice *choice, struct policy *ret_policy, struct base_err *err)
{
    AUTO_POLICY struct policy policy = {0};
    int r = load(choice->policy, &policy, err);

    r = cli_say_usage_if_missing(r, err);
    if (r >= 0 && choice->tier)
        r = policy_set_tier(&policy, choice->tier, err);
    if (r >= 0)
        r = apply_lists(choice, &policy, err);
    if (r < 0)
        return r;
    if (choice->if_available)
        policy_soften(&policy);
    *ret_policy = policy;
    policy = (struct policy){0}; /* given away */
    return 0;
}

void cli_choose_scope(bool is_off)
{
    if (is_off)
        (void)setenv(CAGE_SCOPE_VARIABLE, "no", 1); /* fails without memory, and then all fails */
}

int cli_choose_cage(const struct cli_syntax *syntax, const char *cage, bool fresh, enum run_cage by_default,
                    enum run_cage *ret_cage, struct base_err *err)
{
    *ret_cage = fresh ? RUN_CAGE_FRESH : by_default;
    if (!cage)
        return 0;
    if (!run_cage_find(cage, ret_cage))
        return cli_options_err(syntax, err, "--cage is fresh, slot or zygote");
    if (fresh && *ret_cage != RUN_CAGE_FRESH)
        return cli_options_err(syntax, err, "--fresh and --cage %s exclude each other", cage);
    return 0;
}
