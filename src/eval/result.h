/* result.h - one line of results.jsonl, out and back in */
#pragma once

#include "eval/ledger.h"
#include "warden/outcome.h"

struct eval_claims;

struct eval_result {
    struct eval_place place;
    struct judge_ruling ruling;
    const char *code_sha256;              /* NULL: there is no code */
    const char *assembly;                 /* judge_script_assembly(), or NULL */
    const struct warden_outcome *outcome; /* NULL: nothing was run */
};

/* New reference, or NULL without memory. */
json_t *eval_result_json(const struct eval_result *result, const struct eval_tasks *tasks);

/* Note the lines of an earlier run, of results.jsonl in the folder @dir_fd, in @ledger; those that name no run in
 * @claims, but for infra-errors and what was skipped, which are made again. @path names the file in errors. A line that
 * is not of this evaluation is BASE_E_INVALID with its place. Foreign bytes: has a fuzzer (of the line). */
int eval_results_load(int dir_fd, const char *path, struct eval_ledger *ledger, struct eval_claims *claims,
                      struct base_err *err);
int eval_result_parse(const json_t *line, const char *place, const struct eval_ledger *ledger, size_t *ret_row,
                      enum judge_verdict *ret_verdict, struct base_err *err);
