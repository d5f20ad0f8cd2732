/* task_untrusted.c - one task from its JSON
 *
 * Task sets come from anybody. The format is recognised by its keys. Formats of this project are strict, since a
 * misspelled key would make a check vanish; public formats carry keys that nobody here needs.
 */

#include "base/cleanup.h"
#include "eval/task.h"
#include "judge/judge.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ID_MAX_BYTES 200
#define KIND_ANY     ((json_type)-1)

struct context {
    const json_t *json;
    const char *place;
    struct eval_task *task;
    struct base_err *err;
};

struct field {
    const char *key;
    json_type kind;
    bool required;
};

struct format {
    const char *marks[2]; /* keys that make it this format */
    const char *without;  /* a key that makes it another one, or NULL */
    bool strict;
    const struct field *fields; /* the first is the id */
    int (*fill)(const struct context *context);
};

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static int bad(const struct context *context, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int bad(const struct context *context, const char *fmt, ...)
{
    char what[256];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (context->task->id)
        return base_err_set(context->err, BASE_E_INVALID, context->place, "task \"%s\": %s", context->task->id, what);
    return base_err_set(context->err, BASE_E_INVALID, context->place, "%s", what);
}

static int no_memory(const struct context *context)
{
    return base_err_set(context->err, BASE_E_NOMEM, context->place, "out of memory");
}

static const char *kind_name(json_type kind)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "a list",  [JSON_STRING] = "text",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "a number", [JSON_TRUE] = "a boolean",
        [JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
    };
    return names[kind];
}

/* ---- fields ---------------------------------------------------------------------------------------------------- */

static int keep_text(const struct context *context, const char *key, struct eval_text *ret_text)
{
    const json_t *value = json_object_get(context->json, key);
    size_t count = json_string_length(value);

    if (!json_is_string(value))
        return 0;
    ret_text->bytes = malloc(count + 1);
    if (!ret_text->bytes)
        return no_memory(context);
    memcpy(ret_text->bytes, json_string_value(value), count);
    ret_text->bytes[count] = '\0';
    ret_text->count = count;
    return 0;
}

static int keep_name(const struct context *context, const char *key, const char *otherwise, char **ret_name)
{
    const json_t *value = json_object_get(context->json, key);
    const char *name = value ? json_string_value(value) : otherwise;

    if (!judge_name_ok(name) || (value && strlen(name) != json_string_length(value)))
        return bad(context, "%s: is not a name (letters, digits, _)", key);
    *ret_name = strdup(name);
    return *ret_name ? 0 : no_memory(context);
}

int eval_task_language(const json_t *language, const char *place, const char **ret_runtime, struct base_err *err)
{
    static const struct {
        const char *word, *runtime;
    } languages[] = {{"python", "python"}, {"python3", "python"}, {"javascript", "node"}, {"js", "node"},
                     {"node", "node"},     {"bash", "bash"},      {"sh", "sh"},           {"perl", "perl"}};
    const char *word = json_string_value(language);

    if (!word)
        return base_err_set(err, BASE_E_INVALID, place, "language: must be text");
    for (size_t i = 0; i < ARRAY_COUNT(languages); i++)
        if (strcmp(languages[i].word, word) == 0) {
            *ret_runtime = languages[i].runtime;
            return 0;
        }
    (void)base_err_set(err, BASE_E_INVALID, place, "language: \"%.40s\" is not known here", word);
    return base_err_remedy(err, "known are python, javascript, bash, sh and perl");
}

static int keep_language(const struct context *context)
{
    const json_t *language = json_object_get(context->json, "language");
    char remedy[sizeof(context->err->remedy)];
    struct base_err err;

    context->task->runtime = "python";
    if (!language || eval_task_language(language, context->place, &context->task->runtime, &err) == 0)
        return 0;
    (void)snprintf(remedy, sizeof(remedy), "%s", err.remedy);
    (void)bad(context, "%.200s", err.what);
    return base_err_remedy(context->err, "%s", remedy);
}

static int check_fields(const struct context *context, const struct field *fields, bool strict)
{
    const char *key;
    json_t *value;

    for (const struct field *f = fields; f->key; f++) {
        value = json_object_get(context->json, f->key);
        if (!value && f->required)
            return bad(context, "%s: is missing", f->key);
        if (value && f->kind != KIND_ANY && json_typeof(value) != f->kind)
            return bad(context, "%s: must be %s, not %s", f->key, kind_name(f->kind), kind_name(json_typeof(value)));
    }
    if (!strict)
        return 0;
    json_object_foreach((json_t *)context->json, key, value) /* changes nothing */
    {
        const struct field *f = fields;
        while (f->key && strcmp(f->key, key) != 0)
            f++;
        if (!f->key)
            return bad(context, "unknown key \"%.60s\"", key);
    }
    return 0;
}

/* ---- id -------------------------------------------------------------------------------------------------------- */

static int keep_id(const struct context *context, const char *key, bool mbpp)
{
    const json_t *value = json_object_get(context->json, key);
    const char *text = json_string_value(value);
    char number[64];

    if (mbpp && json_is_integer(value)) {
        (void)snprintf(number, sizeof(number), "MBPP/%" JSON_INTEGER_FORMAT, json_integer_value(value));
        text = number;
    } else if (!text) {
        return value ? bad(context, "%s: must be text, not %s", key, kind_name(json_typeof(value)))
                     : bad(context, "%s: is missing", key);
    }
    if (!*text || strlen(text) > ID_MAX_BYTES || (json_is_string(value) && strlen(text) != json_string_length(value)))
        return bad(context, "%s: must have 1 to %d bytes and no NUL", key, ID_MAX_BYTES);
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            return bad(context, "%s: has a control character", key);
    context->task->id = strdup(text);
    return context->task->id ? 0 : no_memory(context);
}

/* ---- formats --------------------------------------------------------------------------------------------------- */

static int fill_stdio(const struct context *context)
{
    struct eval_task *task = context->task;
    int r = keep_text(context, "stdin", &task->given);

    task->kind = EVAL_STDIO;
    task->case_count = 1;
    if (r >= 0)
        r = keep_text(context, "expect", &task->expect);
    if (r < 0)
        return r;
    if (judge_text_equal(task->expect.bytes, task->expect.count, "", 0, NULL))
        return bad(context, "expect: is empty, so that a program that does nothing would pass");
    return 0;
}

static const struct field case_fields[] = {
    {"name", JSON_STRING, false},
    {"input", KIND_ANY, false},
    {"args", JSON_ARRAY, false},
    {"expect", KIND_ANY, true},
    {NULL},
};

/* Context of one case: errors name the task. */
static int fill_case(const struct context *outer, const json_t *json, size_t index, struct eval_case *ret_case)
{
    struct context context = {json, outer->place, outer->task, outer->err};
    const json_t *input = json_object_get(json, "input"), *args = json_object_get(json, "args");
    const json_t *expect = json_object_get(json, "expect");
    const char *name = json_string_value(json_object_get(json, "name"));
    char number[32];
    int r;

    if (!json_is_object(json))
        return bad(&context, "case %zu: must be an object", index + 1);
    r = check_fields(&context, case_fields, true);
    if (r < 0)
        return r;
    if (!input == !args)
        return bad(&context, "case %zu: needs either input or args", index + 1);
    (void)snprintf(number, sizeof(number), "%zu", index + 1);
    ret_case->name = strdup(name ? name : number);
    ret_case->args = args ? json_incref((json_t *)args) : json_pack("[O]", input);
    ret_case->no_mutation = json_is_string(expect) && strcmp(json_string_value(expect), "no-mutation") == 0;
    ret_case->expect = ret_case->no_mutation ? NULL : json_incref((json_t *)expect);
    return ret_case->name && ret_case->args ? 0 : no_memory(&context);
}

static int fill_calls(const struct context *context)
{
    struct eval_task *task = context->task;
    const json_t *cases = json_object_get(context->json, "cases");
    size_t count = json_array_size(cases);
    int r = keep_name(context, "entry_point", "solution", &task->entry_point);

    task->kind = EVAL_CALL;
    if (r < 0)
        return r;
    if (count == 0)
        return bad(context, "cases: is empty, so that there is nothing to judge");
    if (!judge_driver_find(task->runtime))
        return bad(context, "language: functions of %s cannot be called", task->runtime);
    task->cases = calloc(count, sizeof(*task->cases));
    if (!task->cases)
        return no_memory(context);
    task->case_count = count;
    for (size_t i = 0; i < count && r >= 0; i++) {
        r = fill_case(context, json_array_get(cases, i), i, &task->cases[i]);
        for (size_t j = 0; r >= 0 && j < i; j++)
            if (strcmp(task->cases[i].name, task->cases[j].name) == 0)
                r = bad(context, "cases: two have the name \"%.60s\"", task->cases[i].name);
    }
    return r;
}

static int close_tests(const struct context *context, struct base_buf *tests, int r)
{
    if (r < 0)
        return no_memory(context);
    context->task->kind = EVAL_SCRIPT;
    context->task->case_count = 1;
    context->task->tests = (struct eval_text){tests->bytes, tests->count};
    *tests = (struct base_buf){0}; /* given away */
    return 0;
}

static int fill_humaneval(const struct context *context)
{
    AUTO_BUF struct base_buf tests = {0};
    struct eval_task *task = context->task;
    const json_t *test = json_object_get(context->json, "test");
    int r = keep_name(context, "entry_point", "", &task->entry_point);

    if (r < 0)
        return r;
    if (strcmp(task->runtime, "python") != 0)
        return bad(context, "language: scripts in %s are not in this version", task->runtime);
    if (!strstr(json_string_value(test), "def check("))
        return bad(context, "test: defines no check(), so that there is nothing to judge");
    task->prompt_is_code = true;
    r = keep_text(context, "canonical_solution", &task->canonical);
    if (r < 0)
        return r;
    r = base_buf_append(&tests, json_string_value(test), json_string_length(test));
    if (r >= 0)
        r = base_buf_printf(&tests, "\ncheck(%s)\n", task->entry_point);
    return close_tests(context, &tests, r);
}

/* Append each text of a list as a line. */
static int put_lines(const struct context *context, const char *key, struct base_buf *tests)
{
    const json_t *list = json_object_get(context->json, key);

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *line = json_array_get(list, i);
        if (!json_is_string(line))
            return bad(context, "%s: element %zu must be text", key, i + 1);
        if (base_buf_append(tests, json_string_value(line), json_string_length(line)) < 0 ||
            base_buf_text(tests, "\n") < 0)
            return no_memory(context);
    }
    return 0;
}

static int fill_mbpp(const struct context *context)
{
    AUTO_BUF struct base_buf tests = {0};
    const char *setup = json_string_value(json_object_get(context->json, "test_setup_code"));
    int r = keep_text(context, "code", &context->task->canonical);

    if (r >= 0 && json_array_size(json_object_get(context->json, "test_list")) == 0)
        return bad(context, "test_list: is empty, so that there is nothing to judge");
    if (r >= 0)
        r = put_lines(context, "test_imports", &tests);
    if (r >= 0 && setup && (base_buf_text(&tests, setup) < 0 || base_buf_text(&tests, "\n") < 0))
        return no_memory(context);
    if (r >= 0)
        r = put_lines(context, "test_list", &tests);
    return r < 0 ? r : close_tests(context, &tests, 0);
}

/* Keys that say something about a task and change nothing. */
#define ABOUT                                                                                                          \
    {"title", KIND_ANY, false}, {"tags", KIND_ANY, false}, {"source", KIND_ANY, false}, {"license", KIND_ANY, false},  \
        {"created", KIND_ANY, false},                                                                                  \
    {                                                                                                                  \
        "note", KIND_ANY, false                                                                                        \
    }

static const struct field call_fields[] = {
    {"id", KIND_ANY, true},
    {"prompt", JSON_STRING, false},
    {"entry_point", JSON_STRING, false},
    {"language", JSON_STRING, false},
    {"cases", JSON_ARRAY, true},
    {"canonical", JSON_STRING, false},
    ABOUT,
    {NULL},
};
static const struct field mbpp_fields[] = {
    {"task_id", KIND_ANY, true},         {"code", JSON_STRING, false},
    {"test_list", JSON_ARRAY, true},     {"test_setup_code", JSON_STRING, false},
    {"test_imports", JSON_ARRAY, false}, {"prompt", JSON_STRING, false},
    {"language", JSON_STRING, false},    {NULL},
};
static const struct field humaneval_fields[] = {
    {"task_id", KIND_ANY, true},
    {"prompt", JSON_STRING, true},
    {"entry_point", JSON_STRING, true},
    {"test", JSON_STRING, true},
    {"canonical_solution", JSON_STRING, false},
    {"language", JSON_STRING, false},
    {NULL},
};
static const struct field stdio_fields[] = {
    {"id", KIND_ANY, true},
    {"prompt", JSON_STRING, false},
    {"stdin", JSON_STRING, false},
    {"expect", JSON_STRING, true},
    {"language", JSON_STRING, false},
    {"canonical", JSON_STRING, false},
    ABOUT,
    {NULL},
};

static const struct format formats[] = {
    {{"cases"}, NULL, true, call_fields, fill_calls},
    {{"test_list"}, NULL, false, mbpp_fields, fill_mbpp},
    {{"test", "entry_point"}, "declaration", false, humaneval_fields, fill_humaneval},
    {{"expect"}, NULL, true, stdio_fields, fill_stdio},
};

static const struct format *recognise(const json_t *json)
{
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
        const struct format *f = &formats[i];
        bool fits = json_object_get(json, f->marks[0]) && (!f->marks[1] || json_object_get(json, f->marks[1]));
        if (fits && !(f->without && json_object_get(json, f->without)))
            return f;
    }
    return NULL;
}

static int fill(const struct context *context, const struct format *format)
{
    struct eval_task *task = context->task;
    int r = keep_id(context, format->fields[0].key, format->fill == fill_mbpp);

    if (r >= 0)
        r = check_fields(context, format->fields, format->strict);
    if (r >= 0)
        r = keep_language(context);
    if (r >= 0)
        r = keep_text(context, "prompt", &task->prompt);
    if (r >= 0)
        r = keep_text(context, "canonical", &task->canonical);
    return r < 0 ? r : format->fill(context);
}

int eval_task_parse(const json_t *json, const char *place, struct eval_task *ret_task, struct base_err *err)
{
    const struct format *format = recognise(json);
    struct eval_task task = {0};
    struct context context = {json, place, &task, err};
    int r;

    if (!format) {
        base_err_set(err, BASE_E_INVALID, place, "unknown task format");
        return base_err_remedy(err, "known are {id, stdin, expect}, {id, cases}, {task_id, prompt, entry_point, test} "
                                    "and {task_id, code, test_list}");
    }
    r = fill(&context, format);
    if (r < 0) {
        eval_task_release(&task);
        return r;
    }
    *ret_task = task;
    return 0;
}

void eval_task_release(struct eval_task *task)
{
    for (size_t i = 0; task->cases && i < task->case_count; i++) {
        free(task->cases[i].name);
        json_decref(task->cases[i].args);
        json_decref(task->cases[i].expect);
    }
    free(task->cases);
    free(task->id);
    free(task->entry_point);
    free(task->prompt.bytes);
    free(task->canonical.bytes);
    free(task->tests.bytes);
    free(task->given.bytes);
    free(task->expect.bytes);
    *task = (struct eval_task){0};
}
