/* line_untrusted.c - one JSON object with a candidate, or with many samples for one prompt
 *
 * Candidates come from models and strangers. Nothing of them is run or interpreted here.
 */

#include "base/cleanup.h"
#include "base/near.h"
#include "base/utf8.h"
#include "eval/candidate.h"
#include "eval/keys.h"
#include <stdio.h>
#include <string.h>

static void make_short(const char *text, char *ret_short, size_t bytes)
{
    size_t n = strlen(text);

    if (n < bytes) {
        memcpy(ret_short, text, n + 1);
        return;
    }
    n = base_utf8_cut(text, bytes - 4);
    (void)snprintf(ret_short, bytes, "%.*s...", (int)n, text);
}

/* By the prompt alone. */
static int parse_samples(const json_t *json, const char *place, const struct eval_tasks *tasks, struct eval_line *line,
                         struct base_err *err)
{
    const json_t *index, *text = json_object_get(json, "prompt");
    const char *prompt = json_string_value(text);

    if (!prompt)
        return base_err_set(err, BASE_E_INVALID, place, "prompt: is missing or not text");
    index = strlen(prompt) == json_string_length(text) ? json_object_get(tasks->by_prompt, prompt) : NULL;
    if (index && json_integer_value(index) < 0)
        return base_err_set(err, BASE_E_INVALID, place, "prompt: several tasks have this prompt");
    line->task = index ? (long)json_integer_value(index) : -1;
    line->form = EVAL_COMPLETION;
    line->key = "samples";
    line->codes = json_object_get(json, line->key);
    line->many = json_is_array(line->codes);
    make_short(prompt, line->example, sizeof(line->example));
    return 0;
}

static int no_name(const json_t *json, const char *place, struct base_err *err)
{
    static const char *const other_names[] = {"id", "task", "name", "question_id", "problem_id"};

    (void)base_err_set(err, BASE_E_INVALID, place, "task_id: is missing");
    for (size_t i = 0; i < ARRAY_COUNT(other_names); i++)
        if (eval_key_get(json, other_names[i]))
            return base_err_remedy(err, "\"%s\" is not known: did you mean task_id?", other_names[i]);
    return err->code;
}

static int name_line(const json_t *json, const char *place, struct eval_line *line, struct base_err *err)
{
    const json_t *id = json_object_get(json, "task_id");

    if (json_is_integer(id))
        (void)snprintf(line->example, sizeof(line->example), "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    else if (json_is_string(id))
        make_short(json_string_value(id), line->example, sizeof(line->example));
    else
        return id ? base_err_set(err, BASE_E_INVALID, place, "task_id: must be text or an integer")
                  : no_name(json, place, err);
    return 0;
}

/* The null of a line that has a key for its code, and nothing there: a sample without code. */
static const json_t *nothing_of(const json_t *json)
{
    const json_t *completion = json_object_get(json, "completion");

    return completion ? completion : json_object_get(json, "solution");
}

/* What is wrong with one line is its own verdict, and not the end of all others. */
static void check_language(const json_t *language, struct eval_line *line)
{
    struct base_err err;

    if (!language || eval_task_language(language, NULL, &line->runtime, &err) >= 0)
        return;
    line->runtime = NULL;
    line->refused_as = JUDGE_COMPILE_ERROR;
    (void)snprintf(line->refused, sizeof(line->refused), "%.70s%s%.60s%s", err.what, *err.remedy ? " (" : "",
                   err.remedy, *err.remedy ? ")" : "");
}

/* By its task's name. */
static int parse_code(const json_t *json, const char *place, const struct eval_tasks *tasks, struct eval_line *line,
                      struct base_err *err)
{
    const json_t *completion = eval_key_get(json, "completion"), *solution = eval_key_get(json, "solution");
    int r = name_line(json, place, line, err);

    if (r < 0)
        return r;
    if (completion && solution) {
        (void)snprintf(line->refused, sizeof(line->refused), "has both completion and solution");
        line->refused_as = JUDGE_NO_CODE;
    }
    line->key = completion ? "completion" : "solution";
    line->codes = completion ? completion : solution ? solution : nothing_of(json);
    line->task = eval_tasks_find(tasks, json_object_get(json, "task_id"));
    return 0;
}

/* What other tools call the code of a candidate. */
static const char *const other_names[] = {"answer", "code",       "function", "generated_code", "generation",
                                          "output", "prediction", "program",  "response",       "source"};

static int no_candidate(const json_t *json, const char *place, struct base_err *err)
{
    static const char *const known[] = {"completion", "solution", "samples"};
    const char *name;
    json_t *value;

    (void)base_err_set(err, BASE_E_INVALID, place, "is no candidate: has neither completion, solution nor samples");
    json_object_foreach((json_t *)json, name, value) /* changes nothing */
    {
        struct base_near near = {.word = name};

        for (size_t i = 0; i < ARRAY_COUNT(known); i++)
            base_near_offer(&near, known[i]);
        for (size_t i = 0; i < ARRAY_COUNT(other_names) && !near.best; i++)
            near.best = strcmp(name, other_names[i]) == 0 ? "solution" : NULL;
        if (near.best && json_is_array(value))
            return base_err_remedy(err, "\"%.40s\" is not known: one line {task_id, %s} for each sample", name,
                                   near.best);
        if (near.best)
            return base_err_remedy(err, "\"%.40s\" is not known: did you mean %s?", name, near.best);
    }
    return err->code;
}

int eval_line_parse(const json_t *json, const char *place, const struct eval_tasks *tasks, struct eval_line *ret_line,
                    struct base_err *err)
{
    const json_t *completion = eval_key_get(json, "completion"), *solution = eval_key_get(json, "solution");
    struct eval_line line = {.form = completion ? EVAL_COMPLETION : EVAL_SOLUTION};
    int r;

    if (!completion && !solution && eval_key_get(json, "samples"))
        r = parse_samples(json, place, tasks, &line, err);
    else if (!completion && !solution && !nothing_of(json))
        r = no_candidate(json, place, err);
    else
        r = parse_code(json, place, tasks, &line, err);
    if (r < 0)
        return r;
    check_language(eval_key_get(json, "language"), &line);
    *ret_line = line;
    return 0;
}

const json_t *eval_line_code(const struct eval_line *line, size_t index)
{
    if (line->many)
        return json_array_get(line->codes, index);
    return index == 0 ? line->codes : NULL;
}
