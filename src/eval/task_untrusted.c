/* task_untrusted.c - one task from its JSON
 *
 * Task sets come from anybody. The format is recognised by its keys; what each key may do is in the tables of formats
 * below, and what of other keys is in keys_untrusted.c.
 */

#include "base/cleanup.h"
#include "eval/keys.h"
#include "eval/task.h"
#include "judge/judge.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ID_MAX_BYTES 200

struct context {
    const json_t *json;
    const json_t *odd; /* what of it cannot be read as it stands, by key; or NULL */
    const char *place;
    struct eval_task *task;
    struct base_err *err;
};

struct format {
    const char *marks[2];        /* keys that make it this format */
    const char *without;         /* a key that makes it another one, or NULL */
    bool strict;                 /* an unknown key is a misspelled one, and a check would vanish with it */
    const struct eval_key *keys; /* the first is the id */
    int (*fill)(const struct context *context);
};

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static int bad(const struct context *context, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int bad(const struct context *context, const char *fmt, ...)
{
    char what[300];
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

/* ---- fields ---------------------------------------------------------------------------------------------------- */

static int keep_text(const struct context *context, const char *key, struct eval_text *ret_text)
{
    const json_t *value = eval_key_get(context->json, key);
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
    const json_t *value = eval_key_get(context->json, key);
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
    } languages[] = {{"python", "python"}, {"python3", "python"}, {"py", "python"},   {"javascript", "node"},
                     {"js", "node"},       {"node", "node"},      {"nodejs", "node"}, {"node.js", "node"},
                     {"bash", "bash"},     {"sh", "sh"},          {"perl", "perl"}};
    const char *word = json_string_value(language);

    if (!word)
        return base_err_set(err, BASE_E_INVALID, place, "language: must be text");
    for (size_t i = 0; i < ARRAY_COUNT(languages); i++)
        if (strcasecmp(languages[i].word, word) == 0 && strlen(word) == json_string_length(language)) {
            *ret_runtime = languages[i].runtime;
            return 0;
        }
    (void)base_err_set(err, BASE_E_INVALID, place, "language: \"%.40s\" is not known here", word);
    return base_err_remedy(err, "known are python, javascript, bash, sh and perl");
}

static int keep_language(const struct context *context)
{
    const json_t *language = eval_key_get(context->json, "language");
    char remedy[sizeof(context->err->remedy)];
    struct base_err err;

    context->task->runtime = "python";
    if (!language || eval_task_language(language, context->place, &context->task->runtime, &err) == 0)
        return 0;
    (void)snprintf(remedy, sizeof(remedy), "%s", err.remedy);
    (void)bad(context, "%.200s", err.what);
    return base_err_remedy(context->err, "%s", remedy);
}

static int check_keys(const struct context *context, const struct eval_key *keys, bool strict)
{
    char remedy[sizeof(context->err->remedy)];
    struct base_err err;

    if (eval_keys_check(context->json, keys, strict, context->odd, &err) == 0)
        return 0;
    (void)snprintf(remedy, sizeof(remedy), "%s", err.remedy);
    (void)bad(context, "%s", err.what);
    return *remedy ? base_err_remedy(context->err, "%s", remedy) : context->err->code;
}

/* ---- id -------------------------------------------------------------------------------------------------------- */

static int no_id(const struct context *context, const char *key)
{
    static const char *const other_names[] = {"task_id", "id", "question_id", "problem_id", "name"};

    for (size_t i = 0; i < ARRAY_COUNT(other_names); i++)
        if (eval_key_get(context->json, other_names[i])) {
            (void)bad(context, "%s: is missing, and there is \"%s\"", key, other_names[i]);
            return base_err_remedy(context->err, "did you mean %s?", key);
        }
    return bad(context, "%s: is missing", key);
}

static int keep_id(const struct context *context, const char *key, bool mbpp)
{
    const json_t *value = json_object_get(context->json, key);
    const char *text = json_string_value(value);
    char number[64];

    if (mbpp && json_is_integer(value)) {
        (void)snprintf(number, sizeof(number), "MBPP/%" JSON_INTEGER_FORMAT, json_integer_value(value));
        text = number;
    } else if (!text) {
        return value ? bad(context, "%s: must be text, not %s", key, eval_key_kind(json_typeof(value)))
                     : no_id(context, key);
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

/* One number of a tolerance: at least 0, and less than @below. */
static int keep_share(const struct context *context, const json_t *tolerance, const char *key, double below,
                      double *ret_share)
{
    const json_t *value = json_object_get(tolerance, key);

    if (!value)
        return 0;
    if (!json_is_number(value) || json_number_value(value) < 0 || json_number_value(value) >= below)
        return bad(context, "tolerance: %s: must be a number from 0 to below %g", key, below);
    *ret_share = json_number_value(value);
    return 1;
}

/* The tolerance of a task, or of a case in it, over what it would be otherwise. */
static int keep_tolerance(const struct context *context, struct judge_tolerance *tolerance)
{
    const json_t *given = eval_key_get(context->json, "tolerance");
    int relative = keep_share(context, given, "relative", 1, &tolerance->relative);
    int absolute = relative < 0 ? relative : keep_share(context, given, "absolute", 1e300, &tolerance->absolute);

    if (absolute < 0)
        return absolute;
    if (absolute > 0)
        tolerance->at_zero = 0; /* the task has said it itself */
    if (given && json_object_size(given) != (size_t)(relative + absolute))
        return bad(context, "tolerance: has other keys than relative and absolute");
    return given && json_object_size(given) == 0 ? bad(context, "tolerance: is empty") : 0;
}

static const struct eval_key case_keys[] = {
    {"name", JSON_STRING, EVAL_KEY_USED},      {"input", EVAL_KEY_ANY, EVAL_KEY_USED},
    {"args", JSON_ARRAY, EVAL_KEY_USED},       {"expect", EVAL_KEY_ANY, EVAL_KEY_NEEDED},
    {"tolerance", JSON_OBJECT, EVAL_KEY_USED}, {NULL, EVAL_KEY_ANY, EVAL_KEY_USED},
};

/* "input": null is the argument null, unless "args" says what the arguments are. */
static json_t *arguments_of(const struct context *context, size_t index)
{
    json_t *input = json_object_get(context->json, "input"), *args = eval_key_get(context->json, "args");

    if (args && json_is_null(input))
        input = NULL;
    if (!input == !args) {
        (void)bad(context, "case %zu: needs either input or args", index + 1);
        return NULL;
    }
    args = args ? json_incref(args) : json_pack("[O]", input);
    if (!args)
        (void)no_memory(context);
    return args;
}

/* Context of one case: errors name the task. */
static int fill_case(const struct context *outer, const json_t *json, size_t index,
                     const struct judge_tolerance *tolerance, struct eval_case *ret_case)
{
    struct context context = {json, NULL, outer->place, outer->task, outer->err};
    json_t *expect = json_object_get(json, "expect");
    const char *name = json_string_value(json_object_get(json, "name"));
    char number[32];
    int r;

    if (!json_is_object(json))
        return bad(&context, "case %zu: must be an object", index + 1);
    r = check_keys(&context, case_keys, true);
    ret_case->tolerance = *tolerance;
    if (r >= 0)
        r = keep_tolerance(&context, &ret_case->tolerance);
    if (r < 0)
        return r;
    ret_case->args = arguments_of(&context, index);
    if (!ret_case->args)
        return context.err->code;
    (void)snprintf(number, sizeof(number), "%zu", index + 1);
    ret_case->name = strdup(name ? name : number);
    ret_case->no_mutation = json_is_string(expect) && strcmp(json_string_value(expect), "no-mutation") == 0;
    ret_case->expect = ret_case->no_mutation ? NULL : json_incref(expect);
    return ret_case->name ? 0 : no_memory(&context);
}

static int index_case(const struct context *context, size_t index)
{
    const char *name = context->task->cases[index].name;
    json_t *names = context->task->case_names;

    if (json_object_get(names, name))
        return bad(context, "cases: two have the name \"%.60s\"", name);
    return json_object_set_new(names, name, json_integer((json_int_t)index)) < 0 ? no_memory(context) : 0;
}

static int fill_cases(const struct context *context, const json_t *cases, size_t count,
                      const struct judge_tolerance *tolerance)
{
    struct eval_task *task = context->task;
    int r = 0;

    task->cases = calloc(count, sizeof(*task->cases));
    task->case_names = json_object();
    if (!task->cases || !task->case_names)
        return no_memory(context);
    task->case_count = count;
    for (size_t i = 0; i < count && r >= 0; i++) {
        r = fill_case(context, json_array_get(cases, i), i, tolerance, &task->cases[i]);
        if (r >= 0)
            r = index_case(context, i);
    }
    return r;
}

static int fill_calls(const struct context *context)
{
    struct eval_task *task = context->task;
    const json_t *cases = eval_key_get(context->json, "cases");
    size_t count = json_array_size(cases);
    struct judge_tolerance tolerance = judge_tolerance_default;
    int r = keep_name(context, "entry_point", "solution", &task->entry_point);

    task->kind = EVAL_CALL;
    if (r >= 0)
        r = keep_tolerance(context, &tolerance);
    if (r < 0)
        return r;
    if (count == 0)
        return bad(context, "cases: is empty, so that there is nothing to judge");
    if (!judge_driver_find(task->runtime))
        return bad(context, "language: functions of %s cannot be called", task->runtime);
    return fill_cases(context, cases, count, &tolerance);
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

/* "f", or "Class().f": what check() is called with, and the name that a candidate must define for it. */
static int keep_entry(const struct context *context)
{
    struct eval_task *task = context->task;
    const json_t *value = eval_key_get(context->json, "entry_point");
    const char *text = json_string_value(value), *method = strstr(text, "().");
    AUTO_FREE char *name = method ? strndup(text, (size_t)(method - text)) : strdup(text);

    task->entry_point = strdup(text);
    if (!name || !task->entry_point)
        return no_memory(context);
    if (!judge_name_ok(name) || (method && !judge_name_ok(method + 3)) || strlen(text) != json_string_length(value))
        return bad(context, "entry_point: is neither a name (letters, digits, _) nor of the form Class().name");
    task->defined = TAKE_PTR(name);
    return 0;
}

static int fill_humaneval(const struct context *context)
{
    AUTO_BUF struct base_buf tests = {0};
    struct eval_task *task = context->task;
    const json_t *test = eval_key_get(context->json, "test");
    int r = keep_entry(context);

    if (r < 0)
        return r;
    if (strcmp(task->runtime, "python") != 0)
        return bad(context, "language: tests in \"%.40s\" are not judged in this version, only those in Python",
                   json_string_value(eval_key_get(context->json, "language")));
    if (!strstr(json_string_value(test), "def check("))
        return bad(context, "test: defines no check(), so that there is nothing to judge");
    task->prompt_is_code = true;
    r = keep_text(context, eval_key_get(context->json, "canonical_solution") ? "canonical_solution" : "completion",
                  &task->canonical);
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
    const json_t *list = eval_key_get(context->json, key);

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

static int put_text(const struct context *context, const char *key, struct base_buf *tests)
{
    const json_t *text = eval_key_get(context->json, key);

    if (!text || json_string_length(text) == 0)
        return 0;
    if (base_buf_append(tests, json_string_value(text), json_string_length(text)) < 0 || base_buf_text(tests, "\n") < 0)
        return no_memory(context);
    return 0;
}

static int fill_mbpp(const struct context *context)
{
    AUTO_BUF struct base_buf tests = {0};
    const char *test = json_string_value(eval_key_get(context->json, "test"));
    int r = keep_text(context, "code", &context->task->canonical);

    if (r >= 0 && json_array_size(eval_key_get(context->json, "test_list")) == 0)
        return bad(context, "test_list: is empty, so that there is nothing to judge");
    if (test && strstr(test, "def check("))
        return bad(context, "test: defines check(), which nothing calls beside a test_list");
    if (r >= 0)
        r = put_lines(context, "test_imports", &tests);
    if (r >= 0)
        r = put_text(context, "test_setup_code", &tests);
    if (r >= 0)
        r = put_lines(context, "test_list", &tests);
    if (r >= 0)
        r = put_text(context, "test", &tests);
    return r < 0 ? r : close_tests(context, &tests, 0);
}

/* Keys that say something about a task and change nothing. */
#define NOTED(name)                                                                                                    \
    {                                                                                                                  \
        name, EVAL_KEY_ANY, EVAL_KEY_NOTED                                                                             \
    }
#define ABOUT                                                                                                          \
    NOTED("title"), NOTED("tags"), NOTED("source"), NOTED("license"), NOTED("created"), NOTED("note"), NOTED("url"),   \
        NOTED("difficulty"), NOTED("author"), NOTED("description"), NOTED("category"), NOTED("meta"),                  \
        NOTED("metadata")
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, EVAL_KEY_ANY, EVAL_KEY_NOTED                                                                             \
    }

static const struct eval_key call_keys[] = {
    {"id", EVAL_KEY_ANY, EVAL_KEY_NEEDED},
    {"prompt", JSON_STRING, EVAL_KEY_USED},
    {"entry_point", JSON_STRING, EVAL_KEY_USED},
    {"language", JSON_STRING, EVAL_KEY_USED},
    {"cases", JSON_ARRAY, EVAL_KEY_NEEDED},
    {"tolerance", JSON_OBJECT, EVAL_KEY_USED},
    {"canonical", JSON_STRING, EVAL_KEY_USED},
    ABOUT,
    END,
};
static const struct eval_key mbpp_keys[] = {
    {"task_id", EVAL_KEY_ANY, EVAL_KEY_NEEDED},
    {"code", JSON_STRING, EVAL_KEY_USED},
    {"test_list", JSON_ARRAY, EVAL_KEY_NEEDED},
    {"test_setup_code", JSON_STRING, EVAL_KEY_USED},
    {"test_imports", JSON_ARRAY, EVAL_KEY_USED},
    {"test", JSON_STRING, EVAL_KEY_USED},
    {"prompt", JSON_STRING, EVAL_KEY_USED},
    {"language", JSON_STRING, EVAL_KEY_USED},
    NOTED("entry_point"),
    NOTED("challenge_test_list"), /* the published harnesses do not judge by it */
    ABOUT,
    END,
};
static const struct eval_key humaneval_keys[] = {
    {"task_id", EVAL_KEY_ANY, EVAL_KEY_NEEDED},
    {"prompt", JSON_STRING, EVAL_KEY_NEEDED},
    {"entry_point", JSON_STRING, EVAL_KEY_NEEDED},
    {"test", JSON_STRING, EVAL_KEY_NEEDED},
    {"canonical_solution", JSON_STRING, EVAL_KEY_USED},
    {"completion", JSON_STRING, EVAL_KEY_USED}, /* LeetCodeDataset's word for it */
    {"language", JSON_STRING, EVAL_KEY_USED},
    NOTED("example_test"), /* a part of test, for prompts */
    NOTED("input_output"), /* LeetCodeDataset: test has the same */
    ABOUT,
    END,
};
static const struct eval_key stdio_keys[] = {
    {"id", EVAL_KEY_ANY, EVAL_KEY_NEEDED},
    {"prompt", JSON_STRING, EVAL_KEY_USED},
    {"stdin", JSON_STRING, EVAL_KEY_USED},
    {"expect", JSON_STRING, EVAL_KEY_NEEDED},
    {"language", JSON_STRING, EVAL_KEY_USED},
    {"canonical", JSON_STRING, EVAL_KEY_USED},
    ABOUT,
    END,
};

static const struct format formats[] = {
    {{"cases"}, NULL, true, call_keys, fill_calls},
    {{"test_list"}, NULL, false, mbpp_keys, fill_mbpp},
    {{"test", "entry_point"}, "declaration", false, humaneval_keys, fill_humaneval},
    {{"expect"}, NULL, true, stdio_keys, fill_stdio},
};

static const struct format *recognise(const json_t *json)
{
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
        const struct format *f = &formats[i];
        bool fits = eval_key_get(json, f->marks[0]) && (!f->marks[1] || eval_key_get(json, f->marks[1]));
        if (fits && !(f->without && eval_key_get(json, f->without)))
            return f;
    }
    return NULL;
}

static int fill(const struct context *context, const struct format *format)
{
    struct eval_task *task = context->task;
    int r = keep_id(context, format->keys[0].name, format->fill == fill_mbpp);

    if (r >= 0)
        r = check_keys(context, format->keys, format->strict);
    if (r >= 0)
        r = keep_language(context);
    if (r >= 0)
        r = keep_text(context, "prompt", &task->prompt);
    if (r >= 0)
        r = keep_text(context, "canonical", &task->canonical);
    return r < 0 ? r : format->fill(context);
}

/* Sets that are known, and are not judged in this version. The key is what nothing here understands, and the other one,
 * where there is one, must be beside it: a common word alone makes no such set. */
static const struct {
    const char *key, *set, *beside;
} others[] = {
    {"base_input", "EvalPlus: inputs without the values that are expected"},
    {"plus_input", "EvalPlus: inputs without the values that are expected"},
    {"declaration", "HumanEval-X: programs of a declaration, a body and a test"},
    {"tests", "MultiPL-E: tests in the set's own language", "stop_tokens"},
    {"public_test_cases", "LiveCodeBench"},
    {"private_test_cases", "LiveCodeBench"},
    {"public_tests", "CodeContests"},
    {"private_tests", "CodeContests"},
    {"input_output", "APPS"},
    {"complete_prompt", "BigCodeBench: tests that are a unittest.TestCase"},
    {"code_context", "DS-1000"},
    {"test_classes", "ClassEval"},
    {"FAIL_TO_PASS", "SWE-bench"},
    {"completion", "a file of candidates", "task_id"},
    {"solution", "a file of candidates", "task_id"},
    {"samples", "a file of candidates", "prompt"},
    {"output", "pairs of code and its output, such as CRUXEval, which ask for a value and not for a program", "code"},
};

/* The key of which @json would be of the format @f if it were spelled rightly, or NULL. */
static const char *find_misspelled(const json_t *json, const struct format *f, const char **ret_meant)
{
    const char *name;
    json_t *value;

    if (!eval_key_get(json, "id") && !eval_key_get(json, "task_id"))
        return NULL;
    json_object_foreach((json_t *)json, name, value) /* changes nothing */
    {
        const char *meant = json_is_null(value) ? NULL : eval_key_meant(name, f->keys);
        bool is_mark = meant && (strcmp(meant, f->marks[0]) == 0 || (f->marks[1] && strcmp(meant, f->marks[1]) == 0));
        const char *other = is_mark && strcmp(meant, f->marks[0]) == 0 ? f->marks[1] : f->marks[0];

        if (!is_mark || eval_key_get(json, meant) || (f->marks[1] && !eval_key_get(json, other)))
            continue;
        *ret_meant = meant;
        return name;
    }
    return NULL;
}

/* Its id and the one of two marks that is there say what it would be. */
static bool is_likely(const json_t *json, const struct format *f)
{
    return f->marks[1] && eval_key_get(json, f->keys[0].name) && eval_key_get(json, f->marks[1]);
}

static int refuse_misspelled(const struct context *context)
{
    for (size_t i = 0; i < 2 * ARRAY_COUNT(formats); i++) { /* the likely ones first */
        const struct format *f = &formats[i % ARRAY_COUNT(formats)];
        const char *meant, *name;

        if (is_likely(context->json, f) != (i < ARRAY_COUNT(formats)) ||
            !(name = find_misspelled(context->json, f, &meant)))
            continue;
        (void)keep_id(context, f->keys[0].name, f->fill == fill_mbpp); /* for the message alone */
        (void)bad(context, "unknown key \"%.60s\"", name);
        return base_err_remedy(context->err, "did you mean %s?", meant);
    }
    return 0;
}

static int refuse_unknown(const struct context *context)
{
    static const char known[] = "known are {id, stdin, expect}, {id, cases}, {task_id, prompt, entry_point, test} "
                                "and {task_id, code, test_list}";

    for (size_t i = 0; i < ARRAY_COUNT(others); i++)
        if (eval_key_get(context->json, others[i].key) &&
            (!others[i].beside || eval_key_get(context->json, others[i].beside))) {
            (void)bad(context, "unknown task format: the key \"%s\" (%s) is not understood", others[i].key,
                      others[i].set);
            return base_err_remedy(context->err, "%s", known);
        }
    if (refuse_misspelled(context) < 0)
        return context->err->code;
    (void)bad(context, "unknown task format");
    return base_err_remedy(context->err, "%s", known);
}

int eval_task_parse(const json_t *json, const json_t *odd, const char *place, struct eval_task *ret_task,
                    struct base_err *err)
{
    const struct format *format = recognise(json);
    struct eval_task task = {0};
    struct context context = {json, odd, place, &task, err};
    int r = format ? fill(&context, format) : refuse_unknown(&context);

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
    json_decref(task->case_names);
    free(task->id);
    free(task->entry_point);
    free(task->defined);
    free(task->prompt.bytes);
    free(task->canonical.bytes);
    free(task->tests.bytes);
    free(task->given.bytes);
    free(task->expect.bytes);
    *task = (struct eval_task){0};
}
