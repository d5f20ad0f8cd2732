/* test_runtime_file.c - tests of src/stage/runtime_file.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/runtime_file.h"
#include <cmocka.h>
#include <string.h>

#define HEAD "schema: fumehood.runtime/1\nname: x\npackage: y\nextensions: [a]\ninterpreters: []\n"

static int parse(const char *text, struct stage_runtime *ret_runtime, struct base_err *err)
{
    return stage_runtime_parse(text, strlen(text), "x.yaml", ret_runtime, err);
}

static void reads_every_field(void **state)
{
    struct stage_runtime runtime;
    struct base_err err;

    (void)state;
    assert_int_equal(
        parse(HEAD "command: [/usr/bin/x, -u, \"{program}\"]\nenvironment:\n  A: \"1\"\n  B: \"\"\n", &runtime, &err),
        0);
    assert_string_equal(runtime.name, "x");
    assert_string_equal(runtime.package, "y");
    assert_int_equal(runtime.extension_count, 1);
    assert_int_equal(runtime.interpreter_count, 0);
    assert_int_equal(runtime.command_count, 3);
    assert_string_equal(runtime.command[1], "-u");
    assert_int_equal(runtime.environment_count, 2);
    assert_string_equal(runtime.environment[0], "A=1");
    assert_string_equal(runtime.environment[1], "B=");
    stage_runtime_release(&runtime);
}

static void refuses_wrong_files_with_their_place(void **state)
{
    static const struct {
        const char *text, *place;
    } rows[] = {
        {"", "x.yaml"},
        {"- a\n", "x.yaml:1:"},
        {HEAD, "x.yaml"},                                                           /* no command */
        {HEAD "command: [/usr/bin/x, \"{program}\"]\ncolour: red\n", "x.yaml:7:1"}, /* unknown key */
        {HEAD "command: [/usr/bin/x, \"{program}\"]\nname: z\n", "x.yaml:7:1"},     /* duplicate key */
        {HEAD "command: /usr/bin/x\n", "x.yaml:6:"},                                /* wrong kind */
        {HEAD "command: []\n", "x.yaml:6:"},
        {HEAD "command: [x, \"{program}\"]\n", "x.yaml:6:"}, /* not absolute */
        {HEAD "command: [/usr/bin/x]\n", "x.yaml:6:"},       /* no place for the program */
        {HEAD "command: [/x, \"{program}\", \"{program}\"]\n", "x.yaml:6:"},
        {HEAD "command: [/x, [a], \"{program}\"]\n", "x.yaml:6:"},
        {HEAD "command: [/x, \"\", \"{program}\"]\n", "x.yaml:6:"},
        {HEAD "command: [/x, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]\n", "x.yaml:6:"},
        {HEAD "command: [/x, \"{program}\"]\ninterrupt: always\n", "x.yaml:7:"},
        {HEAD "command: [/x, \"{program}\"]\nenvironment: [a]\n", "x.yaml:7:"},
        {HEAD "command: [/x, \"{program}\"]\nenvironment: {\"a=b\": c}\n", "x.yaml:7:"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_runtime runtime;
        struct base_err err = {0};
        assert_int_equal(parse(rows[i].text, &runtime, &err), BASE_E_INVALID);
        if (strncmp(err.place, rows[i].place, strlen(rows[i].place)) != 0)
            fail_msg("row %zu: place %s, expected %s (%s)", i, err.place, rows[i].place, err.what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_field),
        cmocka_unit_test(refuses_wrong_files_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
