/* test_err.c - the error object */
#include "../support.h"
#include "base/err.h"
#include <errno.h>

static void fills_code_fault_and_clause(void **state)
{
    struct base_err err = {.remedy = "old"};

    (void)state;
    assert_int_equal(base_err_set(&err, BASE_E_INVALID, "a:1:2", "is %d", 7), BASE_E_INVALID);
    assert_int_equal(err.code, BASE_E_INVALID);
    assert_int_equal(err.fault, BASE_FAULT_USER);
    assert_string_equal(err.place, "a:1:2");
    assert_string_equal(err.what, "is 7");
    assert_string_equal(err.remedy, "");
    (void)base_err_set(&err, BASE_E_INTERNAL, NULL, "x");
    assert_int_equal(err.fault, BASE_FAULT_INTERNAL);
    assert_string_equal(err.place, "");
    (void)base_err_set(&err, BASE_E_SETUP, NULL, "x");
    assert_int_equal(err.fault, BASE_FAULT_HOST);
    assert_int_equal(base_err_set(NULL, BASE_E_IO, NULL, "nobody listens"), BASE_E_IO);
}

static void appends_the_kernels_reason(void **state)
{
    struct base_err err = {0};

    (void)state;
    (void)base_err_sys(&err, BASE_E_IO, ENOSPC, "f", "cannot be written");
    assert_string_equal(err.what, "cannot be written: No space left on device");
    assert_int_equal(err.sys_errno, ENOSPC);
    (void)base_err_sys(&err, BASE_E_IO, 9999, "f", "x");
    assert_string_equal(err.what, "x: error 9999");
}

static void a_shortage_has_a_remedy(void **state)
{
    struct base_err err = {0};
    char text[512];

    (void)state;
    (void)base_err_sys(&err, BASE_E_SETUP, EMFILE, "pipe", "cannot be made");
    assert_string_equal(base_err_text(&err, text, sizeof(text)),
                        "pipe: cannot be made: Too many open files (fumehood was given too few open files: raise "
                        "ulimit -n, to 256 or more)");
    (void)base_err_sys(&err, BASE_E_SETUP, EAGAIN, "x", "y");
    assert_non_null(strstr(err.remedy, "ulimit -u"));
    (void)base_err_remedy(&err, "another");
    assert_string_equal(err.remedy, "another");
    (void)base_err_sys(&err, BASE_E_SETUP, EACCES, "x", "y");
    assert_string_equal(err.remedy, "");
}

static void may_wrap_itself(void **state)
{
    struct base_err err = {0};

    (void)state;
    (void)base_err_set(&err, BASE_E_IO, "inner", "inside");
    (void)base_err_set(&err, BASE_E_SETUP, err.place, "outside: %s", err.what);
    assert_string_equal(err.what, "outside: inside");
    assert_string_equal(err.place, "inner");
}

static void text_shows_control_bytes(void **state)
{
    struct base_err err = {0};
    char text[1200];

    (void)state;
    (void)base_err_set(&err, BASE_E_USAGE, "a\nb", "esc \x1b[31m \xc2\x9b \xff \xc3\xa9");
    assert_int_equal(base_err_remedy(&err, "try %s", "this"), BASE_E_USAGE);
    assert_string_equal(base_err_text(&err, text, sizeof(text)),
                        "a\\x0ab: esc \\x1b[31m \\xc2\\x9b \\xff \xc3\xa9 (try this)");
}

static void text_is_always_terminated(void **state)
{
    struct base_err err = {0};
    char text[64];

    (void)state;
    (void)base_err_set(&err, BASE_E_USAGE, "place", "what\x1b is long");
    (void)base_err_remedy(&err, "remedy");
    for (size_t room = 1; room < sizeof(text); room++) {
        memset(text, 'x', sizeof(text));
        (void)base_err_text(&err, text, room);
        assert_true(strlen(text) < room);
    }
}

static void codes_have_status_and_name(void **state)
{
    (void)state;
    assert_int_equal(base_err_status(BASE_E_USAGE), 2);
    assert_int_equal(base_err_status(BASE_E_NOT_FOUND), 127);
    assert_int_equal(base_err_status(BASE_E_REFUSED), 126);
    assert_int_equal(base_err_status(-999), 125);
    assert_string_equal(base_err_name(BASE_E_TOO_LARGE), "too-large");
}

static void want_of_memory_is_nobodys_fault(void **state)
{
    struct base_err err;

    (void)state;
    assert_int_equal(base_err_sys(&err, BASE_E_INVALID, ENOMEM, "place", "cannot be read"), BASE_E_NOMEM);
    assert_int_equal(err.code, BASE_E_NOMEM);
    assert_int_equal(err.fault, BASE_FAULT_HOST);
    assert_int_equal(base_err_sys(&err, BASE_E_IO, ENOMEM, "place", "cannot be read"), BASE_E_IO);
    assert_int_equal(base_err_sys(&err, BASE_E_INVALID, EACCES, "place", "cannot be read"), BASE_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_code_fault_and_clause), cmocka_unit_test(appends_the_kernels_reason),
        cmocka_unit_test(a_shortage_has_a_remedy),     cmocka_unit_test(may_wrap_itself),
        cmocka_unit_test(text_shows_control_bytes),    cmocka_unit_test(text_is_always_terminated),
        cmocka_unit_test(codes_have_status_and_name),  cmocka_unit_test(want_of_memory_is_nobodys_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
