/* claim.c - results of an earlier run that name no run: believed only where this run would make them itself
 *
 * Nothing proves such a line: whoever may write the file could say of a failure that there was no candidate. So it is
 * made anew, from the candidate, and must be the same to the byte.
 */

#include "eval/claim.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "eval/job.h"
#include "eval/result.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void eval_claims_release(struct eval_claims *claims)
{
    free(claims->items);
    *claims = (struct eval_claims){0};
}

int eval_claims_add(struct eval_claims *claims, size_t row, unsigned long line, const json_t *result)
{
    struct eval_claim *claim;

    if (claims->count == claims->capacity) {
        size_t capacity = claims->capacity ? 2 * claims->capacity : 64;
        struct eval_claim *items = reallocarray(claims->items, capacity, sizeof(*items));

        if (!items)
            return BASE_E_NOMEM;
        claims->items = items;
        claims->capacity = capacity;
    }
    claim = &claims->items[claims->count++];
    *claim = (struct eval_claim){.row = row, .line = line};
    return base_json_hash(result, claim->sha256);
}

enum judge_verdict eval_without_run(const struct eval_candidate *candidate, const char **ret_detail)
{
    if (candidate->form == EVAL_ABSENT) {
        *ret_detail = "there is no candidate";
        return JUDGE_MISSING;
    }
    if (candidate->too_large) {
        *ret_detail = "the code is larger than 4 MiB";
        return JUDGE_LIMIT;
    }
    if (candidate->refused) {
        *ret_detail = candidate->refused;
        return candidate->refused_as;
    }
    *ret_detail = "the candidate is empty";
    return eval_job_is_blank(candidate->code, candidate->count) ? JUDGE_NO_CODE : JUDGE_VERDICT_MAX;
}

json_t *eval_line_without_run(const struct eval_candidate *candidate, const struct eval_place *place,
                              enum judge_verdict verdict, const char *detail, const struct eval_tasks *tasks,
                              char code_sha256[BASE_HASH_HEX])
{
    struct eval_result result = {.place = *place};

    code_sha256[0] = '\0';
    if (candidate->form != EVAL_ABSENT && !candidate->too_large) {
        base_hash_bytes_hex(candidate->count ? candidate->code : "", candidate->count, code_sha256);
        result.code_sha256 = code_sha256;
    }
    judge_rule(verdict, detail, &result.ruling);
    return eval_result_json(&result, tasks);
}

static int compare(const void *a, const void *b)
{
    const struct eval_claim *left = a, *right = b;

    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static int compare_row(const void *key, const void *item)
{
    size_t row = *(const size_t *)key, other = ((const struct eval_claim *)item)->row;

    return row < other ? -1 : row > other;
}

/* What goes in is larger than the policy allows: 1 with @why, 0, or an error. */
static int is_too_large(const struct eval_candidate *candidate, const struct eval_task *task, size_t case_index,
                        const struct policy *policy, struct base_err *why, struct base_err *err)
{
    struct eval_job *job = NULL;
    int r = eval_job_make(candidate, task, case_index, policy, &job, err);

    if (r < 0)
        return r;
    r = run_staged_check(policy, &job->program, job->files, job->request.file_count, why) < 0;
    eval_job_free(job);
    return r;
}

static int disbelieve(const struct eval_claim *claim, const char *path, struct base_err *err)
{
    char place[PATH_MAX + 32];

    (void)snprintf(place, sizeof(place), "%s:%lu", path, claim->line);
    (void)base_err_set(err, BASE_E_INVALID, place, "names no run, and is not what this evaluation says without one");
    return base_err_remedy(err, "what was recorded has been changed: keep the folder, and start in another one");
}

static int confirm_one(const struct eval_claim *claim, const struct eval_candidate *candidate,
                       const struct eval_place *place, const struct eval_options *options, struct eval_plan *plan,
                       const char *path, struct base_err *err)
{
    const char *detail;
    enum judge_verdict verdict = eval_without_run(candidate, &detail);
    char code_sha256[BASE_HASH_HEX], sha256[BASE_HASH_HEX];
    struct base_err large;
    AUTO_JSON json_t *line = NULL;

    if (verdict == JUDGE_VERDICT_MAX) {
        int r = is_too_large(candidate, &plan->tasks.items[candidate->task], place->case_index, options->policy, &large,
                             err);
        if (r < 0)
            return r;
        if (r == 0)
            return disbelieve(claim, path, err);
        verdict = JUDGE_LIMIT;
        detail = large.what;
    }
    line = eval_line_without_run(candidate, place, verdict, detail, &plan->tasks, code_sha256);
    if (!line || base_json_hash(line, sha256) < 0)
        return base_err_set(err, BASE_E_NOMEM, "results", "out of memory");
    if (strcmp(sha256, claim->sha256) != 0)
        return disbelieve(claim, path, err);
    eval_ledger_note(&plan->ledger, claim->row, verdict, line);
    return 0;
}

static int confirm_cases(const struct eval_claims *claims, const struct eval_candidate *candidate,
                         const struct eval_options *options, struct eval_plan *plan, const char *path,
                         struct base_err *err)
{
    int r = 0;

    for (size_t i = 0; r >= 0 && i < plan->tasks.items[candidate->task].case_count; i++) {
        struct eval_place place = {candidate->task, candidate->sample, i};
        size_t row = eval_ledger_row(&plan->ledger, &place);
        const struct eval_claim *claim =
            bsearch(&row, claims->items, claims->count, sizeof(*claims->items), compare_row);

        if (claim)
            r = confirm_one(claim, candidate, &place, options, plan, path, err);
    }
    return r;
}

int eval_claims_confirm(struct eval_claims *claims, const struct eval_options *options, struct eval_plan *plan,
                        const char *path, struct base_err *err)
{
    AUTO_CANDIDATES struct eval_candidates *candidates = NULL;
    struct eval_candidate candidate;
    int r;

    if (claims->count == 0)
        return 0;
    qsort(claims->items, claims->count, sizeof(*claims->items), compare);
    r = eval_candidates_open(options->candidates, &plan->tasks, &candidates, err);
    while (r >= 0 && (r = eval_candidates_next(candidates, &candidate, err)) > 0)
        r = confirm_cases(claims, &candidate, options, plan, path, err);
    return r;
}
