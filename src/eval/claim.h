/* claim.h - results of an earlier run that name no run: believed only where this run would make them itself */
#pragma once

#include "base/hash.h"
#include "eval/plan.h"

struct eval_claims {
    struct eval_claim {
        size_t row;
        unsigned long line; /* of results.jsonl */
        char sha256[BASE_HASH_HEX];
    } * items;
    size_t count, capacity;
};
void eval_claims_release(struct eval_claims *claims);

/* Note a line of which eval_result_parse() said @row. 0 or BASE_E_NOMEM. */
int eval_claims_add(struct eval_claims *claims, size_t row, unsigned long line, const json_t *result);

/* The verdict on a candidate that needs no run, and why; JUDGE_VERDICT_MAX where a run must tell. */
enum judge_verdict eval_without_run(const struct eval_candidate *candidate, const char **ret_detail);

/* The line of a row without a run. New reference, NULL without memory. @code_sha256 is filled where there is code. */
json_t *eval_line_without_run(const struct eval_candidate *candidate, const struct eval_place *place,
                              enum judge_verdict verdict, const char *detail, const struct eval_tasks *tasks,
                              char code_sha256[BASE_HASH_HEX]);

/* Make each claimed line anew, and note it in the plan's ledger. BASE_E_INVALID with the line of the first that this
 * run would not make; @path names the file. */
int eval_claims_confirm(struct eval_claims *claims, const struct eval_options *options, struct eval_plan *plan,
                        const char *path, struct base_err *err);
