/* test_file.c - tests of src/stage/file.c */

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

static void paths_and_modes(void **state)
{
    char folder[] = "/tmp/stage-XXXXXX", path[64], spec[128];
    struct stage_file file;
    struct base_err err;
    FILE *out;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/in.txt", folder);
    out = fopen(path, "we");
    assert_non_null(out);
    assert_int_equal(fputs("data", out) >= 0 && fclose(out) == 0, 1);
    assert_int_equal(stage_file_load(path, 100, &file, &err), 0);
    assert_string_equal(file.path, "in.txt");
    assert_int_equal(file.mode, 0644);
    assert_memory_equal(file.bytes, "data", 4);
    stage_file_release(&file);
    assert_int_equal(chmod(path, 0700), 0);
    (void)snprintf(spec, sizeof(spec), "%s:sub/dir/two", path);
    assert_int_equal(stage_file_load(spec, 100, &file, &err), 0);
    assert_string_equal(file.path, "sub/dir/two");
    assert_int_equal(file.mode, 0755);
    stage_file_release(&file);
    assert_int_equal(stage_file_load(spec, 3, &file, &err), BASE_E_TOO_LARGE);
    (void)snprintf(spec, sizeof(spec), "%s:../two", path);
    assert_int_equal(stage_file_load(spec, 100, &file, &err), BASE_E_USAGE);
    (void)snprintf(spec, sizeof(spec), "%s:", path);
    assert_int_equal(stage_file_load(spec, 100, &file, &err), BASE_E_USAGE);
    assert_int_equal(stage_file_load("", 100, &file, &err), BASE_E_USAGE);
    assert_int_equal(stage_file_load(":a", 100, &file, &err), BASE_E_USAGE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(stage_file_load(path, 100, &file, &err), BASE_E_NOT_FOUND);
    assert_int_equal(rmdir(folder), 0);
}

/* The last colon that no backslash takes divides; an odd number of backslashes before it takes it. */
static void names_with_colons(void **state)
{
    static const struct {
        const char *name, *spec, *path;
    } rows[] = {
        {"a:b.txt", "a:b.txt", "a:b.txt"}, {"a:b.txt", "a\\:b.txt", "a:b.txt"},
        {"a:b.txt", "a\\:b.txt:c", "c"},   {"plain", "plain:p\\:q", "p:q"},
        {"e\\", "e\\\\:t", "t"},           {"c\\:d", "c\\\\\\:d:t", "t"},
        {"x\\y", "x\\y", "x\\y"},
    };
    char folder[] = "/tmp/stage-XXXXXX", here[4096];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_file file;
        struct base_err err;
        FILE *out = fopen(rows[i].name, "we");

        assert_non_null(out);
        assert_int_equal(fputs("data", out) >= 0 && fclose(out) == 0, 1);
        if (stage_file_load(rows[i].spec, 100, &file, &err) < 0)
            fail_msg("%s: %s %s", rows[i].spec, err.place, err.what);
        assert_string_equal(file.path, rows[i].path);
        stage_file_release(&file);
        assert_int_equal(unlink(rows[i].name), 0);
    }
    assert_int_equal(stage_file_load(".", 100, &(struct stage_file){0}, &(struct base_err){0}), BASE_E_USAGE);
    assert_int_equal(stage_file_load("-", 100, &(struct stage_file){0}, &(struct base_err){0}), BASE_E_USAGE);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void paths_in_each_others_way(void **state)
{
    static const struct {
        const char *one, *two;
        int code;
    } rows[] = {
        {"a", "b", 0},
        {"a", "ab", 0},
        {"a/b", "a/c", 0},
        {"a", "a", BASE_E_USAGE},
        {"a", "a/b", BASE_E_USAGE},
        {"a/b", "a", BASE_E_USAGE},
        {"p.py", "b", BASE_E_USAGE},
        {"p.py/x", "b", BASE_E_USAGE},
    };
    struct stage_program program = {.name = "p.py"};
    struct base_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stage_file files[2] = {0};
        (void)snprintf(files[0].path, sizeof(files[0].path), "%s", rows[i].one);
        (void)snprintf(files[1].path, sizeof(files[1].path), "%s", rows[i].two);
        assert_int_equal(stage_files_check(&program, files, 2, &err), rows[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_modes),
        cmocka_unit_test(names_with_colons),
        cmocka_unit_test(paths_in_each_others_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
