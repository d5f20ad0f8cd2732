/* test_candidate.c - candidates from every source, in order, with their samples */
#include "../support.h"
#include "base/cleanup.h"
#include "eval/candidate.h"
#include "judge/judge.h"
#include "stage/stage.h"

#define TASKS                                                                                                          \
    "{\"task_id\":\"H/0\",\"prompt\":\"P0\",\"entry_point\":\"f\",\"test\":\"def check(c): "                           \
    "pass\",\"canonical_solution\":\"C\"}\n"                                                                           \
    "{\"task_id\":7,\"code\":\"M\",\"test_list\":[\"t1\"]}\n"                                                          \
    "{\"id\":\"e\",\"expect\":\"y\"}\n"                                                                                \
    "{\"id\":\"c\",\"cases\":[{\"input\":1,\"expect\":2}]}\n"

static void load(struct eval_tasks *tasks, const char *const *ids, size_t id_count)
{
    struct base_err err = {0};

    support_write_text("tasks", TASKS);
    assert_int_equal(eval_tasks_load("tasks", ids, id_count, tasks, &err), 0);
}

/* All candidates as one text: "TASK.SAMPLE FORM CODE;". */
static void list(const char *spec, const struct eval_tasks *tasks, char *text, size_t bytes)
{
    static const char *const forms[] = {"absent", "completion", "solution", "program"};
    AUTO_CANDIDATES struct eval_candidates *candidates = NULL;
    struct eval_candidate c;
    struct base_err err = {0};
    size_t used = 0;
    int r;

    assert_int_equal(eval_candidates_open(spec, tasks, &candidates, &err), 0);
    while ((r = eval_candidates_next(candidates, &c, &err)) > 0)
        used += (size_t)snprintf(text + used, bytes - used, "%zu.%u %s %.*s;", c.task, c.sample, forms[c.form],
                                 (int)c.count, c.code ? c.code : "");
    if (r < 0)
        (void)snprintf(text, bytes, "%s: %s", err.place, err.what);
}

static void expect_list(const char *spec, const char *wanted)
{
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    char text[1024];

    load(&tasks, NULL, 0);
    list(spec, &tasks, text, sizeof(text));
    assert_string_equal(text, wanted);
}

static void words(void **state)
{
    (void)state;
    expect_list("canonical", "0.0 completion C;1.0 program M;2.0 absent ;3.0 absent ;");
    expect_list("none", "0.0 absent ;1.0 absent ;2.0 absent ;3.0 absent ;");
}

static void lines(void **state)
{
    (void)state;
    support_write_text("c.jsonl", "{\"task_id\":\"H/0\",\"completion\":\"a\"}\n"
                                  "{\"task_id\":7,\"completion\":\"b\"}\n"
                                  "{\"task_id\":\"zz\",\"completion\":\"x\"}\n"
                                  "{\"task_id\":\"H/0\",\"solution\":\"c\"}\n"
                                  "{\"prompt\":\"P0\",\"samples\":[\"d\",null,\"e\"]}\n"
                                  "{\"task_id\":\"MBPP/7\",\"solution\":\"f\"}\n"
                                  "{\"task_id\":\"7\",\"solution\":null}\n"
                                  "{\"task_id\":\"e\",\"completion\":\"g\"}\n");
    expect_list("c.jsonl",
                "0.0 completion a;1.0 program b;0.1 solution c;0.2 completion d;0.3 completion ;0.4 completion e;"
                "1.1 solution f;1.2 solution ;2.0 program g;3.0 absent ;");
}

static void odd_lines(void **state)
{
    (void)state;
    support_write_text("c.jsonl",
                       "{\"task_id\":\"e\",\"completion\":null,\"solution\":\"a\",\"language\":null,\"samples\":null}\n"
                       "{\"task_id\":\"e\",\"completion\":\"b\",\"solution\":null,\"logprob\":-Infinity}\n"
                       "{\"task_id\":\"e\",\"completion\":\"c\\ud83d\",\"x\":NaN}\n"
                       "{\"task_id\":\"e\",\"completion\":\"\xff\"}\n"
                       "{\"task_id\":\"e\",\"completion\":NaN}\n"
                       "{\"task_id\":\"e\",\"completion\":null,\"solution\":null}\n"
                       "{\"prompt\":\"P0\",\"completion\":null,\"samples\":[\"\\udc00\",\"d\",NaN]}\n");
    expect_list("c.jsonl", "2.0 solution a;2.1 program b;2.2 program c\xed\xa0\xbd;2.3 program \xff;2.4 program ;"
                           "2.5 solution ;0.0 completion \xed\xb0\x80;0.1 completion d;0.2 completion ;1.0 absent ;"
                           "3.0 absent ;");
}

static void folder(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    support_write_text("d/H_0.py", "h");
    support_write_text("d/e.sh", "s");
    support_write_text("d/e.js", "j");
    support_write_text("d/c.js", "");
    support_write_text("d/README.md", "no candidate");
    support_write_text("d/.hidden", "no candidate");
    expect_list("d", "0.0 solution h;2.0 solution j;2.1 solution s;3.0 solution ;1.0 absent ;");
}

static void folder_with_bare_numbers(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    support_write_text("d/7.py", "m");
    support_write_text("d/MBPP_7.py", "n");
    expect_list("d", "1.0 solution m;1.1 solution n;0.0 absent ;2.0 absent ;3.0 absent ;");
}

static const char *wanted_by(const char *spec, size_t task)
{
    static char text[EVAL_WANTED_BYTES];
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    AUTO_CANDIDATES struct eval_candidates *candidates = NULL;
    struct base_err err = {0};

    load(&tasks, NULL, 0);
    assert_int_equal(eval_candidates_open(spec, &tasks, &candidates, &err), 0);
    eval_candidates_wanted(candidates, &tasks.items[task], text);
    return text;
}

static void wanted_names(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_string_equal(wanted_by("d", 1), "a file MBPP_7.py");
    support_write_text("c.jsonl", "{}");
    assert_string_equal(wanted_by("c.jsonl", 0), "the task_id \"H/0\"");
}

static void languages(void **state)
{
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    AUTO_CANDIDATES struct eval_candidates *candidates = NULL;
    struct eval_candidate c;
    struct base_err err = {0};

    (void)state;
    load(&tasks, NULL, 0);
    support_write_text("c.jsonl", "{\"task_id\":\"e\",\"solution\":\"g\",\"language\":\"bash\"}\n"
                                  "{\"task_id\":\"e\",\"solution\":\"h\",\"language\":null}\n");
    assert_int_equal(eval_candidates_open("c.jsonl", &tasks, &candidates, &err), 0);
    assert_int_equal(eval_candidates_next(candidates, &c, &err), 1);
    assert_string_equal(c.runtime->name, "bash");
    assert_int_equal(eval_candidates_next(candidates, &c, &err), 1);
    assert_string_equal(c.runtime->name, "python");
}

/* What is wrong with one line is its own verdict; the one after it is judged. */
static void refused_lines(void **state)
{
    static const struct {
        const char *text, *wanted;
        enum judge_verdict verdict;
    } rows[] = {
        {"{\"task_id\":\"e\",\"completion\":7}", "completion: must be text, not an integer", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":[]}", "solution: must be text, not a list", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":[\"a\",\"b\"]}", "solution: must be text, not a list", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":{\"a\":1}}", "solution: must be text, not an object", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":false}", "solution: must be text, not a boolean", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":\"\",\"completion\":\"\"}", "has both completion and solution",
         JUDGE_NO_CODE},
        {"{\"prompt\":\"P0\",\"samples\":7}", "samples: must be a list of texts, not an integer", JUDGE_NO_CODE},
        {"{\"prompt\":\"P0\",\"samples\":[7]}", "samples: element 1 must be text, not an integer", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":\"x\",\"language\":\"cobol\"}",
         "language: \"cobol\" is not known here (known are python, javascript, bash, sh and perl)",
         JUDGE_COMPILE_ERROR},
        {"{\"task_id\":\"e\",\"solution\":\"x\",\"language\":7}", "language: must be text", JUDGE_COMPILE_ERROR},
        {"{\"task_id\":\"e\",\"solution\":\"x\",\"language\":NaN}", "language: has a number that is not finite",
         JUDGE_COMPILE_ERROR},
        {"{\"task_id\":\"e\",\"solution\":\"a\",\"solution\":\"b\"}", "\"solution\" is there twice", JUDGE_NO_CODE},
        {"{\"task_id\":\"e\",\"solution\":\"a\",\"info\":{\"n\":1,\"n\":1}}", "\"n\" is there twice", JUDGE_NO_CODE},
        {"{\"task_id\":\"H/0\",\"solution\":\"g\",\"language\":\"javascript\"}",
         "is for the runtime node, but task \"H/0\" has tests in Python", JUDGE_COMPILE_ERROR},
    };
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    char text[512];

    (void)state;
    load(&tasks, NULL, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_CANDIDATES struct eval_candidates *candidates = NULL;
        struct eval_candidate c;
        struct base_err err = {0};

        (void)snprintf(text, sizeof(text), "%s\n{\"task_id\":\"c\",\"solution\":\"x\"}\n", rows[i].text);
        support_write_text("c", text);
        assert_int_equal(eval_candidates_open("c", &tasks, &candidates, &err), 0);
        assert_int_equal(eval_candidates_next(candidates, &c, &err), 1);
        assert_string_equal(c.refused, rows[i].wanted);
        assert_int_equal(c.refused_as, rows[i].verdict);
        assert_int_equal(eval_candidates_next(candidates, &c, &err), 1);
        assert_null(c.refused);
        assert_int_equal(c.task, 3);
    }
}

static void only_chosen_tasks(void **state)
{
    static const char *const ids[] = {"e"};
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    char text[256];

    (void)state;
    load(&tasks, ids, 1);
    list("none", &tasks, text, sizeof(text));
    assert_string_equal(text, "2.0 absent ;");
    support_write_text("c.jsonl",
                       "{\"task_id\":\"H/0\",\"completion\":\"a\"}\n{\"task_id\":\"e\",\"completion\":\"b\"}\n");
    list("c.jsonl", &tasks, text, sizeof(text));
    assert_string_equal(text, "2.0 program b;");
}

static void faults(void **state)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"{\"completion\":\"a\"}", "c:1: task_id: is missing"},
        {"{\"task_id\":[],\"completion\":\"a\"}", "c:1: task_id: must be text or an integer"},
        {"{\"task_id\":\"e\"}", "c:1: is no candidate: has neither completion, solution nor samples"},
        {"{\"samples\":[]}", "c:1: prompt: is missing or not text"},
    };
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    char text[512];

    (void)state;
    load(&tasks, NULL, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        support_write_text("c", rows[i].text);
        list("c", &tasks, text, sizeof(text));
        assert_string_equal(text, rows[i].wanted);
    }
}

static void wrong_languages(void **state)
{
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct eval_candidates *candidates = NULL;
    struct base_err err = {0};
    char text[512];

    (void)state;
    load(&tasks, NULL, 0);
    assert_int_equal(mkdir("d", 0755), 0);
    support_write_text("d/H_0.js", "h");
    list("d", &tasks, text, sizeof(text));
    assert_non_null(strstr(text, "d/H_0.js: is for the runtime node"));
    assert_int_equal(rename("d/H_0.js", "d/c.sh"), 0);
    list("d", &tasks, text, sizeof(text));
    assert_non_null(strstr(text, "cannot be called"));
    assert_int_equal(rename("d/c.sh", "d/c.xyz"), 0);
    assert_int_equal(eval_candidates_open("d", &tasks, &candidates, &err), BASE_E_INVALID);
    assert_int_equal(eval_candidates_open("nowhere", &tasks, &candidates, &err), BASE_E_NOT_FOUND);
    assert_null(candidates);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(words),
        IN_FOLDER(lines),
        IN_FOLDER(odd_lines),
        IN_FOLDER(folder),
        IN_FOLDER(only_chosen_tasks),
        IN_FOLDER(faults),
        IN_FOLDER(wrong_languages),
        IN_FOLDER(folder_with_bare_numbers),
        IN_FOLDER(wanted_names),
        IN_FOLDER(languages),
        IN_FOLDER(refused_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
