/* result.c - a verdict as a line of JSON */

#include "eval/result.h"
#include "base/json.h"
#include <string.h>

/* A new reference to a number, or null where the machine could not count it. */
static json_t *counter(const struct warden_outcome *outcome, uint64_t value)
{
    return outcome && value != WARDEN_UNKNOWN ? json_integer((json_int_t)value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? base_json_text(text, strlen(text)) : json_null();
}

/* Where the candidate could forge its verdict if it set out to: its tests ran in its own process, or it was asked there
 * what its input is now. */
static const char *trust_of(const struct eval_task *task, size_t case_index)
{
    bool inside = task->kind == EVAL_SCRIPT || (task->kind == EVAL_CALL && task->cases[case_index].no_mutation);

    return inside ? "in-process" : "isolated";
}

json_t *eval_result_json(const struct eval_result *result, const struct eval_tasks *tasks)
{
    const struct eval_task *task = &tasks->items[result->place.task];
    const struct warden_outcome *o = result->outcome;
    json_t *line =
        json_pack("{s:s, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "task_id", task->id, "sample",
                  (json_int_t)result->place.sample, "verdict", judge_verdict_name(result->ruling.verdict), "fault",
                  judge_fault_name(result->ruling.fault), "code_sha256", text_or_null(result->code_sha256), "run_id",
                  text_or_null(o ? o->run_id : NULL), "wall_us", counter(o, o ? o->wall_us : 0), "cpu_us",
                  counter(o, o ? o->cpu_us : 0), "memory_peak_bytes", counter(o, o ? o->memory_peak_bytes : 0),
                  "detail", text_or_null(result->ruling.detail), "trust", trust_of(task, result->place.case_index));

    if (line && result->assembly && json_object_set_new(line, "assembly", json_string(result->assembly)) < 0) {
        json_decref(line);
        return NULL;
    }
    if (line && task->kind == EVAL_CALL &&
        (json_object_set_new(line, "case", json_string(task->cases[result->place.case_index].name)) < 0 ||
         json_object_set_new(line, "case_index", json_integer((json_int_t)result->place.case_index)) < 0 ||
         json_object_set_new(line, "case_count", json_integer((json_int_t)task->case_count)) < 0)) {
        json_decref(line);
        return NULL;
    }
    return line;
}
