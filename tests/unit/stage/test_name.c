/* test_name.c - tests of src/stage/name_untrusted.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/name_untrusted.h"
#include <cmocka.h>
#include <string.h>

static void names_are_made_safe(void **state)
{
    static const struct {
        const char *path, *name;
    } rows[] = {
        {"a.py", "a.py"},
        {"/tmp/x/a-b_c.D9.py", "a-b_c.D9.py"},
        {"a b\n.py", "a_b_.py"},
        {"\xc3\xbc.py", "__.py"},
        {"-rf.py", "_rf.py"},
        {".profile", "_profile"},
        {"..", "_."},
        {"dir/", "_"},
        {"", "_"},
        {"$(reboot);`id`.sh", "__reboot___id_.sh"},
    };
    char name[STAGE_NAME_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stage_name_safe(rows[i].path, name);
        assert_string_equal(name, rows[i].name);
    }
}

static void long_names_keep_their_extension(void **state)
{
    char path[600], name[STAGE_NAME_BYTES];

    (void)state;
    memset(path, 'a', sizeof(path));
    strcpy(path + 500, ".mjs");
    stage_name_safe(path, name);
    assert_int_equal(strlen(name), 200);
    assert_string_equal(name + 196, ".mjs");
    memset(path, 'b', sizeof(path) - 1);
    path[sizeof(path) - 1] = 0;
    path[10] = '.'; /* what follows is too long for an extension */
    stage_name_safe(path, name);
    assert_int_equal(strlen(name), 200);
    for (size_t length = 150; length < 250; length++) {
        path[length] = 0;
        stage_name_safe(path, name);
        assert_true(strlen(name) <= 200 && strlen(name) >= (length < 200 ? length : 200));
        path[length] = 'b';
    }
}

static void extensions(void **state)
{
    (void)state;
    assert_string_equal(stage_name_extension("a.tar.py"), "py");
    assert_string_equal(stage_name_extension("dir.d/a"), "");
    assert_string_equal(stage_name_extension(".py"), "");
    assert_string_equal(stage_name_extension("a."), "");
}

static void paths_below_work(void **state)
{
    static const char *const good[] = {"a", "a/b/c.txt", "..a", "a..b/c", ".hidden", "with space", "\xc3\xbc"};
    static const char *const bad[] = {"",      "/a",   "..", "a/..", "a/../b",   "../a", ".",
                                      "a/./b", "a//b", "a/", "a\nb", "a\x1b[0m", "\x7f"};
    char longer[300];

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_null(stage_name_path_fault(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_non_null(stage_name_path_fault(bad[i]));
    memset(longer, 'a', sizeof(longer));
    longer[255] = 0;
    assert_null(stage_name_path_fault(longer));
    longer[255] = 'a';
    longer[256] = 0;
    assert_non_null(stage_name_path_fault(longer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_safe),
        cmocka_unit_test(long_names_keep_their_extension),
        cmocka_unit_test(extensions),
        cmocka_unit_test(paths_below_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
