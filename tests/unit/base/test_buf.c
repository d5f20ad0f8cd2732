/* test_buf.c - the byte buffer */
#include "../support.h"
#include "base/buf.h"
#include "base/err.h"

static void grows_and_ends_with_nul(void **state)
{
    AUTO_BUF struct base_buf buf = {0};

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(base_buf_append(&buf, "abc", 3), 0);
    assert_int_equal(buf.count, 3000);
    assert_int_equal(buf.bytes[3000], '\0');
    assert_int_equal(base_buf_printf(&buf, "%d-%s", 42, "x"), 0);
    assert_string_equal(buf.bytes + 3000, "42-x");
    base_buf_clear(&buf);
    assert_string_equal(buf.bytes, "");
    assert_int_equal(base_buf_append(&buf, NULL, 0), 0);
    assert_int_equal(base_buf_text(&buf, "end"), 0);
    assert_string_equal(buf.bytes, "end");
}

static void keeps_the_ceiling(void **state)
{
    AUTO_BUF struct base_buf buf = {.max = 10};

    (void)state;
    assert_int_equal(base_buf_append(&buf, "0123456789", 10), 0);
    assert_int_equal(base_buf_append(&buf, "x", 1), BASE_E_TOO_LARGE);
    assert_int_equal(base_buf_printf(&buf, "%s", "y"), BASE_E_TOO_LARGE);
    assert_int_equal(base_buf_reserve(&buf, SIZE_MAX), BASE_E_TOO_LARGE);
    assert_string_equal(buf.bytes, "0123456789");
    assert_true(buf.capacity <= 11);
}

static void release_makes_it_new(void **state)
{
    struct base_buf buf = {0};

    (void)state;
    assert_int_equal(base_buf_text(&buf, "x"), 0);
    base_buf_release(&buf);
    assert_null(buf.bytes);
    assert_int_equal(buf.count, 0);
    assert_int_equal(buf.capacity, 0);
    base_buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_ends_with_nul),
        cmocka_unit_test(keeps_the_ceiling),
        cmocka_unit_test(release_makes_it_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
