/* test_candidate.c - candidates from every source, in order, with their samples */
#include "../support.h"
#include "base/cleanup.h"
#include "eval/candidate.h"
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
        {"{\"task_id\":\"e\",\"completion\":7}", "c:1: completion: must be text"},
        {"{\"task_id\":\"e\",\"solution\":[]}", "c:1: solution: must be text"},
        {"{\"task_id\":\"e\",\"solution\":\"\",\"completion\":\"\"}", "c:1: has both completion and solution"},
        {"{\"prompt\":\"P0\",\"samples\":7}", "c:1: samples: must be a list of texts"},
        {"{\"prompt\":\"P0\",\"samples\":[7]}", "c:1: samples: element 1 must be text"},
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
        IN_FOLDER(words),  IN_FOLDER(lines),           IN_FOLDER(folder), IN_FOLDER(only_chosen_tasks),
        IN_FOLDER(faults), IN_FOLDER(wrong_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
