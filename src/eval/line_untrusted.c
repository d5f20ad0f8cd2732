/* line_untrusted.c - one JSON object with a candidate, or with many samples for one prompt
 *
 * Candidates come from models and strangers. Nothing of them is run or interpreted here.
 */

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
    n = bytes - 4;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--; /* not in the middle of a character */
    (void)snprintf(ret_short, bytes, "%.*s...", (int)n, text);
}

static int bad_code(const char *place, const char *key, struct base_err *err)
{
    return base_err_set(err, BASE_E_INVALID, place, "%s: must be text", key);
}

/* By the prompt alone. */
static int parse_samples(const json_t *json, const char *place, const struct eval_tasks *tasks, struct eval_line *line,
                         struct base_err *err)
{
    const json_t *samples = json_object_get(json, "samples");
    const char *prompt = json_string_value(json_object_get(json, "prompt"));
    const json_t *index;

    if (!json_is_array(samples))
        return base_err_set(err, BASE_E_INVALID, place, "samples: must be a list of texts");
    if (!prompt)
        return base_err_set(err, BASE_E_INVALID, place, "prompt: is missing or not text");
    for (size_t i = 0; i < json_array_size(samples); i++)
        if (!json_is_string(json_array_get(samples, i)) && !json_is_null(json_array_get(samples, i)))
            return base_err_set(err, BASE_E_INVALID, place, "samples: element %zu must be text", i + 1);
    index = json_object_get(tasks->by_prompt, prompt);
    if (index && json_integer_value(index) < 0)
        return base_err_set(err, BASE_E_INVALID, place, "prompt: several tasks have this prompt");
    line->task = index ? (long)json_integer_value(index) : -1;
    line->form = EVAL_COMPLETION;
    line->codes = samples;
    make_short(prompt, line->example, sizeof(line->example));
    return 0;
}

static int name_line(const json_t *id, const char *place, struct eval_line *line, struct base_err *err)
{
    if (json_is_integer(id))
        (void)snprintf(line->example, sizeof(line->example), "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    else if (json_is_string(id))
        make_short(json_string_value(id), line->example, sizeof(line->example));
    else
        return base_err_set(err, BASE_E_INVALID, place, "task_id: %s",
                            id ? "must be text or an integer" : "is missing");
    return 0;
}

/* The null of a line that has a key for its code, and nothing there: a sample without code. */
static const json_t *nothing_of(const json_t *json)
{
    const json_t *completion = json_object_get(json, "completion");

    return completion ? completion : json_object_get(json, "solution");
}

int eval_line_parse(const json_t *json, const char *place, const struct eval_tasks *tasks, struct eval_line *ret_line,
                    struct base_err *err)
{
    const json_t *completion = eval_key_get(json, "completion"), *solution = eval_key_get(json, "solution");
    const json_t *id = json_object_get(json, "task_id"), *language = eval_key_get(json, "language");
    const json_t *nothing = eval_key_get(json, "samples") ? NULL : nothing_of(json);
    struct eval_line line = {.form = completion ? EVAL_COMPLETION : EVAL_SOLUTION};
    int r;

    if (completion && solution)
        return base_err_set(err, BASE_E_INVALID, place, "has both completion and solution");
    if (language) {
        r = eval_task_language(language, place, &line.runtime, err);
        if (r < 0)
            return r;
    }
    if (!completion && !solution && eval_key_get(json, "samples")) {
        r = parse_samples(json, place, tasks, &line, err);
    } else if (!completion && !solution && !nothing) {
        r = base_err_set(err, BASE_E_INVALID, place, "is no candidate: has neither completion, solution nor samples");
    } else {
        line.codes = completion ? completion : solution ? solution : nothing;
        r = json_is_string(line.codes) || json_is_null(line.codes)
                ? name_line(id, place, &line, err)
                : bad_code(place, completion ? "completion" : "solution", err);
        line.task = r >= 0 ? eval_tasks_find(tasks, id) : -1;
    }
    if (r < 0)
        return r;
    *ret_line = line;
    return 0;
}

const json_t *eval_line_code(const struct eval_line *line, size_t index)
{
    if (json_is_array(line->codes))
        return json_array_get(line->codes, index);
    return index == 0 ? line->codes : NULL;
}
