/* attack.c - one attack: stage, run in a cage, look from outside, prove that it works, judge */
#include "drill/attack.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "drill/order.h"
#include "drill/pace.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>

#define EXPECT_FILE      "expect.yaml"
#define EXPECT_MAX_BYTES (256u << 10)
#define PROGRAM_PREFIX   "attack"
#define HONEST_FILE      "honest.sh"
#define SIBLING_DIR      "sibling"
#define SIBLING_FILE     "harmless.sh"
#define SIBLING_TEXT     "i=0\nwhile [ $i -lt 6 ]; do sleep 0.05; i=$((i + 1)); done\n"
#define GRACE_US         20000000 /* beyond the wall limit of a run */
#define UNLIMITED_US     60000000 /* for a run without one */

extern const struct base_embedded drill_honest[]; /* made by the build from honest.sh */

/* --- loading --- */

/* "attack" or "attack.EXTENSION"; a source is not a program. */
static bool is_program(const char *name)
{
    size_t length = strlen(PROGRAM_PREFIX);

    if (strncmp(name, PROGRAM_PREFIX, length) != 0)
        return false;
    return name[length] == '\0' || (name[length] == '.' && strcmp(name + length, ".c") != 0);
}

static int find_program(const char *folder, char **ret_path, struct base_err *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    unsigned found = 0;

    if (!dir)
        return base_err_sys(err, BASE_E_USAGE, errno, folder, "cannot be read");
    while ((entry = readdir(dir))) {
        if (!is_program(entry->d_name) || found++ > 0)
            continue;
        if (asprintf(ret_path, "%s/%s", folder, entry->d_name) < 0)
            *ret_path = NULL;
    }
    (void)closedir(dir);
    if (found != 1)
        return base_err_set(err, BASE_E_INVALID, folder, "has %u programs named attack.*, not one%s", found,
                            found == 0 ? " (a C source must have been built)" : "");
    if (!*ret_path)
        return base_err_set(err, BASE_E_NOMEM, folder, "out of memory");
    if (!base_json_is_utf8(*ret_path, strlen(*ret_path)))
        return base_err_set(err, BASE_E_INVALID, *ret_path, "is a path that is not UTF-8, as the report is");
    return 0;
}

/* What cannot be read now could not be run later. */
static int check_program(const char *path, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;

    return base_file_open(path, &fd, NULL, err);
}

/* A folder of attacks that cannot be read is a wrong folder, whatever is wrong with its files. */
static int as_usage(int r, struct base_err *err)
{
    if (r == BASE_E_NOT_FOUND || r == BASE_E_IO)
        r = err->code = BASE_E_USAGE;
    return r;
}

int drill_attack_load(const char *dir, const char *name, const struct policy *base, struct drill_attack *ret_attack,
                      struct base_err *err)
{
    CLEANUP(drill_attack_release) struct drill_attack attack = {.name = strdup(name)};
    AUTO_FREE char *folder = NULL, *path = NULL;
    AUTO_BUF struct base_buf text = {0};
    int r;

    if (!attack.name || asprintf(&folder, "%s/%s", dir, name) < 0 || asprintf(&path, "%s/" EXPECT_FILE, folder) < 0)
        return base_err_set(err, BASE_E_NOMEM, name, "out of memory");
    r = as_usage(base_file_read(path, EXPECT_MAX_BYTES, &text, err), err);
    if (r == 0)
        r = drill_expect_parse(text.bytes ? text.bytes : "", text.count, path, base, &attack.expect, err);
    if (r == 0)
        r = find_program(folder, &attack.program, err);
    if (r == 0)
        r = as_usage(check_program(attack.program, err), err);
    if (r < 0)
        return r;
    *ret_attack = attack;
    attack = (struct drill_attack){.name = NULL}; /* given away */
    return 0;
}

void drill_attack_release(struct drill_attack *attack)
{
    free(attack->name);
    free(attack->program);
    drill_expect_release(&attack->expect);
}

/* --- running --- */

struct row {
    const struct drill_attack *attack;
    const struct drill_site *site;
    struct drill_scene scene;
    struct drill_before before;
    struct drill_facts facts;
    struct drill_done done, sibling;
    struct base_buf shown; /* by the terminal, of the caged run */
};

static void row_release(struct row *row)
{
    drill_scene_release(&row->scene);
    drill_before_release(&row->before);
    drill_done_release(&row->done);
    drill_done_release(&row->sibling);
    base_buf_release(&row->shown);
    drill_words_release(&row->facts.outside);
    drill_residue_release(&row->facts.residue);
    drill_words_release(&row->facts.control.endings);
    drill_words_release(&row->facts.control.evidence);
}

static bool has(const struct row *row, enum drill_outside kind)
{
    return row->attack->expect.outside & DRILL_BIT(kind);
}

static uint64_t grace_us(const struct row *row)
{
    return (uint64_t)row->attack->expect.pace * GRACE_US;
}

static uint64_t patience_us(const struct row *row)
{
    return (uint64_t)row->attack->expect.pace * DRILL_PATIENCE_US;
}

static uint64_t deadline_us(const struct row *row)
{
    const struct policy_limit *wall = &row->attack->expect.policy.limits[POLICY_LIMIT_WALL_MS];
    uint64_t run_us = wall->unlimited || wall->value * 1000 > UNLIMITED_US ? UNLIMITED_US : wall->value * 1000;

    return base_clock_us() + (has(row, DRILL_SECOND_RUN) ? 2 : 1) * run_us + grace_us(row);
}

/* A run that does nothing wrong, under the attack's own policy but for what that is about. */
static int order_harmless(const struct row *row, const struct policy *policy, pid_t *ret_pid,
                          struct drill_order *ret_order, struct base_err *err)
{
    static char path[DRILL_PATH_BYTES + 32];
    int r;

    (void)snprintf(path, sizeof(path), "%s/" SIBLING_FILE, row->site->top);
    r = base_place_replace(path, SIBLING_TEXT, strlen(SIBLING_TEXT), err);
    if (r < 0)
        return r;
    *ret_order = (struct drill_order){
        .program = path, .policy = policy, .plain = true, .cage = row->site->cage, .notes = SIBLING_DIR};
    return drill_order_start(ret_order, &row->scene, ret_pid, err);
}

/* What runs in the same slots before and after: it shows what a run can see, which is to stay the same. */
static int put_honest(const struct row *row, char path[DRILL_PATH_BYTES + 32], struct base_err *err)
{
    (void)snprintf(path, DRILL_PATH_BYTES + 32, "%s/" HONEST_FILE, row->site->top);
    return base_place_replace(path, (const char *)drill_honest->bytes, drill_honest->count, err);
}

/* The run itself, and the harmless one beside it. */
static int run_both(struct row *row, struct base_err *err)
{
    const struct drill_expect *expect = &row->attack->expect;
    const bool in_slot = row->site->in_slot;
    char honest[DRILL_PATH_BYTES + 32];
    const struct drill_order order = {.program = row->attack->program,
                                      .args = &expect->args,
                                      .stdin_text = expect->stdin_text,
                                      .policy = &expect->policy,
                                      .twice = has(row, DRILL_SECOND_RUN),
                                      .cage = row->site->cage,
                                      .honest = in_slot ? honest : NULL,
                                      .honest_policy = &row->site->policy,
                                      .notes = DRILL_NOTE_DIR};
    struct drill_order harmless;
    pid_t pid, other = 0;
    int r = in_slot ? put_honest(row, honest, err) : 0;

    if (r == 0 && has(row, DRILL_SIBLING))
        r = order_harmless(row, &row->site->policy, &other, &harmless, err);
    if (r == 0)
        r = drill_order_start(&order, &row->scene, &pid, err);
    if (r < 0) {
        (void)drill_kill_below(0);
        return r;
    }
    drill_order_wait(&order, &row->scene, pid, deadline_us(row), &row->done);
    if (other > 0)
        drill_order_wait(&harmless, &row->scene, other, base_clock_us() + grace_us(row), &row->sibling);
    return 0;
}

/* What a killed supervisor left is cleared by the next start on this machine. */
static int start_next(struct row *row, struct base_err *err)
{
    AUTO_DONE struct drill_done done = {.status = -1};
    struct drill_order order;
    pid_t pid;
    int r = order_harmless(row, &row->site->policy, &pid, &order, err);

    if (r == 0)
        drill_order_wait(&order, &row->scene, pid, base_clock_us() + grace_us(row), &done);
    return r;
}

static void take_facts(struct row *row)
{
    struct drill_facts *facts = &row->facts;

    facts->answer = row->done.answer;
    facts->sibling = row->sibling.answer;
    facts->hung = row->done.hung;
    facts->killed = row->done.killed;
    facts->status = row->done.status;
    drill_scene_check(&row->scene, &facts->outside);
    facts->staged = row->scene.made != 0;
    facts->files = row->scene.strays;
    if (has(row, DRILL_TERMINAL)) {
        row->shown = row->scene.typed; /* the control shows something too */
        row->scene.typed = (struct base_buf){.max = row->shown.max};
        facts->terminal = &row->shown;
    }
}

static int run_caged(struct row *row, struct base_err *err)
{
    struct drill_residue *residue = &row->facts.residue;
    pid_t victim = row->scene.victim;
    int r = drill_before_take(&row->site->host, &row->before, err);

    if (r == 0)
        r = run_both(row, err);
    if (r < 0)
        return r;
    if (row->done.killed) {
        uint64_t killed_us = base_clock_us();
        drill_residue_processes(victim, patience_us(row), residue);
        row->facts.cleared_us = base_clock_us() - killed_us;
        r = start_next(row, err);
    }
    take_facts(row);
    drill_residue_look(&row->site->host, &row->before, victim, patience_us(row), residue);
    (void)drill_kill_below(victim);
    return r;
}

static int run_all(struct row *row, struct base_err *err)
{
    struct drill_facts *facts = &row->facts;
    struct base_err why;
    int r;

    drill_attack_unmet(row->attack, &row->site->host, facts->unstaged, sizeof(facts->unstaged));
    if (facts->unstaged[0])
        return 0;
    if (drill_scene_make(&row->attack->expect, row->site->top, &row->scene, &why) < 0) {
        (void)snprintf(facts->unstaged, sizeof(facts->unstaged), "cannot be staged: %.100s: %.250s", why.place,
                       why.what);
        return 0;
    }
    facts->nonce = row->scene.nonce;
    r = run_caged(row, err);
    if (r < 0 || row->attack->expect.control != DRILL_CONTROL_BARE)
        return r;
    drill_control_unmet(row->attack, facts->unproven, sizeof(facts->unproven));
    if (!facts->unproven[0])
        drill_control_run(row->attack, &row->scene, &facts->control);
    return 0;
}

/* It may have become slower since it was measured. */
static void judge(struct row *row, struct drill_verdict *verdict)
{
    unsigned now;

    drill_judge(&row->facts, verdict);
    if (verdict->result != DRILL_RED)
        return;
    now = drill_pace_measure();
    if (now <= row->facts.pace)
        return;
    row->facts.pace = now;
    drill_verdict_release(verdict);
    drill_judge(&row->facts, verdict);
}

int drill_attack_run(const struct drill_attack *attack, const struct drill_site *site, json_t **ret_row,
                     enum drill_result *ret_result, struct base_err *err)
{
    CLEANUP(row_release) struct row row = {.attack = attack, .site = site};
    CLEANUP(drill_verdict_release) struct drill_verdict verdict = {.result = DRILL_RED};
    int r;

    row.facts.expect = &attack->expect;
    row.facts.pace = attack->expect.pace;
    row.facts.nonce = "";
    r = run_all(&row, err);
    if (r < 0)
        return r;
    judge(&row, &verdict);
    *ret_row = drill_row_json(attack, &row.facts, &verdict);
    *ret_result = verdict.result;
    return *ret_row ? 0 : base_err_set(err, BASE_E_NOMEM, attack->name, "out of memory");
}
