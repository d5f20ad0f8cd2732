/* ledger.c - the rows of an evaluation */

#include "eval/ledger.h"
#include "base/cleanup.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A byte each, and a file of a few MB can ask for billions. */
#define ROWS_MAX ((size_t)16 << 20)

static int count_rows(struct eval_ledger *ledger, struct base_err *err)
{
    for (size_t i = 0; i < ledger->tasks->count; i++) {
        size_t cases = ledger->tasks->items[i].case_count, more;

        ledger->first[i] = ledger->rows;
        if (__builtin_mul_overflow(cases, ledger->samples[i], &more) ||
            __builtin_add_overflow(ledger->rows, more, &ledger->rows) || ledger->rows > ROWS_MAX)
            return base_err_set(err, BASE_E_TOO_LARGE, "candidates",
                                "there are too many: more than %zu samples and cases to judge", ROWS_MAX);
    }
    return 0;
}

int eval_ledger_init(struct eval_ledger *ledger, const struct eval_tasks *tasks, unsigned *samples,
                     struct base_err *err)
{
    int r;

    *ledger = (struct eval_ledger){.tasks = tasks, .samples = samples};
    ledger->first = calloc(tasks->count, sizeof(*ledger->first));
    if (!ledger->first)
        return base_err_set(err, BASE_E_NOMEM, "candidates", "out of memory");
    r = count_rows(ledger, err);
    if (r < 0)
        return r;
    ledger->state = calloc(ledger->rows ? ledger->rows : 1, 1);
    if (!ledger->state)
        return base_err_set(err, BASE_E_NOMEM, "candidates", "out of memory");
    return 0;
}

void eval_ledger_release(struct eval_ledger *ledger)
{
    for (size_t i = 0; i < ledger->shown_count; i++)
        json_decref(ledger->shown[i].line);
    free(ledger->state);
    free(ledger->first);
    free(ledger->samples);
    *ledger = (struct eval_ledger){0};
}

size_t eval_ledger_row(const struct eval_ledger *ledger, const struct eval_place *place)
{
    if (place->task >= ledger->tasks->count || place->sample >= ledger->samples[place->task] ||
        place->case_index >= ledger->tasks->items[place->task].case_count)
        return SIZE_MAX;
    return ledger->first[place->task] + place->sample * ledger->tasks->items[place->task].case_count +
           place->case_index;
}

bool eval_ledger_is_done(const struct eval_ledger *ledger, size_t row)
{
    return ledger->state[row] != 0 && ledger->state[row] != 1 + JUDGE_INFRA_ERROR;
}

static void hide(struct eval_ledger *ledger, size_t at)
{
    json_decref(ledger->shown[at].line);
    ledger->shown_count--;
    memmove(&ledger->shown[at], &ledger->shown[at + 1], (ledger->shown_count - at) * sizeof(ledger->shown[0]));
}

/* Keep the line for the table if it belongs there; a later row makes room for an earlier one. */
static void show(struct eval_ledger *ledger, size_t row, enum judge_verdict verdict, json_t *line)
{
    size_t at = 0;

    while (at < ledger->shown_count && ledger->shown[at].row < row)
        at++;
    if (at < ledger->shown_count && ledger->shown[at].row == row)
        hide(ledger, at);
    if (!line || at == ARRAY_COUNT(ledger->shown) || (verdict == JUDGE_PASS && ledger->rows > EVAL_TABLE_ALL_MAX))
        return;
    if (ledger->shown_count == ARRAY_COUNT(ledger->shown))
        hide(ledger, ledger->shown_count - 1);
    memmove(&ledger->shown[at + 1], &ledger->shown[at], (ledger->shown_count - at) * sizeof(ledger->shown[0]));
    ledger->shown[at] = (struct eval_shown){row, json_incref(line)};
    ledger->shown_count++;
}

void eval_ledger_note(struct eval_ledger *ledger, size_t row, enum judge_verdict verdict, json_t *line)
{
    if (ledger->state[row])
        ledger->by_verdict[ledger->state[row] - 1]--;
    else
        ledger->done++;
    ledger->state[row] = (unsigned char)(1 + verdict);
    ledger->by_verdict[verdict]++;
    show(ledger, row, verdict, line);
}

enum judge_verdict eval_ledger_sample(const struct eval_ledger *ledger, size_t task, unsigned sample)
{
    size_t cases = ledger->tasks->items[task].case_count;
    const unsigned char *state = ledger->state + ledger->first[task] + sample * cases;
    enum judge_verdict verdict = JUDGE_PASS;

    for (size_t i = 0; i < cases; i++) {
        if (state[i] == 0)
            return JUDGE_VERDICT_MAX;
        if (verdict == JUDGE_PASS || verdict == JUDGE_INFRA_ERROR)
            verdict = state[i] != 1 + JUDGE_PASS ? (enum judge_verdict)(state[i] - 1) : verdict;
    }
    return verdict;
}
