/* receipt_absent.c - why an evaluation has no receipt of a task
 *
 * The results may come from anywhere: no field is trusted to be there or to have its type.
 */

#include "front/cli/receipt_absent.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/lines.h"
#include "base/near.h"
#include "receipt/receipt.h"
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 201

struct search {
    const struct cli_row *row;
    bool has_task; /* some row is of the task */
    struct base_near task, at_case;
    char task_name[NAME_BYTES], case_name[NAME_BYTES]; /* what they are nearest to */
};

bool cli_is_text(const json_t *json, const char *wanted)
{
    return !wanted || (json_is_string(json) && strcmp(json_string_value(json), wanted) == 0);
}

bool cli_is_number(const json_t *json, const char *wanted)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    return !wanted || (json_is_integer(json) && strcmp(text, wanted) == 0);
}

/* The name goes with its line: keep it. */
static void offer(struct base_near *near, const char *known, char kept[NAME_BYTES])
{
    const char *before = near->best, *tail;

    if (!near->word || !known || strlen(known) >= NAME_BYTES || (before && near->distance == 0))
        return;
    tail = strrchr(known, '/');
    if (tail && strcmp(tail + 1, near->word) == 0) { /* "0" is "HumanEval/0" */
        near->best = known;
        near->distance = 0;
    } else {
        base_near_offer(near, known);
    }
    if (near->best == before)
        return;
    (void)snprintf(kept, NAME_BYTES, "%s", known);
    near->best = kept;
}

static int say_not_run(const json_t *line, const char *place, struct base_err *err)
{
    const char *task = json_string_value(json_object_get(line, "task_id"));
    const char *verdict = json_string_value(json_object_get(line, "verdict"));
    const char *detail = json_string_value(json_object_get(line, "detail"));

    return base_err_set(err, BASE_E_USAGE, place,
                        "task \"%.100s\" has no receipt, since nothing was run: %.40s%s%.150s", task ? task : "",
                        verdict ? verdict : "no verdict", detail ? ": " : "", detail ? detail : "");
}

/* 1: it is the row, and @err says why it has no receipt. */
static int look_at(struct search *search, const json_t *line, const char *place, struct base_err *err)
{
    const json_t *task = json_object_get(line, "task_id"), *at_case = json_object_get(line, "case");

    if (!cli_is_text(task, search->row->task)) {
        offer(&search->task, json_string_value(task), search->task_name);
        return 0;
    }
    search->has_task = true;
    if (!cli_is_text(at_case, search->row->at_case))
        offer(&search->at_case, json_string_value(at_case), search->case_name);
    else if (cli_is_number(json_object_get(line, "sample"), search->row->sample) &&
             json_is_null(json_object_get(line, "run_id"))) {
        (void)say_not_run(line, place, err);
        return 1;
    }
    return 0;
}

static int say_none(const struct search *search, const char *path, struct base_err *err)
{
    const struct base_near *near = search->has_task ? &search->at_case : &search->task;

    if (search->has_task)
        (void)base_err_set(err, BASE_E_USAGE, path, "task \"%.100s\" has no such sample or case", search->row->task);
    else
        (void)base_err_set(err, BASE_E_USAGE, path, "has no task \"%.100s\"", search->row->task);
    return near->best ? base_err_remedy(err, "did you mean %s?", near->best) : err->code;
}

int cli_receipt_absent(const char *receipts, const struct cli_row *row, struct base_err *err)
{
    static const char name[] = "receipts.jsonl";
    AUTO_LINES struct base_lines *lines = NULL;
    AUTO_BUF struct base_buf text = {.max = RECEIPT_MAX_BYTES};
    struct search search = {.row = row, .task.word = row->task, .at_case.word = row->at_case};
    size_t count = strlen(receipts), folder = count - (sizeof(name) - 1);
    char path[4096], place[4096 + 32];
    struct base_err unread;

    if (!row->task || count < sizeof(name) - 1 || strcmp(receipts + folder, name) != 0)
        return 0;
    if (snprintf(path, sizeof(path), "%.*sresults.jsonl", (int)folder, receipts) >= (int)sizeof(path) ||
        base_lines_open(path, RECEIPT_MAX_BYTES, &lines, &unread) < 0)
        return 0;
    while (base_lines_next(lines, &text, &unread) == 1) {
        AUTO_JSON json_t *line = NULL;

        (void)snprintf(place, sizeof(place), "%s:%lu", path, base_lines_number(lines));
        if (text.count && base_json_parse(text.bytes, text.count, place, &line, &unread) == 0 &&
            look_at(&search, line, place, err))
            return err->code;
    }
    return say_none(&search, path, err);
}
