/* summary.c - counts, coverage and pass@k */

#include "eval/summary.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "receipt/receipt.h"
#include "run/run.h"
#include <stdio.h>

static const unsigned pass_at_ks[] = {1, 10, 100};

/* Of the candidate: neither the host's fault nor the task's says anything of it. */
static bool is_judged(enum judge_verdict verdict)
{
    return verdict != JUDGE_VERDICT_MAX && verdict != JUDGE_INFRA_ERROR && verdict != JUDGE_SKIPPED &&
           verdict != JUDGE_TASK_INVALID;
}

void eval_summary_count(const struct eval_ledger *ledger, struct eval_counts *ret_counts)
{
    struct eval_counts counts = {0};

    for (size_t task = 0; task < ledger->tasks->count; task++)
        for (unsigned sample = 0; sample < ledger->samples[task]; sample++) {
            enum judge_verdict verdict = eval_ledger_sample(ledger, task, sample);

            counts.candidates++;
            counts.not_run += verdict == JUDGE_VERDICT_MAX || verdict == JUDGE_SKIPPED;
            if (verdict == JUDGE_VERDICT_MAX)
                continue;
            counts.by_verdict[verdict]++;
            counts.passed += verdict == JUDGE_PASS;
            counts.infra_errors += verdict == JUDGE_INFRA_ERROR;
            counts.judged += is_judged(verdict);
        }
    *ret_counts = counts;
}

/* The samples of a task that were judged, and those that passed. An absent candidate is a task that fails at every k.
 */
static void count_task(const struct eval_ledger *ledger, size_t task, unsigned *ret_n, unsigned *ret_c,
                       bool *ret_absent)
{
    unsigned n = 0, c = 0;

    *ret_absent = false;
    for (unsigned sample = 0; sample < ledger->samples[task]; sample++) {
        enum judge_verdict verdict = eval_ledger_sample(ledger, task, sample);

        *ret_absent = *ret_absent || verdict == JUDGE_MISSING;
        n += is_judged(verdict);
        c += verdict == JUDGE_PASS;
    }
    *ret_n = n;
    *ret_c = c;
}

/* The task is wrong: it counts for nothing. */
static bool is_invalid(const struct eval_ledger *ledger, size_t task)
{
    for (unsigned sample = 0; sample < ledger->samples[task]; sample++)
        if (eval_ledger_sample(ledger, task, sample) == JUDGE_TASK_INVALID)
            return true;
    return false;
}

/* The mean over all tasks that are not wrong themselves; null where some task has fewer than k samples, or where all
 * are absent and k is not 1. */
static json_t *pass_at(const struct eval_ledger *ledger, unsigned k)
{
    double sum = 0;
    size_t tasks = 0, absent_tasks = 0;

    for (size_t task = 0; task < ledger->tasks->count; task++) {
        unsigned n, c;
        bool absent;

        if (!ledger->tasks->items[task].chosen || is_invalid(ledger, task))
            continue;
        count_task(ledger, task, &n, &c, &absent);
        tasks++;
        absent_tasks += absent;
        if (!absent && n < k)
            return json_null();
        sum += absent ? 0 : receipt_pass_at(n, c, k);
    }
    if (tasks == 0 || (absent_tasks == tasks && k > 1))
        return json_null();
    return json_real(sum / (double)tasks);
}

static json_t *pass_at_all(const struct eval_ledger *ledger, bool interrupted)
{
    json_t *all = json_object();

    for (size_t i = 0; all && i < ARRAY_COUNT(pass_at_ks); i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "%u", pass_at_ks[i]);
        /* tasks that were not reached are no failures: there is no estimate yet */
        if (json_object_set_new(all, key, interrupted ? json_null() : pass_at(ledger, pass_at_ks[i])) < 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

static json_t *verdict_counts(const size_t *counts)
{
    json_t *all = json_object();

    for (int v = 0; all && v < JUDGE_VERDICT_MAX; v++)
        if (counts[v] && json_object_set_new(all, judge_verdict_name((enum judge_verdict)v),
                                             json_integer((json_int_t)counts[v])) < 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}

static json_t *count(size_t number)
{
    return json_integer((json_int_t)number);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Put all of @fields into one object. Takes their values. */
struct field {
    const char *key;
    json_t *value;
};
static json_t *make_object(const struct field *fields, size_t field_count)
{
    json_t *object = json_object();
    bool failed = !object;

    for (size_t i = 0; i < field_count; i++)
        failed = json_object_set_new(object, fields[i].key, fields[i].value) < 0 || failed;
    if (failed)
        json_decref(object);
    return failed ? NULL : object;
}

json_t *eval_summary_json(const struct eval_totals *totals, const struct eval_counts *counts)
{
    const struct eval_ledger *ledger = totals->ledger;
    const struct eval_manifest *manifest = totals->manifest;
    const char *head = totals->receipts_head;
    double wall_s = (double)totals->wall_us / 1e6;
    const struct field fields[] = {
        {"tasks", count(ledger->tasks->chosen)},
        {"candidates", count(counts->candidates)},
        {"judged", count(counts->judged)},
        {"passed", count(counts->passed)},
        {"not_run", count(counts->not_run)},
        {"by_verdict", verdict_counts(counts->by_verdict)},
        {"pass_at", pass_at_all(ledger, totals->interrupted)},
        {"coverage", json_real(ratio((double)totals->covered, (double)ledger->tasks->chosen))},
        {"infra_errors", count(counts->infra_errors)},
        {"unknown_candidates", count(totals->unknown)},
        {"results", count(ledger->done)},
        {"resumed", count(totals->resumed)},
        {"runs", count(totals->runs)},
        {"wall_s", json_real(wall_s)},
        {"runs_per_s", json_real(ratio((double)totals->runs, wall_s))},
        {"interrupted", json_boolean(totals->interrupted)},
        {"receipts", count(totals->receipts)},
        {"receipts_head", head && *head ? json_string(head) : json_null()},
        {"task_set_sha256", json_string(manifest->task_set_sha256)},
        {"candidates_sha256", json_string(manifest->candidates_sha256)},
        {"policy_sha256", json_string(manifest->policy_sha256)},
        {"version", json_string(FUMEHOOD_VERSION)},
        {"environment", run_environment()},
    };

    return make_object(fields, ARRAY_COUNT(fields));
}
