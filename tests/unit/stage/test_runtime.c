/* test_runtime.c - tests of src/stage/runtime.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/runtime_table.h"
#include <cmocka.h>
#include <string.h>

/* The first to run: nothing is parsed yet, and native needs none. */
static void every_declaration_is_right(void **state)
{
    struct base_err err;
    const char *name;
    unsigned count = 0;

    (void)state;
    for (; (name = stage_runtime_name(count)); count++) {
        const struct stage_runtime *runtime = NULL, *again = NULL;
        if (stage_runtime_find(name, &runtime, &err) < 0)
            fail_msg("%s: %s: %s", name, err.place, err.what);
        assert_string_equal(runtime->name, name);
        assert_int_equal(stage_runtime_find(name, &again, &err), 0);
        assert_ptr_equal(runtime, again);
    }
    assert_int_equal(count, 6);
    assert_null(stage_runtime_name(count + 1));
}

static void an_unknown_name_lists_the_known(void **state)
{
    const struct stage_runtime *runtime;
    struct base_err err;

    (void)state;
    assert_int_equal(stage_runtime_find("cobol", &runtime, &err), BASE_E_NOT_FOUND);
    assert_non_null(strstr(err.remedy, "python, node, sh, bash, perl, native"));
    assert_int_equal(stage_runtime_find("", &runtime, &err), BASE_E_NOT_FOUND);
    assert_int_equal(stage_runtime_find("python.yaml", &runtime, &err), BASE_E_NOT_FOUND);
}

static void command_lines(void **state)
{
    const char *args[] = {"one", "{program}", NULL};
    const struct stage_runtime *python;
    char *argv[STAGE_COMMAND_MAX + 3];
    size_t count = 0;

    (void)state;
    assert_int_equal(stage_runtime_find("python", &python, NULL), 0);
    stage_runtime_argv(python, "/work/a.py", args, argv);
    assert_string_equal(argv[0], python->command[0]);
    while (argv[count])
        count++;
    assert_int_equal(count, python->command_count + 2);
    assert_string_equal(argv[count - 3], "/work/a.py");
    assert_string_equal(argv[count - 2], "one");
    assert_string_equal(argv[count - 1], "{program}"); /* an argument is what it is */
    stage_runtime_argv(&stage_runtime_native, "/work/a", NULL, argv);
    assert_string_equal(argv[0], "/work/a");
    assert_null(argv[1]);
}

static void extensions(void **state)
{
    static const struct {
        const char *extension, *name;
    } rows[] = {
        {"py", "python"}, {"js", "node"}, {"mjs", "node"}, {"cjs", "node"}, {"sh", "sh"}, {"bash", "bash"},
        {"pl", "perl"},   {"PY", NULL},   {"", NULL},      {"txt", NULL},   {"p", NULL},  {"pyc", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct stage_runtime *runtime;
        assert_int_equal(stage_runtime_by_extension(rows[i].extension, &runtime, NULL), 0);
        if (!rows[i].name)
            assert_null(runtime);
        else
            assert_string_equal(runtime->name, rows[i].name);
    }
}

static void interpreters(void **state)
{
    static const struct {
        const char *word, *name;
    } rows[] = {
        {"python3", "python"}, {"python", "python"}, {"python3.11", "python"}, {"node", "node"},
        {"nodejs", "node"},    {"dash", "sh"},       {"bash", "bash"},         {"perl5.36.0", "perl"},
        {"ruby", NULL},        {"", NULL},           {"3.11", NULL},           {"pypy3", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct stage_runtime *runtime;
        assert_int_equal(stage_runtime_by_interpreter(rows[i].word, &runtime, NULL), 0);
        if (!rows[i].name)
            assert_null(runtime);
        else
            assert_string_equal(runtime->name, rows[i].name);
    }
}

static void a_toolchain_must_be_below_usr(void **state)
{
    static char missing[] = "/usr/bin/no-such-interpreter", outside[] = "/etc/passwd", plain[] = "/usr/lib/os-release",
                folder[] = "/usr/bin", shell[] = "/bin/sh", relative[] = "{program}";
    struct {
        char *program;
        int expected;
    } rows[] = {
        {missing, BASE_E_NOT_FOUND},
        {outside, BASE_E_NOT_FOUND},
        {plain, BASE_E_NOT_FOUND},
        {folder, BASE_E_NOT_FOUND},
        {shell, 0},
        {relative, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_runtime runtime = {
            .name = "x", .package = "x-pack", .command = {rows[i].program}, .command_count = 1};
        struct base_err err = {0};
        assert_int_equal(stage_runtime_check(&runtime, &err), rows[i].expected);
        if (rows[i].expected) {
            assert_int_equal(err.fault, BASE_FAULT_HOST);
            assert_non_null(strstr(err.remedy, "apt-get install x-pack"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_declaration_is_right),
        cmocka_unit_test(an_unknown_name_lists_the_known),
        cmocka_unit_test(command_lines),
        cmocka_unit_test(extensions),
        cmocka_unit_test(interpreters),
        cmocka_unit_test(a_toolchain_must_be_below_usr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
