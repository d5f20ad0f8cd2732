/* test_kernels.c - tests of src/cage/kernels.c: versions are compared as numbers, and rows are whole */
#include "../support.h"
#include "cage/cage.h"

static void rows_are_whole_and_in_order(void **state)
{
    unsigned last = 0, count = 0;

    (void)state;
    for (const struct cage_kernel_row *row = cage_kernel_rows(); row->word; row++, count++) {
        unsigned major = 0, minor = 0;
        assert_int_equal(sscanf(row->since, "%u.%u", &major, &minor), 2);
        assert_true(major * 1000 + minor >= last);
        last = major * 1000 + minor;
        assert_true(*row->word && *row->purpose);
    }
    assert_int_equal(count, CAGE_KERNEL_MAX);
}

static void versions_are_numbers(void **state)
{
    static const struct {
        const char *release;
        bool has; /* what came with 6.6 */
    } rows[] = {
        {"6.6.0", true},     {"6.6", true},    {"6.12.118+deb13-amd64", true}, {"7.0.1", true}, {"10.1", true},
        {"6.1.0-57", false}, {"6.5.9", false}, {"5.15.0-130-generic", false},  {"5.99", false}, {"", false},
        {"unknown", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(cage_kernel_has(rows[i].release, CAGE_KERNEL_SYNC_WAKE), rows[i].has);
}

static void what_is_not_there_is_named(void **state)
{
    char text[512];

    (void)state;
    cage_kernel_lacks("6.12.1", text, sizeof(text));
    assert_string_equal(text, "no module for unknown programs (6.14)");
    cage_kernel_lacks("6.18.0", text, sizeof(text));
    assert_string_equal(text, "");
    cage_kernel_lacks("6.1.192", text, sizeof(text));
    assert_non_null(strstr(text, "PR_GET_MDWE (6.3), synchronous wake-up (6.6), "));
    assert_null(strstr(text, "pids.peak"));
    cage_kernel_lacks("5.4", text, 8);
    assert_string_equal(text, "CLONE_I");
}

static void too_old_is_what_lacks_something_needed(void **state)
{
    (void)state;
    assert_string_equal(cage_kernel_needs("5.10.0-33-amd64")->since, "5.12");
    assert_string_equal(cage_kernel_needs("5.4.0")->since, "5.12");
    assert_null(cage_kernel_needs("5.12.0"));
    assert_null(cage_kernel_needs("5.15.0-130-generic"));
    assert_null(cage_kernel_needs("6.18.44"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole_and_in_order),
        cmocka_unit_test(versions_are_numbers),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(too_old_is_what_lacks_something_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
