/* result_untrusted.c - the results of an earlier run, read back for --resume
 *
 * The file is ours, but anybody may have written into it since. A line counts only when it fits this task set and these
 * candidates.
 */

#include "base/cleanup.h"
#include "base/json.h"
#include "base/lines.h"
#include "eval/claim.h"
#include "eval/result.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES (1u << 20)

static int bad(const char *place, struct base_err *err, const char *what)
{
    base_err_set(err, BASE_E_INVALID, place, "%s", what);
    return base_err_remedy(err, "keep the folder and start in another one with --out");
}

static size_t find_case(const struct eval_task *task, const json_t *name)
{
    const json_t *index;

    if (task->kind != EVAL_CALL)
        return name ? SIZE_MAX : 0;
    index = json_is_string(name) ? json_object_get(task->case_names, json_string_value(name)) : NULL;
    return index ? (size_t)json_integer_value(index) : SIZE_MAX;
}

int eval_result_parse(const json_t *line, const char *place, const struct eval_ledger *ledger, size_t *ret_row,
                      enum judge_verdict *ret_verdict, struct base_err *err)
{
    const json_t *sample = json_object_get(line, "sample");
    const char *id = json_string_value(json_object_get(line, "task_id"));
    const char *verdict = json_string_value(json_object_get(line, "verdict"));
    long task = id ? eval_tasks_find(ledger->tasks, json_object_get(line, "task_id")) : -1;
    struct eval_place where;
    size_t row;

    if (!id || !verdict || !json_is_integer(sample))
        return bad(place, err, "is not a result line");
    if (task < 0 || json_integer_value(sample) < 0 || json_integer_value(sample) > UINT32_MAX)
        return bad(place, err, "is a result of other tasks or candidates");
    where = (struct eval_place){(size_t)task, (unsigned)json_integer_value(sample),
                                find_case(&ledger->tasks->items[task], json_object_get(line, "case"))};
    row = eval_ledger_row(ledger, &where);
    if (row == SIZE_MAX)
        return bad(place, err, "is a result of other tasks or candidates");
    *ret_verdict = judge_verdict_find(verdict);
    if (*ret_verdict == JUDGE_VERDICT_MAX)
        return bad(place, err, "has an unknown verdict");
    *ret_row = row;
    return 0;
}

static int note_line(struct eval_ledger *ledger, struct eval_claims *claims, size_t row, enum judge_verdict verdict,
                     json_t *line, unsigned long number, struct base_err *err)
{
    bool has_run = json_is_string(json_object_get(line, "run_id"));

    if (verdict == JUDGE_SKIPPED || eval_ledger_is_done(ledger, row))
        return 0;
    if (has_run || verdict == JUDGE_INFRA_ERROR)
        eval_ledger_note(ledger, row, verdict, line);
    else if (eval_claims_add(claims, row, number, line) < 0)
        return base_err_set(err, BASE_E_NOMEM, "results", "out of memory");
    return 0;
}

int eval_results_load(int dir_fd, const char *path, struct eval_ledger *ledger, struct eval_claims *claims,
                      struct base_err *err)
{
    AUTO_LINES struct base_lines *lines = NULL;
    AUTO_BUF struct base_buf text = {0};
    int r = base_lines_open_in(dir_fd, "results.jsonl", path, LINE_MAX_BYTES, &lines, err);

    while (r >= 0) {
        AUTO_JSON json_t *line = NULL;
        char place[PATH_MAX + 32];
        enum judge_verdict verdict;
        size_t row;

        base_buf_clear(&text);
        r = base_lines_next(lines, &text, err);
        if (r <= 0)
            return r;
        (void)snprintf(place, sizeof(place), "%s:%lu", path, base_lines_number(lines));
        r = judge_value_parse(text.bytes, text.count, path, base_lines_number(lines), &line, err);
        if (r >= 0)
            r = eval_result_parse(line, place, ledger, &row, &verdict, err);
        if (r >= 0)
            r = note_line(ledger, claims, row, verdict, line, base_lines_number(lines), err);
    }
    return r;
}
