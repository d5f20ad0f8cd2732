/* test_mark.c - only whole lines with this run's nonce count */
#include "../support.h"
#include "judge/judge.h"

#define NONCE "00112233445566778899aabbccddeeff"

static enum judge_said said(const char *text)
{
    struct judge_mark mark;
    judge_mark_read(text, strlen(text), NONCE, &mark);
    return mark.said;
}

static void words(void **state)
{
    static const struct {
        const char *text;
        enum judge_said said;
    } rows[] = {
        {"", JUDGE_SAID_NOTHING},
        {"start " NONCE "\n", JUDGE_SAID_START},
        {"start " NONCE, JUDGE_SAID_NOTHING},
        {"start 00112233445566778899aabbccddeef0\n", JUDGE_SAID_NOTHING},
        {"start " NONCE "0\n", JUDGE_SAID_NOTHING},
        {"start" NONCE "\n", JUDGE_SAID_NOTHING},
        {"done\n", JUDGE_SAID_NOTHING},
        {"done " NONCE "\n", JUDGE_SAID_DONE},
        {"abc\ndone " NONCE "\nrubbish", JUDGE_SAID_DONE},
        {"abcdone " NONCE "\n", JUDGE_SAID_NOTHING},
        {"start " NONCE "\n\n\ndone " NONCE "\n", JUDGE_SAID_DONE},
        {"done " NONCE "\nassert " NONCE "\nstart " NONCE "\n", JUDGE_SAID_ASSERT},
        {"value " NONCE " 1\nraise " NONCE " E\n", JUDGE_SAID_RAISE},
        {"compile " NONCE " SyntaxError\n", JUDGE_SAID_COMPILE},
        {"other " NONCE "\n", JUDGE_SAID_NOTHING},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(said(rows[i].text), rows[i].said);
}

static void payloads(void **state)
{
    static const char text[] = "start " NONCE "\nvalue " NONCE " [1,\"a b\"]\nvalue " NONCE " 2\n";
    static const char reason[] = "raise " NONCE " ValueError: \0 x\n";
    struct judge_mark mark;

    (void)state;
    judge_mark_read(text, sizeof(text) - 1, NONCE, &mark);
    assert_int_equal(mark.said, JUDGE_SAID_VALUE);
    assert_int_equal(mark.value_count, 9);
    assert_memory_equal(mark.value, "[1,\"a b\"]", 9);
    assert_string_equal(mark.reason, "");
    judge_mark_read(reason, sizeof(reason) - 1, NONCE, &mark);
    assert_string_equal(mark.reason, "ValueError:   x");
    assert_null(mark.value);
    judge_mark_read(NULL, 0, NONCE, &mark);
    assert_int_equal(mark.said, JUDGE_SAID_NOTHING);
}

static void a_long_reason_is_cut(void **state)
{
    char text[1000];
    struct judge_mark mark;
    int n = snprintf(text, sizeof(text), "raise %s ", NONCE);

    (void)state;
    memset(text + n, 'x', sizeof(text) - (size_t)n);
    text[sizeof(text) - 1] = '\n';
    judge_mark_read(text, sizeof(text), NONCE, &mark);
    assert_int_equal(strlen(mark.reason), sizeof(mark.reason) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(payloads),
        cmocka_unit_test(a_long_reason_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
