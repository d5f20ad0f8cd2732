/* test_task.c - task sets: formats, faults with their place, ids */
#include "../support.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "eval/task.h"
#include "judge/judge.h"

#define STDIO "{\"id\":\"a\",\"stdin\":\"x\",\"expect\":\"y\"}"
#define CALL                                                                                                           \
    "{\"id\":\"b\",\"cases\":[{\"name\":\"n\",\"input\":1,\"expect\":2},{\"args\":[1,2],\"expect\":\"no-mutation\"}]}"
#define HUMAN                                                                                                          \
    "{\"task_id\":\"H/0\",\"prompt\":\"def f():\\n\",\"entry_point\":\"f\",\"test\":\"def check(c): "                  \
    "pass\",\"more\":1}"
#define MBPP "{\"task_id\":7,\"text\":\"t\",\"code\":\"c\",\"test_setup_code\":\"s\",\"test_list\":[\"t1\",\"t2\"]}"
#define HUMAN_AND(more)                                                                                                \
    "{\"task_id\":\"h\",\"prompt\":\"p\",\"entry_point\":\"f\",\"test\":\"def check(c): pass\"," more "}"
#define ALL_FOUR STDIO "\n\n" CALL "\n" HUMAN "\n" MBPP "\n"

static int load(const char *text, const char *const *ids, size_t id_count, struct eval_tasks *tasks,
                struct base_err *err)
{
    support_write_text("tasks", text);
    return eval_tasks_load("tasks", ids, id_count, tasks, err);
}

static void formats(void **state)
{
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(load(ALL_FOUR, NULL, 0, &tasks, &err), 0);
    assert_int_equal(tasks.count, 4);
    assert_int_equal(tasks.items[0].kind, EVAL_STDIO);
    assert_string_equal(tasks.items[0].given.bytes, "x");
    assert_int_equal(tasks.items[1].kind, EVAL_CALL);
    assert_int_equal(tasks.items[1].case_count, 2);
    assert_string_equal(tasks.items[1].entry_point, "solution");
    assert_string_equal(tasks.items[1].cases[1].name, "2");
    assert_true(tasks.items[1].cases[1].no_mutation);
    assert_int_equal(json_array_size(tasks.items[1].cases[0].args), 1);
    assert_int_equal(tasks.items[2].kind, EVAL_SCRIPT);
    assert_string_equal(tasks.items[2].tests.bytes, "def check(c): pass\ncheck(f)\n");
    assert_true(tasks.items[2].prompt_is_code);
    assert_string_equal(tasks.items[3].id, "MBPP/7");
    assert_string_equal(tasks.items[3].tests.bytes, "s\nt1\nt2\n");
    assert_false(tasks.items[3].prompt_is_code);
}

static void null_is_absent(void **state)
{
    static const char text[] =
        "{\"id\":\"a\",\"stdin\":null,\"expect\":\"y\",\"language\":null,\"canonical\":null,\"cases\":null,\"x\":null}"
        "\n"
        "{\"id\":\"b\",\"entry_point\":null,\"cases\":[{\"name\":null,\"input\":null,\"args\":null,\"expect\":null},"
        "{\"input\":null,\"args\":[1],\"expect\":2}]}\n" HUMAN_AND(
            "\"canonical_solution\":null,\"suffix\":\"\",\"plus_input\":[],\"contract\":null") "\n"
                                                                                               "{\"task_id\":7,"
                                                                                               "\"code\":null,"
                                                                                               "\"prompt\":null,\"test_"
                                                                                               "setup_code\":null,"
                                                                                               "\"test_imports\":null,"
                                                                                               "\"test\":null,"
                                                                                               "\"test_list\":[\"t\"],"
                                                                                               "\"difficulty\":NaN,"
                                                                                               "\"note\":\"\\ud800\"}"
                                                                                               "\n";
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct base_err err = {0};

    (void)state;
    if (load(text, NULL, 0, &tasks, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    assert_null(tasks.items[0].given.bytes);
    assert_true(json_is_null(json_array_get(tasks.items[1].cases[0].args, 0)));
    assert_true(json_is_null(tasks.items[1].cases[0].expect));
    assert_int_equal(json_integer_value(json_array_get(tasks.items[1].cases[1].args, 0)), 1);
    assert_string_equal(tasks.items[1].entry_point, "solution");
    assert_null(tasks.items[2].canonical.bytes);
    assert_string_equal(tasks.items[3].tests.bytes, "t\n");
}

static void more_shapes_of_scripts(void **state)
{
    static const char text[] =
        "{\"task_id\":1,\"code\":\"c\",\"test_imports\":[\"i\"],\"test_setup_code\":\"s\",\"test_list\":[\"t\"],"
        "\"test\":"
        "\"more\",\"challenge_test_list\":[\"x\"]}\n"
        "{\"task_id\":\"l\",\"prompt\":\"p\",\"entry_point\":\"Solution().f\",\"test\":\"def check(c): pass\","
        "\"completion\":\"class Solution\",\"input_output\":[1],\"contest_date\":\"x\",\"latest\":1}\n";
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct base_err err = {0};

    (void)state;
    if (load(text, NULL, 0, &tasks, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    assert_string_equal(tasks.items[0].tests.bytes, "i\ns\nt\nmore\n");
    assert_string_equal(tasks.items[1].tests.bytes, "def check(c): pass\ncheck(Solution().f)\n");
    assert_string_equal(tasks.items[1].defined, "Solution");
    assert_string_equal(tasks.items[1].canonical.bytes, "class Solution");
}

static void an_array_is_the_same_set(void **state)
{
    CLEANUP(eval_tasks_release) struct eval_tasks lines = {0}, array = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(load(ALL_FOUR, NULL, 0, &lines, &err), 0);
    assert_int_equal(load("\xef\xbb\xbf [\n" STDIO ",\n" CALL "," HUMAN ",\n\n" MBPP "]\n", NULL, 0, &array, &err), 0);
    assert_int_equal(array.count, 4);
    assert_string_equal(array.sha256, lines.sha256);
}

static void ids(void **state)
{
    static const char *const globs[] = {"H/*", "MBPP*"}, *const none[] = {"x*"};
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(load(ALL_FOUR, globs, 2, &tasks, &err), 0);
    assert_int_equal(tasks.chosen, 2);
    assert_int_equal(tasks.count, 4);
    json_t *number = json_integer(7), *text = json_string("7"), *full = json_string("MBPP/7"),
           *other = json_string("8");
    assert_int_equal(eval_tasks_find(&tasks, number), 3);
    assert_int_equal(eval_tasks_find(&tasks, text), 3);
    assert_int_equal(eval_tasks_find(&tasks, full), 3);
    assert_int_equal(eval_tasks_find(&tasks, other), -1);
    assert_int_equal(eval_tasks_find(&tasks, NULL), -1);
    json_decref(number);
    json_decref(text);
    json_decref(full);
    json_decref(other);
    eval_tasks_release(&tasks);
    assert_int_equal(load(ALL_FOUR, none, 1, &tasks, &err), BASE_E_USAGE);
}

static void faults(void **state)
{
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {"", "tasks", "empty"},
        {"\n \n", "tasks", "empty"},
        {"[]", "tasks", "no task"},
        {"7", "tasks:1", "object"},
        {"{\"a\":1}", "tasks:1", "format"},
        {STDIO "\n" STDIO, "tasks:2", "same id"},
        {STDIO "\n\n{\"id\": }", "tasks:3:", "JSON"},
        {"[" STDIO ",\n7]", "tasks:2", "object"},
        {"[" STDIO ",\n{\"id\": }]", "tasks:2:", "JSON"},
        {"[" STDIO, "tasks:1:", "JSON"},
        {"[" STDIO "] x", "tasks:1:", "JSON"},
        {"[" STDIO " " CALL "]", "tasks:1:", "JSON"},
        {"{\"id\":\"a\",\"id\":\"b\",\"expect\":\"y\"}", "tasks:1:", "duplicate"},
        {"{\"id\":\"a\",\"expect\":\" \\n\"}", "tasks:1", "does nothing"},
        {"{\"id\":\"a\",\"expect\":\"y\",\"stdinn\":\"\"}", "tasks:1", "unknown key \"stdinn\""},
        {"{\"id\":\"a\",\"expect\":7}", "tasks:1", "expect: must be text"},
        {"{\"id\":7,\"expect\":\"y\"}", "tasks:1", "id: must be text"},
        {"{\"id\":\"\",\"expect\":\"y\"}", "tasks:1", "id: must have"},
        {"{\"id\":\"a\\u0000\",\"expect\":\"y\"}", "tasks:1", "id: must have"},
        {"{\"id\":\"a\\n\",\"expect\":\"y\"}", "tasks:1", "control"},
        {"{\"expect\":\"y\"}", "tasks:1", "id: is missing"},
        {"{\"id\":\"a\",\"expect\":\"y\",\"language\":\"cobol\"}", "tasks:1", "language"},
        {"{\"id\":\"a\",\"cases\":[]}", "tasks:1", "nothing to judge"},
        {"{\"id\":\"a\",\"cases\":[7]}", "tasks:1", "case 1"},
        {"{\"id\":\"a\",\"cases\":[{\"input\":1}]}", "tasks:1", "expect: is missing"},
        {"{\"id\":\"a\",\"cases\":[{\"expect\":1}]}", "tasks:1", "either input or args"},
        {"{\"id\":\"a\",\"cases\":[{\"input\":1,\"args\":[],\"expect\":1}]}", "tasks:1", "either input or args"},
        {"{\"id\":\"a\",\"cases\":[{\"input\":1,\"expects\":1,\"expect\":1}]}", "tasks:1", "unknown key"},
        {"{\"id\":\"a\",\"entry_point\":\"a b\",\"cases\":[{\"input\":1,\"expect\":1}]}", "tasks:1", "entry_point"},
        {"{\"id\":\"a\",\"language\":\"sh\",\"cases\":[{\"input\":1,\"expect\":1}]}", "tasks:1", "cannot be called"},
        {"{\"id\":\"a\",\"cases\":[{\"name\":\"n\",\"input\":1,\"expect\":1},{\"name\":\"n\",\"input\":1,\"expect\":1}]"
         "}",
         "tasks:1", "two have the name"},
        {"{\"task_id\":\"a\",\"prompt\":\"\",\"entry_point\":\"f\",\"test\":\"x\"}", "tasks:1", "check()"},
        {"{\"task_id\":\"a\",\"entry_point\":\"f\",\"test\":\"def check(\"}", "tasks:1", "prompt: is missing"},
        {"{\"task_id\":1,\"test_list\":[]}", "tasks:1", "nothing to judge"},
        {"{\"task_id\":1,\"test_list\":[7]}", "tasks:1", "element 1"},
        {"{\"task_id\":1,\"test_list\":[\"t\"],\"test\":\"def check(c): pass\"}", "tasks:1", "test: defines check()"},
        {HUMAN_AND("\"suffix\":\"x\""), "tasks:1", "\"suffix\" may change"},
        {HUMAN_AND("\"plus_input\":[[1]]"), "tasks:1", "\"plus_input\" may change"},
        {HUMAN_AND("\"hiddenTests\":[1]"), "tasks:1", "\"hiddenTests\" may change"},
        {HUMAN_AND("\"check\":1"), "tasks:1", "\"check\" may change"},
        {HUMAN_AND("\"time_limit\":1"), "tasks:1", "\"time_limit\" may change"},
        {HUMAN_AND("\"canonical_solution\":7"), "tasks:1", "canonical_solution: must be text"},
        {"{\"id\":\"a\",\"expect\":\"y\",\"stdin\":NaN}", "tasks:1", "stdin: has a number that is not finite"},
        {"{\"id\":\"a\",\"cases\":[{\"input\":[-Infinity],\"expect\":1}]}", "tasks:1", "cases: has a number"},
        {"{\"id\":\"a\",\"expect\":\"\\ud800\"}", "tasks:1", "expect: has half of a surrogate pair"},
        {"{\"task_id\":\"a\",\"prompt\":\"\",\"entry_point\":\"f\",\"language\":\"js\",\"test\":\"x\"}", "tasks:1",
         "tests in \"js\""},
        {"{\"task_id\":\"a\",\"prompt\":\"\",\"entry_point\":\"S().f()\",\"test\":\"x\"}", "tasks:1", "entry_point"},
        {"{\"task_id\":\"a\",\"prompt\":\"\",\"base_input\":[[1]]}", "tasks:1", "\"base_input\" (EvalPlus"},
        {"{\"task_id\":\"a\",\"completion\":\"x\"}", "tasks:1", "a file of candidates"},
        {"{\"id\":\"a\",\"expect\":null}", "tasks:1", "unknown task format"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct eval_tasks tasks = {0};
        struct base_err err = {0};
        int r = load(rows[i].text, NULL, 0, &tasks, &err);

        if (r != BASE_E_INVALID || strncmp(err.place, rows[i].place, strlen(rows[i].place)) != 0 ||
            !strstr(err.what, rows[i].what))
            fail_msg("%s: %d at %s: %s", rows[i].text, r, err.place, err.what);
        assert_null(tasks.items);
    }
}

static void missing_files(void **state)
{
    struct eval_tasks tasks = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(eval_tasks_load("nowhere", NULL, 0, &tasks, &err), BASE_E_NOT_FOUND);
    assert_int_equal(eval_tasks_load(".", NULL, 0, &tasks, &err), BASE_E_INVALID);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

/* Small values are many times as large as their text, and many tasks add up. */
static void sets_are_bounded(void **state)
{
    static const char head[] = "{\"id\":\"%zu\",\"cases\":[{\"expect\":1,\"input\":[";
    AUTO_BUF struct base_buf text = {.max = 16 << 20};
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct base_err err = {0};
    size_t count = 0;

    (void)state;
    for (; count < 4; count++) { /* each some 50 MB */
        assert_int_equal(base_buf_printf(&text, head, count), 0);
        for (size_t i = 0; i < 200000; i++)
            assert_int_equal(base_buf_text(&text, "{},"), 0);
        assert_int_equal(base_buf_text(&text, "1]}]}\n"), 0);
    }
    assert_int_equal(load(text.bytes, NULL, 0, &tasks, &err), BASE_E_TOO_LARGE);
    assert_memory_equal(err.place, "tasks:3:", 8);
    assert_string_equal(err.what, "the tasks up to here take more than 128 MiB of memory");
    assert_string_equal(err.remedy, "split the task set");
    text.bytes[text.count / 2] = '\0'; /* the half of it is a set */
    assert_int_equal(load(text.bytes, NULL, 0, &tasks, &err), 0);
    assert_int_equal(tasks.count, 2);
    assert_true(tasks.kept_bytes > 80u << 20 && tasks.kept_bytes <= EVAL_TASKS_MAX_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(formats),
        IN_FOLDER(an_array_is_the_same_set),
        IN_FOLDER(null_is_absent),
        IN_FOLDER(more_shapes_of_scripts),
        IN_FOLDER(ids),
        IN_FOLDER(faults),
        IN_FOLDER(missing_files),
        IN_FOLDER(sets_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
