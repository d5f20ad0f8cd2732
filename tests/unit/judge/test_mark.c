/* test_mark.c - only whole lines with this run's nonce count */
#include "../support.h"
#include "judge/judge.h"

#define NONCE "00112233445566778899aabbccddeeff"

static enum judge_said said(enum judge_kind kind, const char *text)
{
    struct judge_mark mark;
    judge_mark_read(text, strlen(text), kind, NONCE, &mark);
    return mark.said;
}

static void words(void **state)
{
    static const struct {
        enum judge_kind kind;
        const char *text;
        enum judge_said said;
    } rows[] = {
        {JUDGE_SCRIPT, "", JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "start " NONCE "\n", JUDGE_SAID_START},
        {JUDGE_SCRIPT, "start " NONCE, JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "start 00112233445566778899aabbccddeef0\n", JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "start " NONCE "0\n", JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "start" NONCE "\n", JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "done\n", JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "done " NONCE "\n", JUDGE_SAID_DONE},
        {JUDGE_SCRIPT, "abc\ndone " NONCE "\nrubbish", JUDGE_SAID_DONE},
        {JUDGE_SCRIPT, "abcdone " NONCE "\n", JUDGE_SAID_NOTHING},
        {JUDGE_SCRIPT, "start " NONCE "\n\n\ndone " NONCE "\n", JUDGE_SAID_DONE},
        {JUDGE_SCRIPT, "done " NONCE "\nassert " NONCE "\nstart " NONCE "\n", JUDGE_SAID_ASSERT},
        {JUDGE_CALL, "value " NONCE " 1\nraise " NONCE " E\n", JUDGE_SAID_RAISE},
        {JUDGE_CALL, "compile " NONCE " SyntaxError\n", JUDGE_SAID_COMPILE},
        {JUDGE_CALL, "other " NONCE "\n", JUDGE_SAID_NOTHING},
        {JUDGE_CALL, "value " NONCE " 1", JUDGE_SAID_NOTHING},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (said(rows[i].kind, rows[i].text) != rows[i].said)
            fail_msg("row %zu", i);
}

/* Each kind hears its own words, and none of another's. */
static void words_of_a_kind(void **state)
{
    static const char *const all[] = {"start", "done",    "value",  "input",   "carry",
                                      "raise", "missing", "assert", "compile", "pass"};
    static const char *const heard[JUDGE_KIND_MAX] = {
        [JUDGE_KIND_NONE] = "",
        [JUDGE_PROGRAM] = "",
        [JUDGE_CALL] = " value carry raise missing compile ",
        [JUDGE_MUTATION] = " input carry raise missing compile ",
        [JUDGE_SCRIPT] = " start done raise assert ",
        [JUDGE_TESTS] = " done compile ",
    };

    (void)state;
    for (int kind = 0; kind < JUDGE_KIND_MAX; kind++)
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
            char line[100], name[20];
            (void)snprintf(line, sizeof(line), "%s %s 1\n", all[i], NONCE);
            (void)snprintf(name, sizeof(name), " %s ", all[i]);
            if ((said((enum judge_kind)kind, line) != JUDGE_SAID_NOTHING) != (strstr(heard[kind], name) != NULL))
                fail_msg("kind %d, %s", kind, all[i]);
        }
    assert_false(judge_kind_speaks(JUDGE_PROGRAM));
    assert_true(judge_kind_speaks(JUDGE_CALL) && judge_kind_speaks(JUDGE_MUTATION) && judge_kind_speaks(JUDGE_SCRIPT));
}

static void payloads(void **state)
{
    static const char text[] = "value " NONCE " [1,\"a b\"]\nvalue " NONCE " 2\n";
    static const char reason[] = "raise " NONCE " ValueError: \0 x\n";
    struct judge_mark mark;

    (void)state;
    judge_mark_read(text, sizeof(text) - 1, JUDGE_CALL, NONCE, &mark);
    assert_int_equal(mark.said, JUDGE_SAID_VALUE);
    assert_int_equal(mark.value_count, 9);
    assert_memory_equal(mark.value, "[1,\"a b\"]", 9);
    assert_string_equal(mark.reason, "");
    judge_mark_read(reason, sizeof(reason) - 1, JUDGE_CALL, NONCE, &mark);
    assert_string_equal(mark.reason, "ValueError:   x");
    assert_null(mark.value);
    judge_mark_read(NULL, 0, JUDGE_CALL, NONCE, &mark);
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
    judge_mark_read(text, sizeof(text), JUDGE_SCRIPT, NONCE, &mark);
    assert_int_equal(strlen(mark.reason), sizeof(mark.reason) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(words_of_a_kind),
        cmocka_unit_test(payloads),
        cmocka_unit_test(a_long_reason_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
