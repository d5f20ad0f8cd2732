/* test_step.c - tests of src/cage/step.c */
#include "../support.h"
#include "cage/cage.h"

static void every_step_has_a_word_and_a_text(void **state)
{
    (void)state;
    for (unsigned step = 0; step < CAGE_AT_MAX; step++) {
        const char *name = cage_step_name(step);
        assert_non_null(name);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_true(strlen(name) > 2);
        assert_true(strlen(cage_step_text(step)) > 10);
        for (unsigned other = 0; other < step; other++)
            assert_string_not_equal(name, cage_step_name(other));
    }
}

/* Receipts of all versions use them. */
static void words_stay(void **state)
{
    (void)state;
    assert_string_equal(cage_step_name(CAGE_STEP_USER_NS), "user_ns");
    assert_string_equal(cage_step_name(CAGE_STEP_OWN_ROOT), "own_root");
    assert_string_equal(cage_step_name(CAGE_STEP_NO_NEW_PRIVS), "no_new_privs");
    assert_string_equal(cage_step_name(CAGE_STEP_LANDLOCK), "landlock");
    assert_string_equal(cage_step_name(CAGE_STEP_SYSCALL_FILTER), "syscall_filter");
    assert_string_equal(cage_step_name(CAGE_AT_EXEC), "exec");
}

static void past_the_end(void **state)
{
    (void)state;
    assert_string_equal(cage_step_name(CAGE_AT_MAX), "unknown");
    assert_string_equal(cage_step_name(~0u), "unknown");
    assert_string_equal(cage_step_text(CAGE_AT_MAX), "");
    assert_true(CAGE_STEP_MAX < 64); /* one bit each */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_a_word_and_a_text),
        cmocka_unit_test(words_stay),
        cmocka_unit_test(past_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
