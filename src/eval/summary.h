/* summary.h - the numbers of an evaluation */
#pragma once

#include "eval/ledger.h"
#include "eval/manifest.h"

struct eval_totals {
    const struct eval_ledger *ledger;
    const struct eval_manifest *manifest;
    unsigned long receipts;    /* in the output folder */
    const char *receipts_head; /* sha256 of the last one; "" when there is none */
    size_t unknown;
    size_t covered; /* tasks with at least one candidate */
    size_t resumed; /* rows that were done before this call */
    size_t runs;    /* of this call */
    uint64_t wall_us;
    bool interrupted;
};

struct eval_counts {
    size_t candidates, judged, passed, infra_errors, not_run;
    size_t by_verdict[JUDGE_VERDICT_MAX]; /* finished candidates */
};
void eval_summary_count(const struct eval_ledger *ledger, struct eval_counts *ret_counts);

/* The summary as JSON; @counts as eval_summary_count() made them. New reference, or NULL without memory. */
json_t *eval_summary_json(const struct eval_totals *totals, const struct eval_counts *counts);
