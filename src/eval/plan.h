/* plan.h - everything that is known before the first run */
#pragma once

#include "eval/candidate.h"
#include "eval/eval.h"
#include "eval/ledger.h"
#include "eval/manifest.h"

/* A candidate in short: enough to know it again. */
struct eval_seal {
    char hex[33];
};

struct eval_plan {
    struct eval_tasks tasks;
    struct eval_ledger ledger;
    struct eval_manifest manifest;
    size_t unknown;
    struct eval_seal *seals; /* what each candidate was when all were read */
    size_t seal_count, seal_at;
    size_t covered; /* tasks with at least one candidate */
};

/* Load the tasks and read all candidates once: every fault in them is found here. */
int eval_plan_make(const struct eval_options *options, struct eval_plan *ret_plan, struct base_err *err);
/* Candidates are read once more to be judged. Each must be what it was, in the same order; NULL: there is none left. An
 * error says which is not: verdicts of other bytes would stand under the hash of these. */
int eval_plan_recognise(struct eval_plan *plan, const char *place, const struct eval_candidate *candidate,
                        struct base_err *err);
/* They could be read before, and now they could not, with @r and @err. */
int eval_plan_unread(int r, struct base_err *err);
void eval_plan_release(struct eval_plan *plan);
