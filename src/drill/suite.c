/* suite.c - all attacks of a folder, one after the other, and what they come to */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/signals.h"
#include "drill/attack.h"
#include "drill/pace.h"
#include "run/run.h"
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#define SCHEMA      "fumehood.drill/1"
#define ATTACKS_MAX 2000 /* each takes some KiB before anything is run */

static volatile sig_atomic_t interrupted;

static const struct {
    const char *name, *counted; /* in a row, in the summary */
} results[] = {
    [DRILL_HELD] = {"held", "held"},
    [DRILL_RED] = {"red", "red"},
    [DRILL_SKIP] = {"skip", "skipped"},
    [DRILL_RESIDUAL] = {"residual", "residual"},
};

const char *drill_result_name(enum drill_result result)
{
    return (size_t)result < ARRAY_COUNT(results) ? results[result].name : NULL;
}

int drill_interrupted(void)
{
    return interrupted;
}

static void on_signal(int number)
{
    interrupted = number;
}

/* --- finding --- */

struct suite {
    const struct drill_request *request;
    char *dir;
    struct {
        char **items;
        size_t count;
    } names;
    struct drill_attack *attacks;
    size_t loaded;
    struct drill_site site;
    unsigned pace; /* see pace.h */
    int lock_fd;   /* of its folder */
    unsigned counts[DRILL_GROUP_MAX][DRILL_RESULT_MAX];
    unsigned clean, dropped, first; /* slots after attacks; those in which the attack came first */
};

static void suite_release(struct suite *suite)
{
    for (size_t i = 0; i < suite->names.count; i++)
        free(suite->names.items[i]);
    for (size_t i = 0; i < suite->loaded; i++)
        drill_attack_release(&suite->attacks[i]);
    free(suite->names.items);
    free(suite->attacks);
    free(suite->dir);
    policy_release(&suite->site.policy);
    if (suite->site.top[0])
        drill_folder_remove(suite->site.top);
    cage_base_leave();
    base_cleanup_close(&suite->lock_fd);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Beside the program where it was built, or where both were installed. */
static int find_folder(struct suite *suite, struct base_err *err)
{
    static const char *const places[] = {"attacks", "../share/fumehood/attacks"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    if (suite->request->attacks) {
        suite->dir = realpath(suite->request->attacks, NULL); /* supervisors and controls work in other folders */
        return suite->dir ? 0 : base_err_sys(err, BASE_E_USAGE, errno, suite->request->attacks, "cannot be read");
    }
    if (length < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "/proc/self/exe", "cannot be read");
    program[length] = '\0';
    slash = strrchr(program, '/');
    *(slash ? slash : program) = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        free(suite->dir);
        if (asprintf(&suite->dir, "%s/%s", program, places[i]) < 0)
            suite->dir = NULL;
        if (suite->dir && is_folder(suite->dir))
            return 0;
    }
    (void)base_err_set(err, BASE_E_USAGE, program, "neither holds the attacks nor has them in ../share/fumehood");
    return base_err_remedy(err, "--attacks DIR");
}

static bool is_wanted(const struct drill_request *request, const char *name)
{
    for (size_t i = 0; i < request->only_count; i++)
        if (fnmatch(request->only[i], name, 0) == 0)
            return true;
    return request->only_count == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct suite *suite, const char *name, struct base_err *err)
{
    char **items;

    if (suite->names.count == ATTACKS_MAX) {
        (void)base_err_set(err, BASE_E_USAGE, suite->dir, "holds more than %d attacks", ATTACKS_MAX);
        return base_err_remedy(err, "choose some with --only GLOB");
    }
    items = reallocarray(suite->names.items, suite->names.count + 1, sizeof(*items));

    if (items)
        suite->names.items = items;
    if (!items || !(items[suite->names.count] = strdup(name)))
        return base_err_set(err, BASE_E_NOMEM, suite->dir, "out of memory");
    suite->names.count++;
    return 0;
}

static int list_names(struct suite *suite, struct base_err *err)
{
    DIR *dir = opendir(suite->dir);
    struct dirent *entry;
    int r = 0;

    if (!dir)
        return base_err_sys(err, BASE_E_USAGE, errno, suite->dir, "cannot be read");
    while (r == 0 && (entry = readdir(dir))) {
        char path[PATH_MAX];
        if (entry->d_name[0] == '.' || !is_wanted(suite->request, entry->d_name))
            continue;
        if (snprintf(path, sizeof(path), "%s/%s", suite->dir, entry->d_name) < (int)sizeof(path) && is_folder(path))
            r = add_name(suite, entry->d_name, err);
    }
    (void)closedir(dir);
    if (r == 0 && suite->names.count == 0)
        r = base_err_set(err, BASE_E_USAGE, suite->dir, "holds no attack%s",
                         suite->request->only_count ? " that --only matches" : "");
    if (r == 0)
        qsort(suite->names.items, suite->names.count, sizeof(*suite->names.items), compare_names);
    return r;
}

/* Every expectation is read before anything is run. */
static int load_all(struct suite *suite, struct base_err *err)
{
    suite->attacks = calloc(suite->names.count, sizeof(*suite->attacks));
    if (!suite->attacks)
        return base_err_set(err, BASE_E_NOMEM, suite->dir, "out of memory");
    for (; suite->loaded < suite->names.count; suite->loaded++) {
        int r = drill_attack_load(suite->dir, suite->names.items[suite->loaded], &suite->site.policy,
                                  &suite->attacks[suite->loaded], err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int take_policy(struct suite *suite, const char *name, struct base_err *err)
{
    int r = policy_builtin(name, &suite->site.policy, err);

    return r < 0 || !suite->request->tier ? r : policy_set_tier(&suite->site.policy, suite->request->tier, err);
}

/* The default policy, or where this machine cannot enforce it the one that goes on without: what it then lacks is told
 * row by row. */
static int choose_policy(struct suite *suite, struct base_err *err)
{
    int r = take_policy(suite, "default", err);

    if (r == 0)
        r = run_check_stop(err);
    if (r < 0 || run_check(&suite->site.policy, NULL) == 0)
        return r;
    policy_release(&suite->site.policy);
    return take_policy(suite, "if-available", err);
}

static int choose_cage(struct suite *suite, struct base_err *err)
{
    const char *name = suite->request->cage;
    enum run_cage cage = RUN_CAGE_FRESH;

    if (name && !run_cage_find(name, &cage))
        return base_err_set(err, BASE_E_USAGE, name, "is no cage");
    suite->site.cage = run_cage_name(cage);
    suite->site.in_slot = cage != RUN_CAGE_FRESH;
    return 0;
}

static void take_pace(struct suite *suite)
{
    suite->pace = drill_pace_measure();
    drill_pace_stretch_all(&suite->site.policy, suite->pace);
    for (size_t i = 0; i < suite->loaded; i++)
        drill_pace_stretch(&suite->attacks[i].expect, suite->pace, suite->site.in_slot);
}

static int prepare(struct suite *suite, struct base_err *err)
{
    int r = choose_cage(suite, err);

    if (r == 0)
        r = choose_policy(suite, err);
    if (r == 0)
        r = find_folder(suite, err);
    if (r == 0)
        r = list_names(suite, err);
    if (r == 0)
        r = load_all(suite, err);
    if (r == 0)
        r = drill_residue_begin(err);
    if (r == 0) {
        drill_folder_dead(drill_scene_clear);
        r = drill_folder_make(suite->site.top, &suite->lock_fd, err);
    }
    if (r == 0)
        take_pace(suite);
    cage_host_probe(&suite->site.host);
    cage_base_take(&suite->site.host); /* for the supervisors, too: they find it taken */
    return r;
}

/* --- running and reporting --- */

static void count_slot(struct suite *suite, const json_t *row)
{
    const json_t *slot = json_object_get(row, "slot");
    const char *state = json_string_value(json_object_get(slot, "state"));

    if (!state)
        return; /* a fresh cage, or no receipt */
    if (strcmp(state, "clean") == 0)
        suite->clean++;
    else
        suite->dropped++;
    if (json_integer_value(json_object_get(slot, "runs_before")) == 0)
        suite->first++;
}

static int run_rows(struct suite *suite, json_t *rows, struct base_err *err)
{
    const struct drill_request *request = suite->request;

    if (request->begin)
        request->begin(request->context, (const char *const *)suite->names.items, suite->names.count);
    for (size_t i = 0; i < suite->loaded && !interrupted; i++) {
        enum drill_result result;
        json_t *row = NULL;
        int r = drill_attack_run(&suite->attacks[i], &suite->site, &row, &result, err);

        if (interrupted)
            json_decref(row); /* half a row says nothing */
        if (interrupted || r < 0)
            return r;
        suite->counts[suite->attacks[i].expect.group][result]++;
        count_slot(suite, row);
        if (request->row)
            request->row(request->context, row);
        if (json_array_append_new(rows, row) < 0)
            return base_err_set(err, BASE_E_NOMEM, "report", "out of memory");
    }
    return 0;
}

static json_t *counts_json(const unsigned *counts)
{
    json_t *json = json_object();

    for (int result = 0; result < DRILL_RESULT_MAX; result++)
        base_json_put(&json, results[result].counted, json_integer(counts[result]));
    return json;
}

static json_t *summary_json(const struct suite *suite)
{
    unsigned all[DRILL_RESULT_MAX] = {0};
    json_t *by_group = json_object(), *json;

    for (int group = 0; group < DRILL_GROUP_MAX; group++) {
        unsigned any = 0;
        for (int result = 0; result < DRILL_RESULT_MAX; result++) {
            all[result] += suite->counts[group][result];
            any += suite->counts[group][result];
        }
        if (any > 0)
            base_json_put(&by_group, drill_group_name((enum drill_group)group), counts_json(suite->counts[group]));
    }
    json = counts_json(all);
    base_json_put(&json, "by_group", by_group);
    if (suite->site.in_slot)
        base_json_put(&json, "slots",
                      json_pack("{s:i, s:i, s:i}", "clean", (int)suite->clean, "dropped", (int)suite->dropped, "first",
                                (int)suite->first));
    return json;
}

int drill_run(const struct drill_request *request, json_t **ret_report, struct base_err *err)
{
    CLEANUP(suite_release) struct suite suite = {.request = request, .lock_fd = -1};
    AUTO_JSON json_t *rows = json_array();
    uint64_t began_us = base_clock_us();
    char started[32];
    int r;

    (void)base_clock_utc(started, sizeof(started));
    r = prepare(&suite, err);
    if (r < 0)
        return r;
    base_signals_handle(base_signals_ending(), on_signal); /* what is staged must be taken away all the same */
    r = run_rows(&suite, rows, err);
    (void)drill_kill_below(0);
    if (r < 0)
        return r;
    *ret_report = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:f, s:o, s:O}", "schema", SCHEMA, "version",
                            FUMEHOOD_VERSION, "started_utc", started, "tier", policy_tier_name(suite.site.policy.tier),
                            "cage", suite.site.cage, "policy", suite.site.policy.name, "machine", run_environment(),
                            "pace", (int)suite.pace, "wall_s", (double)(base_clock_us() - began_us) / 1e6, "summary",
                            summary_json(&suite), "attacks", rows);
    return *ret_report ? 0 : base_err_set(err, BASE_E_NOMEM, "report", "out of memory");
}
