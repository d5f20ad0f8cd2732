/* test_say.c - tests of src/front/cli/say.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "front/cli/say.h"
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void control_bytes_become_visible(void **state)
{
    static const struct {
        const char *bytes, *text;
    } rows[] = {
        {"plain\n\ttext", "plain\n\ttext"},
        {"\x1b[2J", "\\x1b[2J"},
        {"a\rb\x7f", "a\\x0db\\x7f"},
        {"\xc3\xbc \xe2\x82\xac \xf0\x9f\x99\x82", "\xc3\xbc \xe2\x82\xac \xf0\x9f\x99\x82"}, /* text stays */
        {"\xc2\x9b", "\\xc2\\x9b"},                                                           /* a C1 control */
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},                                                  /* turns text round */
        {"\xff\xfe", "\\xff\\xfe"},
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* too long a form */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* half a character */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last */
        {"cut \xe2\x82", "cut \\xe2\\x82"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = NULL;
        size_t count = 0;
        FILE *stream = open_memstream(&text, &count);
        assert_non_null(stream);
        cli_say_visible(stream, rows[i].bytes, strlen(rows[i].bytes));
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, rows[i].text);
        free(text);
    }
}

static void views_have_three_statuses(void **state)
{
    struct base_err err;

    (void)state;
    base_err_set(&err, BASE_E_NOT_FOUND, "x", "is not there");
    assert_int_equal(cli_say_error_view(&err), 2);
    assert_int_equal(cli_say_error(&err), 127);
    base_err_set(&err, BASE_E_IO, "x", "cannot be read");
    assert_int_equal(cli_say_error_view(&err), 125);
    base_err_set(&err, BASE_E_NOT_FOUND, "x", "is not there");
    assert_int_equal(cli_say_usage_if_missing(BASE_E_NOT_FOUND, &err), BASE_E_USAGE);
    assert_int_equal(err.code, BASE_E_USAGE);
    assert_int_equal(cli_say_usage_if_missing(0, &err), 0);
}

static void a_reader_that_left_is_not_told(void **state)
{
    struct base_err err;

    (void)state;
    base_err_sys(&err, BASE_E_IO, EPIPE, "standard output", "cannot write");
    assert_int_equal(cli_say_error(&err), 141);
    assert_int_equal(cli_say_error_view(&err), 141);
    base_err_sys(&err, BASE_E_IO, ENOSPC, "standard output", "cannot write");
    assert_int_equal(cli_say_error(&err), 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_bytes_become_visible),
        cmocka_unit_test(views_have_three_statuses),
        cmocka_unit_test(a_reader_that_left_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
