/* ledger.h - which rows there are, and the verdict of each that is done
 *
 * A row is one sample of a task, or one case of it where the task has cases. One byte a row, so that millions fit.
 */
#pragma once

#include "base/err.h"
#include "eval/eval.h"
#include "eval/task.h"
#include "judge/judge.h"
#include <jansson.h>

struct eval_ledger {
    const struct eval_tasks *tasks;
    unsigned *samples;    /* by task; at least 1 for a chosen one, since an absent candidate counts */
    size_t *first;        /* by task: its first row */
    unsigned char *state; /* by row: 0, or 1 + the verdict */
    size_t rows, done;
    size_t by_verdict[JUDGE_VERDICT_MAX];
    struct eval_shown {
        size_t row;
        json_t *line;
    } shown[EVAL_TABLE_ROWS_MAX]; /* for the table, in order of rows: all if few, else the first that did not pass */
    size_t shown_count;
};

struct eval_place {
    size_t task;
    unsigned sample;
    size_t case_index;
};

/* @samples is taken over, also on failure. */
int eval_ledger_init(struct eval_ledger *ledger, const struct eval_tasks *tasks, unsigned *samples,
                     struct base_err *err);
void eval_ledger_release(struct eval_ledger *ledger);

/* The row of a place, or SIZE_MAX when there is none. */
size_t eval_ledger_row(const struct eval_ledger *ledger, const struct eval_place *place);

/* Infra-errors are not done: --resume tries them again, and the later line counts. */
bool eval_ledger_is_done(const struct eval_ledger *ledger, size_t row);

/* Note a verdict, over an earlier infra-error if there is one. @line may be NULL. */
void eval_ledger_note(struct eval_ledger *ledger, size_t row, enum judge_verdict verdict, json_t *line);

/* The verdict of all cases of one sample together: the first that is not a pass, infra-errors last. JUDGE_VERDICT_MAX
 * while rows are open. */
enum judge_verdict eval_ledger_sample(const struct eval_ledger *ledger, size_t task, unsigned sample);
