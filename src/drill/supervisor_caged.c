/* supervisor_caged.c - an order's program in a cage: a fresh one, or one of a slot that serves others before and after
 *
 * Runs in: the supervisor process of supervisor.c.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "drill/residue.h"
#include "drill/role.h"
#include "drill/scene.h"
#include "drill/supervisor.h"
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_US 1000000
#define ROUNDS      3 /* in which both slots may become clean */
#define STEP_MS     5

static int count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (dir && readdir(dir))
        count++;
    if (dir)
        (void)closedir(dir);
    return count;
}

/* 1 with the receipt, 0 with a word in the answer where it was refused. */
static int run_once(struct drill_told *told, const struct run_request *request, struct warden_outcome *outcome,
                    json_t **ret_receipt, struct base_err *err)
{
    char text[1100];
    int r = run_execute(request, outcome, err);

    if (r == BASE_E_REFUSED) {
        base_json_put(&told->answer, "refused", json_string(base_err_text(err, text, sizeof(text))));
        return 0;
    }
    if (r == 0)
        r = run_receipt(request, outcome, ret_receipt, err);
    return r < 0 ? r : 1;
}

/* Who served, and how many times with this one. Takes @receipt, which only an honest run has. */
static void note_slot(struct drill_told *told, const struct warden_outcome *outcome, json_t *receipt)
{
    base_json_add(&told->runs,
                  json_pack("{s:b, s:i, s:i, s:i, s:o?}", "honest", receipt != NULL, "slot", (int)outcome->slot.number,
                            "keeper", (int)outcome->slot.keeper, "run", (int)outcome->slot.runs, "receipt", receipt));
}

static int run_attack(struct drill_told *told, struct base_err *err)
{
    const struct run_request request = {
        .policy = &told->policy,
        .program = &told->program,
        .args = told->args,
        .stdin_fd = -1,
        .stdin_bytes = told->stdin_text ? told->stdin_text : "",
        .stdin_count = told->stdin_text ? strlen(told->stdin_text) : 0,
        .stdout_fd = told->terminal ? STDOUT_FILENO : -1,
        .stderr_fd = told->terminal ? STDERR_FILENO : -1,
        .cage = told->cage,
    };
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    json_t *receipt = NULL;
    int r = run_once(told, &request, &outcome, &receipt, err);

    if (r <= 0)
        return r;
    base_json_add(&told->receipts, receipt);
    note_slot(told, &outcome, NULL);
    return 0;
}

/* *@ret_clean: its slot serves again. */
static int run_honest(struct drill_told *told, bool *ret_clean, struct base_err *err)
{
    const struct run_request request = {
        .policy = &told->honest_policy,
        .program = &told->honest,
        .stdin_fd = -1,
        .stdin_bytes = "",
        .stdout_fd = -1,
        .stderr_fd = -1,
        .cage = told->cage,
    };
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    json_t *receipt = NULL;
    int r = run_once(told, &request, &outcome, &receipt, err);

    *ret_clean = r == 1 && !outcome.teardown.slot_why[0];
    if (r <= 0)
        return r;
    note_slot(told, &outcome, receipt);
    return 0;
}

/* One in each of the two slots, which a process uses in turn. */
static int run_honest_in_both(struct drill_told *told, bool *ret_clean, struct base_err *err)
{
    bool first = false, second = false;
    int r = run_honest(told, &first, err);

    if (r == 0)
        r = run_honest(told, &second, err);
    *ret_clean = first && second;
    return r;
}

/* For kill-supervisor: from here on the guest is the attack. */
static int say_begun(const struct drill_told *told, struct base_err *err)
{
    char path[DRILL_PATH_BYTES + 16];

    (void)snprintf(path, sizeof(path), "%s/" DRILL_BEGUN_FILE, told->folder);
    return base_place_replace(path, "", 0, err);
}

/* A guest's that stays is one more than those that stand ready. */
static json_t *processes_json(const struct drill_told *told)
{
    const size_t most = DRILL_READY + (told->cage == RUN_CAGE_ZYGOTE ? DRILL_READY_FORKS : 0);
    static struct drill_pids pids;
    uint64_t end_us = base_clock_us() + told->pace * PATIENCE_US;

    for (;;) {
        drill_pids_below(getpid(), 0, &pids);
        if (pids.count <= most || base_clock_us() > end_us)
            return json_integer((json_int_t)(pids.count > most ? pids.count - most : 0));
        base_clock_sleep_ms(STEP_MS);
    }
}

/* What has the attack's interpreter stand ready in both slots, with the attack's environment: else the attack would
 * come first in a slot of its own. */
static int run_nothing(struct drill_told *told, struct base_err *err)
{
    struct stage_program nothing = told->program;
    const struct run_request request = {.policy = &told->policy,
                                        .program = &nothing,
                                        .stdin_fd = -1,
                                        .stdin_bytes = "",
                                        .stdout_fd = -1,
                                        .stderr_fd = -1,
                                        .cage = told->cage};
    int r = 0;

    nothing.bytes = NULL;
    nothing.count = 0;
    for (int slot = 0; slot < 2 && r == 0 && told->program.runtime->has_zygote; slot++) {
        AUTO_OUTCOME struct warden_outcome outcome = {0};
        r = run_execute(&request, &outcome, err);
    }
    return r == BASE_E_REFUSED ? 0 : r; /* as the attack will be */
}

/* After an honest run in each slot every attack comes in the first, with a run in the second between; and another
 * honest run in both at the end. */
static int run_in_slots(struct drill_told *told, struct base_err *err)
{
    bool clean = false;
    int r = drill_told_load(told->honest_path, &told->honest, err);

    if (r == 0 && told->cage == RUN_CAGE_ZYGOTE)
        r = run_nothing(told, err);
    for (int round = 0; round < ROUNDS && r == 0 && !clean; round++)
        r = run_honest_in_both(told, &clean, err);
    if (r == 0)
        r = say_begun(told, err);
    for (int attack = 0; attack <= told->twice && r == 0; attack++) {
        if (attack > 0)
            told->args[told->arg_count] = DRILL_SECOND_ARGUMENT;
        r = run_attack(told, err);
        if (r == 0)
            r = run_honest(told, &clean, err);
    }
    if (r == 0)
        r = run_honest_in_both(told, &clean, err);
    base_json_put(&told->answer, "processes", processes_json(told));
    return r;
}

static int run_plainly(struct drill_told *told, struct base_err *err)
{
    int r = run_attack(told, err);

    if (r == 0 && told->twice) {
        told->args[told->arg_count] = DRILL_SECOND_ARGUMENT;
        r = run_attack(told, err);
    }
    return r;
}

/* As fumehood run does it: the cage is begun before the program is read. The second one is not. */
int drill_told_caged(struct drill_told *told, struct base_err *err)
{
    int before = count_descriptors(), r;

    if (told->cage == RUN_CAGE_FRESH)
        (void)run_prepare(NULL); /* what fails here fails again */
    r = drill_told_load(told->path, &told->program, err);
    if (r == 0)
        r = told->honest_path ? run_in_slots(told, err) : run_plainly(told, err);
    run_release();
    base_json_put(&told->answer, "receipts", json_incref(told->receipts));
    base_json_put(&told->answer, "runs", told->honest_path ? json_incref(told->runs) : json_null());
    base_json_put(&told->answer, "fds_before", json_integer(before));
    base_json_put(&told->answer, "fds_after", json_integer(count_descriptors()));
    return r;
}
