/* test_verdict.c - the order in which facts decide */
#include "../support.h"
#include "judge/judge.h"

static enum judge_verdict decide(const struct judge_facts *facts)
{
    struct judge_ruling ruling;
    judge_decide(facts, &ruling);
    assert_int_equal(ruling.fault, judge_verdict_fault(ruling.verdict));
    return ruling.verdict;
}

static void endings(void **state)
{
    static const enum judge_verdict verdicts[JUDGE_ENDED_MAX] = {
        [JUDGE_ENDED_EXITED] = JUDGE_PASS,      [JUDGE_ENDED_SIGNALED] = JUDGE_RUNTIME_ERROR,
        [JUDGE_ENDED_LIMIT] = JUDGE_LIMIT,      [JUDGE_ENDED_OUTPUT] = JUDGE_OUTPUT_LIMIT,
        [JUDGE_ENDED_TIME] = JUDGE_TIMEOUT,     [JUDGE_ENDED_MEMORY] = JUDGE_MEMORY,
        [JUDGE_ENDED_DENIED] = JUDGE_VIOLATION, [JUDGE_ENDED_CANCELLED] = JUDGE_SKIPPED,
        [JUDGE_ENDED_HOST] = JUDGE_INFRA_ERROR,
    };

    (void)state;
    for (int i = 0; i < JUDGE_ENDED_MAX; i++) {
        struct judge_facts facts = {.ending = (enum judge_ending)i};
        bool ours = i == JUDGE_ENDED_HOST || i == JUDGE_ENDED_CANCELLED;

        assert_int_equal(decide(&facts), verdicts[i]);
        facts.forbidden = true;
        assert_int_equal(decide(&facts), ours ? verdicts[i] : JUDGE_VIOLATION);
        /* what the guest says changes nothing about a limit or about us */
        facts = (struct judge_facts){.ending = (enum judge_ending)i, .marked = true, .mark.said = JUDGE_SAID_DONE};
        assert_int_equal(decide(&facts), verdicts[i]);
    }
}

static void exits(void **state)
{
    static const struct {
        int exit_code;
        bool marked, first, wrong;
        enum judge_said said;
        enum judge_verdict verdict;
    } rows[] = {
        {0, false, false, false, JUDGE_SAID_NOTHING, JUDGE_PASS},
        {0, false, false, true, JUDGE_SAID_NOTHING, JUDGE_WRONG_ANSWER},
        {3, false, false, false, JUDGE_SAID_NOTHING, JUDGE_RUNTIME_ERROR},
        {0, true, true, false, JUDGE_SAID_NOTHING, JUDGE_EXITED_EARLY},
        {0, true, true, false, JUDGE_SAID_START, JUDGE_EXITED_EARLY},
        {0, true, true, false, JUDGE_SAID_DONE, JUDGE_PASS},
        {0, true, false, false, JUDGE_SAID_VALUE, JUDGE_PASS},
        {0, true, false, true, JUDGE_SAID_VALUE, JUDGE_WRONG_ANSWER},
        {1, true, true, false, JUDGE_SAID_DONE, JUDGE_RUNTIME_ERROR},
        {1, true, true, false, JUDGE_SAID_NOTHING, JUDGE_COMPILE_ERROR},
        {2, true, true, false, JUDGE_SAID_NOTHING, JUDGE_RUNTIME_ERROR},
        {1, true, false, false, JUDGE_SAID_NOTHING, JUDGE_RUNTIME_ERROR},
        {1, true, true, false, JUDGE_SAID_START, JUDGE_RUNTIME_ERROR},
        {1, true, true, false, JUDGE_SAID_ASSERT, JUDGE_WRONG_ANSWER},
        {0, true, true, false, JUDGE_SAID_ASSERT, JUDGE_WRONG_ANSWER},
        {1, true, false, false, JUDGE_SAID_COMPILE, JUDGE_COMPILE_ERROR},
        {1, true, false, false, JUDGE_SAID_MISSING, JUDGE_RUNTIME_ERROR},
        {1, true, false, false, JUDGE_SAID_CARRY, JUDGE_RUNTIME_ERROR},
        {1, true, false, false, JUDGE_SAID_RAISE, JUDGE_RUNTIME_ERROR},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct judge_facts facts = {
            .exit_code = rows[i].exit_code,
            .marked = rows[i].marked,
            .start_is_first = rows[i].first,
            .wrong = rows[i].wrong,
            .mark.said = rows[i].said,
        };
        if (decide(&facts) != rows[i].verdict)
            fail_msg("row %zu", i);
    }
}

static void unknown_facts_are_our_fault(void **state)
{
    const struct judge_facts facts = {.ending = (enum judge_ending)99};

    (void)state;
    assert_int_equal(decide(&facts), JUDGE_INFRA_ERROR);
}

static void names(void **state)
{
    (void)state;
    for (int i = 0; i < JUDGE_VERDICT_MAX; i++)
        assert_int_equal(judge_verdict_find(judge_verdict_name((enum judge_verdict)i)), i);
    assert_int_equal(judge_verdict_find("good"), JUDGE_VERDICT_MAX);
    assert_null(judge_verdict_name(JUDGE_VERDICT_MAX));
    assert_string_equal(judge_fault_name(judge_verdict_fault(JUDGE_NO_CODE)), "model");
    assert_string_equal(judge_fault_name(judge_verdict_fault(JUDGE_INFRA_ERROR)), "host");
    assert_string_equal(judge_fault_name(judge_verdict_fault(JUDGE_PASS)), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings),
        cmocka_unit_test(exits),
        cmocka_unit_test(unknown_facts_are_our_fault),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
