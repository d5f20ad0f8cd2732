/* test_outcome.c - tests of src/warden/outcome.c: the words of the contract */
#include "../support.h"
#include "warden/outcome.h"

static void endings(void **state)
{
    static const char *const words[] = {"exited", "signaled", "limit", "denied", "cancelled", "setup-error", "lost"};

    (void)state;
    assert_int_equal(WARDEN_ENDING_MAX, sizeof(words) / sizeof(words[0]));
    for (int ending = 0; ending < WARDEN_ENDING_MAX; ending++)
        assert_string_equal(warden_ending_name((enum warden_ending)ending), words[ending]);
    assert_null(warden_ending_name(WARDEN_ENDING_MAX));
}

static void limits(void **state)
{
    static const char *const words[] = {NULL,        "wall",   "cpu",  "idle",       "memory",
                                        "processes", "output", "disk", "open_files", "input"};

    (void)state;
    assert_int_equal(WARDEN_LIMIT_MAX, sizeof(words) / sizeof(words[0]));
    assert_null(warden_limit_name(WARDEN_LIMIT_NONE));
    for (int limit = 1; limit < WARDEN_LIMIT_MAX; limit++)
        assert_string_equal(warden_limit_name((enum warden_limit)limit), words[limit]);
    assert_null(warden_limit_name(WARDEN_LIMIT_MAX));
}

static void release_takes_an_empty_one_and_twice(void **state)
{
    struct warden_outcome outcome = {0};

    (void)state;
    warden_outcome_release(&outcome);
    assert_int_equal(base_buf_text(&outcome.out.kept, "out"), 0);
    assert_int_equal(base_buf_text(&outcome.err.kept, "err"), 0);
    assert_int_equal(base_buf_text(&outcome.mark, "mark"), 0);
    warden_outcome_release(&outcome);
    assert_null(outcome.out.kept.bytes);
    assert_null(outcome.mark.bytes);
    warden_outcome_release(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings),
        cmocka_unit_test(limits),
        cmocka_unit_test(release_takes_an_empty_one_and_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
