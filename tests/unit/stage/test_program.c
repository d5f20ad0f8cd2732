/* test_program.c - tests of src/stage/program.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/stage.h"
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int load_text(const char *name, const char *text, const char *runtime, struct stage_program *ret_program,
                     struct base_err *err)
{
    return stage_program_from_bytes(name, text, strlen(text), runtime, ret_program, err);
}

static void the_choice_has_an_order(void **state)
{
    static const struct {
        const char *name, *text, *asked, *runtime;
    } rows[] = {
        {"a.py", "#!/usr/bin/node\n", "sh", "sh"},     /* asked for comes first */
        {"a.py", "#!/usr/bin/node\n", NULL, "python"}, /* then the extension */
        {"a", "#!/usr/bin/env node\n", NULL, "node"},  /* then #! */
        {"a.txt", "#!/bin/bash\n", NULL, "bash"},
        {"a", "#!/opt/x/thing\n", "native", "native"}, /* the kernel follows #! */
        {"empty.py", "", NULL, "python"},
        {"\xff\n.js", "1", NULL, "node"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_program program;
        struct base_err err;
        if (load_text(rows[i].name, rows[i].text, rows[i].asked, &program, &err) < 0)
            fail_msg("row %zu: %s %s", i, err.place, err.what);
        assert_string_equal(program.runtime->name, rows[i].runtime);
        assert_int_equal(program.count, strlen(rows[i].text));
        stage_program_release(&program);
    }
}

static void no_choice_says_how_to_mend_it(void **state)
{
    static const struct {
        const char *name, *text, *asked;
        int code;
        const char *what;
    } rows[] = {
        {"a", "print(1)\n", NULL, BASE_E_NOT_FOUND, "no extension"},
        {"a", "", NULL, BASE_E_NOT_FOUND, "is empty"},
        {"a.txt", "print(1)\n", NULL, BASE_E_NOT_FOUND, "extension .txt"},
        {"a", "#!/usr/bin/ruby\n", NULL, BASE_E_NOT_FOUND, "ruby"},
        {"a", "#!\n", NULL, BASE_E_NOT_FOUND, "no interpreter"},
        {"a.py", "x", "cobol", BASE_E_NOT_FOUND, "no known runtime"},
        {"a.py", "x", "native", BASE_E_INVALID, "neither"},
        {"a", "\177ELF", NULL, BASE_E_INVALID, "whole program"},
        {"a", "\177ELF", "native", BASE_E_INVALID, "whole program"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_program program;
        struct base_err err = {0};
        assert_int_equal(load_text(rows[i].name, rows[i].text, rows[i].asked, &program, &err), rows[i].code);
        if (!strstr(err.what, rows[i].what))
            fail_msg("row %zu: \"%s\" lacks \"%s\"", i, err.what, rows[i].what);
        if (rows[i].code == BASE_E_NOT_FOUND)
            assert_non_null(strstr(err.remedy, "native"));
    }
}

static void the_hash_is_of_the_bytes(void **state)
{
    struct stage_program program;
    char sha256[BASE_HASH_HEX];
    struct base_err err;

    (void)state;
    assert_int_equal(load_text("e.py", "", NULL, &program, &err), 0);
    stage_program_sha256(&program, sha256);
    assert_string_equal(sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_non_null(program.bytes);
    assert_int_equal(stage_program_from_bytes("n.py", "a\0b", 3, NULL, &program, &err), 0);
    assert_int_equal(program.count, 3);
}

/* A folder with one of each kind of thing that is no program. */
static void what_is_no_regular_file_is_refused(void **state)
{
    char folder[] = "/tmp/stage-XXXXXX";
    char path[64];
    struct stage_program program;
    struct base_err err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/fifo.py", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(stage_program_load(path, NULL, 100, &program, &err), BASE_E_INVALID);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(stage_program_load(folder, "sh", 100, &program, &err), BASE_E_INVALID);
    assert_int_equal(stage_program_load("/dev/null", "sh", 100, &program, &err), BASE_E_INVALID);
    assert_int_equal(stage_program_load(path, NULL, 100, &program, &err), BASE_E_NOT_FOUND);
    assert_int_equal(rmdir(folder), 0);
}

static void size_is_bounded(void **state)
{
    char path[] = "/tmp/stage-XXXXXX.py";
    int fd = mkstemps(path, 3);
    struct stage_program program;
    struct base_err err;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "pass\n", 5), 5);
    assert_int_equal(stage_program_load(path, NULL, 4, &program, &err), BASE_E_TOO_LARGE);
    assert_int_equal(stage_program_load(path, NULL, 5, &program, &err), 0);
    assert_memory_equal(program.bytes, "pass\n", 5);
    stage_program_release(&program);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(stage_program_load(path, NULL, 5, &program, &err), 0);
    assert_int_equal(program.count, 0);
    stage_program_release(&program);
    (void)close(fd);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice_has_an_order),  cmocka_unit_test(no_choice_says_how_to_mend_it),
        cmocka_unit_test(the_hash_is_of_the_bytes), cmocka_unit_test(what_is_no_regular_file_is_refused),
        cmocka_unit_test(size_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
