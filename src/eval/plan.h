/* plan.h - everything that is known before the first run */
#pragma once

#include "eval/candidate.h"
#include "eval/eval.h"
#include "eval/ledger.h"
#include "eval/manifest.h"

struct eval_plan {
    struct eval_tasks tasks;
    struct eval_ledger ledger;
    struct eval_manifest manifest;
    size_t unknown;
    size_t covered; /* tasks with at least one candidate */
};

/* Load the tasks and read all candidates once: every fault in them is found here. */
int eval_plan_make(const struct eval_options *options, struct eval_plan *ret_plan, struct base_err *err);
void eval_plan_release(struct eval_plan *plan);
