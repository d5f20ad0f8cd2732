/* test_residual.c - tests of src/cage/residual.c */
#include "../support.h"
#include "cage/cage.h"

static void every_risk_has_a_word_and_a_text(void **state)
{
    (void)state;
    for (const struct cage_residual *residual = cage_residuals(); residual->word; residual++) {
        assert_int_equal(strspn(residual->word, "abcdefghijklmnopqrstuvwxyz-"), strlen(residual->word));
        assert_true(strlen(residual->text) > 20);
        assert_true(residual->helps > POLICY_TIER_CONTAINER && residual->helps <= POLICY_TIER_MAX);
        for (const struct cage_residual *other = cage_residuals(); other != residual; other++)
            assert_string_not_equal(residual->word, other->word);
    }
}

/* Receipts of all versions use them. */
static void words_stay(void **state)
{
    static const char *const words[] = {"kernel-bugs",     "side-channels", "machine-facts",  "usr-readable",
                                        "usr-shared",      "disk-reads",    "raw-output",     "starter-groups",
                                        "module-requests", "kernel-log",    "uncharged-work", NULL};
    const struct cage_residual *residual = cage_residuals();

    (void)state;
    for (const char *const *word = words; *word; word++, residual++) {
        assert_non_null(residual->word);
        assert_string_equal(residual->word, *word);
    }
    assert_null(residual->word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_risk_has_a_word_and_a_text),
        cmocka_unit_test(words_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
