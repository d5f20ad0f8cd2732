/* test_command.c - tests of src/stage/command.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/stage.h"
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void commands_of_the_cage(void **state)
{
    static const struct {
        const char *word, *folders, *path; /* NULL: there is none */
    } rows[] = {
        {"env", "/usr/bin", "/usr/bin/env"},
        {"env", "/nowhere:/usr/bin:/bin", "/usr/bin/env"},
        {"env", "bin:/usr/bin", "/usr/bin/env"}, /* a folder that is no absolute path is not the starter's */
        {"/usr/bin/env", "", "/usr/bin/env"},
        {"env", "", NULL},
        {"env", "/tmp", NULL},
        {"", "/usr/bin", NULL},
        {"./env", "/usr/bin", NULL},
        {"bin/env", "/usr", NULL},
        {"/usr/bin", "", NULL},
        {"/proc/self/exe", "", NULL},
        {"no-such-command", "/usr/bin", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_program program = {0};
        struct base_err err = {0};
        int r = stage_command_find(rows[i].word, rows[i].folders, &program, &err);

        if (!rows[i].path) {
            assert_int_equal(r, BASE_E_NOT_FOUND);
            assert_true(err.what[0] != 0);
            continue;
        }
        assert_int_equal(r, 0);
        assert_true(program.is_command);
        assert_int_equal(program.count, 0);
        assert_string_equal(program.name, "env");
        assert_string_equal(program.runtime->name, "command");
        assert_string_equal(program.runtime->command[0], rows[i].path);
    }
}

static void its_words_and_its_hash(void **state)
{
    static const char *const args[] = {"-c", "exit 0", NULL};
    char *argv[STAGE_COMMAND_MAX + 3], sha256[BASE_HASH_HEX];
    struct stage_program program;

    (void)state;
    assert_int_equal(stage_command_find("env", "/usr/bin", &program, NULL), 0);
    stage_runtime_argv(program.runtime, "/work/env", args, argv);
    assert_string_equal(argv[0], "/usr/bin/env");
    assert_string_equal(argv[2], "exit 0");
    assert_null(argv[3]);
    stage_program_sha256(&program, sha256);
    assert_int_equal(strlen(sha256), BASE_HASH_HEX - 1);
    stage_program_release(&program);
}

/* "python3 -c ..." is a Python program, by whatever name it is called. */
static void an_interpreter_is_as_for_its_programs(void **state)
{
    static const char *const words[] = {"python3", "/usr/bin/python3"};
    const struct stage_runtime *python;
    struct stage_program program;

    (void)state;
    assert_int_equal(stage_runtime_find("python", &python, NULL), 0);
    assert_true(python->environment_count > 0 && python->is_interrupted);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_int_equal(stage_command_find(words[i], "/usr/bin", &program, NULL), 0);
        assert_int_equal(program.runtime->environment_count, python->environment_count);
        assert_string_equal(program.runtime->environment[0], python->environment[0]);
        assert_true(program.runtime->is_interrupted);
        assert_false(program.runtime->has_zygote);
        assert_int_equal(stage_command_find("env", "/usr/bin", &program, NULL), 0);
        assert_int_equal(program.runtime->environment_count, 0);
        assert_false(program.runtime->is_interrupted);
    }
}

static void what_lies_elsewhere_is_told(void **state)
{
    char folder[] = "/tmp/stage-XXXXXX", path[64];
    struct stage_program program;
    struct base_err err = {0};
    FILE *out;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/tool", folder);
    out = fopen(path, "we");
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(stage_command_find("tool", folder, &program, &err), BASE_E_NOT_FOUND);
    assert_string_equal(err.what, "lies outside /usr, where no cage can see it");
    assert_int_equal(stage_command_find(path, "", &program, &err), BASE_E_NOT_FOUND);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_of_the_cage),
        cmocka_unit_test(its_words_and_its_hash),
        cmocka_unit_test(an_interpreter_is_as_for_its_programs),
        cmocka_unit_test(what_lies_elsewhere_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
