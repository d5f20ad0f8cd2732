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
        struct judge_facts facts = {.kind = JUDGE_PROGRAM, .ending = (enum judge_ending)i, .compared = JUDGE_SAME};
        bool ours = i == JUDGE_ENDED_HOST || i == JUDGE_ENDED_CANCELLED;

        assert_int_equal(decide(&facts), verdicts[i]);
        facts.forbidden = true;
        assert_int_equal(decide(&facts), ours ? verdicts[i] : JUDGE_VIOLATION);
        /* what the guest says changes nothing about a limit or about us */
        facts =
            (struct judge_facts){.kind = JUDGE_SCRIPT, .ending = (enum judge_ending)i, .mark.said = JUDGE_SAID_DONE};
        assert_int_equal(decide(&facts), verdicts[i]);
    }
}

static void exits(void **state)
{
    const enum judge_compared NOT = JUDGE_NOT_COMPARED, SAME = JUDGE_SAME, DIFF = JUDGE_DIFFERENT;
    const struct {
        enum judge_kind kind;
        int exit_code;
        enum judge_said said;
        enum judge_compared compared;
        enum judge_verdict verdict;
    } rows[] = {
        {JUDGE_PROGRAM, 0, JUDGE_SAID_NOTHING, SAME, JUDGE_PASS},
        {JUDGE_PROGRAM, 0, JUDGE_SAID_NOTHING, DIFF, JUDGE_WRONG_ANSWER},
        {JUDGE_PROGRAM, 0, JUDGE_SAID_NOTHING, NOT, JUDGE_INFRA_ERROR},
        {JUDGE_PROGRAM, 3, JUDGE_SAID_NOTHING, SAME, JUDGE_RUNTIME_ERROR},
        {JUDGE_SCRIPT, 0, JUDGE_SAID_NOTHING, NOT, JUDGE_EXITED_EARLY},
        {JUDGE_SCRIPT, 0, JUDGE_SAID_START, NOT, JUDGE_EXITED_EARLY},
        {JUDGE_SCRIPT, 0, JUDGE_SAID_DONE, NOT, JUDGE_PASS},
        {JUDGE_SCRIPT, 1, JUDGE_SAID_DONE, NOT, JUDGE_RUNTIME_ERROR},
        {JUDGE_SCRIPT, 1, JUDGE_SAID_NOTHING, NOT, JUDGE_COMPILE_ERROR},
        {JUDGE_SCRIPT, 2, JUDGE_SAID_NOTHING, NOT, JUDGE_RUNTIME_ERROR},
        {JUDGE_SCRIPT, 1, JUDGE_SAID_START, NOT, JUDGE_RUNTIME_ERROR},
        {JUDGE_SCRIPT, 1, JUDGE_SAID_ASSERT, NOT, JUDGE_WRONG_ANSWER},
        {JUDGE_SCRIPT, 0, JUDGE_SAID_ASSERT, NOT, JUDGE_WRONG_ANSWER},
        {JUDGE_CALL, 0, JUDGE_SAID_NOTHING, NOT, JUDGE_EXITED_EARLY},
        {JUDGE_CALL, 0, JUDGE_SAID_NOTHING, SAME, JUDGE_EXITED_EARLY},
        {JUDGE_CALL, 0, JUDGE_SAID_VALUE, SAME, JUDGE_PASS},
        {JUDGE_CALL, 0, JUDGE_SAID_VALUE, DIFF, JUDGE_WRONG_ANSWER},
        {JUDGE_CALL, 0, JUDGE_SAID_VALUE, NOT, JUDGE_INFRA_ERROR},
        {JUDGE_CALL, 1, JUDGE_SAID_COMPILE, NOT, JUDGE_COMPILE_ERROR},
        {JUDGE_CALL, 1, JUDGE_SAID_MISSING, NOT, JUDGE_RUNTIME_ERROR},
        {JUDGE_CALL, 1, JUDGE_SAID_CARRY, NOT, JUDGE_RUNTIME_ERROR},
        {JUDGE_CALL, 1, JUDGE_SAID_RAISE, SAME, JUDGE_RUNTIME_ERROR},
        {JUDGE_MUTATION, 0, JUDGE_SAID_VALUE, SAME, JUDGE_PASS},
        {JUDGE_MUTATION, 0, JUDGE_SAID_VALUE, DIFF, JUDGE_WRONG_ANSWER},
        {JUDGE_MUTATION, 0, JUDGE_SAID_NOTHING, NOT, JUDGE_EXITED_EARLY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct judge_facts facts = {
            .kind = rows[i].kind,
            .exit_code = rows[i].exit_code,
            .mark.said = rows[i].said,
            .compared = rows[i].compared,
        };
        if (decide(&facts) != rows[i].verdict)
            fail_msg("row %zu", i);
    }
}

static void an_answered_call_is_answered(void **state)
{
    static const enum judge_verdict verdicts[JUDGE_ENDED_MAX] = {
        [JUDGE_ENDED_EXITED] = JUDGE_PASS,      [JUDGE_ENDED_SIGNALED] = JUDGE_PASS,
        [JUDGE_ENDED_LIMIT] = JUDGE_LIMIT,      [JUDGE_ENDED_OUTPUT] = JUDGE_OUTPUT_LIMIT,
        [JUDGE_ENDED_TIME] = JUDGE_PASS,        [JUDGE_ENDED_MEMORY] = JUDGE_MEMORY,
        [JUDGE_ENDED_DENIED] = JUDGE_VIOLATION, [JUDGE_ENDED_CANCELLED] = JUDGE_SKIPPED,
        [JUDGE_ENDED_HOST] = JUDGE_INFRA_ERROR,
    };

    (void)state;
    for (int i = 0; i < JUDGE_ENDED_MAX; i++) {
        struct judge_facts facts = {.kind = JUDGE_CALL,
                                    .ending = (enum judge_ending)i,
                                    .exit_code = 3,
                                    .mark.said = JUDGE_SAID_VALUE,
                                    .compared = JUDGE_SAME};
        assert_int_equal(decide(&facts), verdicts[i]);
        facts.compared = JUDGE_DIFFERENT;
        assert_int_equal(decide(&facts), verdicts[i] == JUDGE_PASS ? JUDGE_WRONG_ANSWER : verdicts[i]);
        facts.compared = JUDGE_NOT_COMPARED;
        assert_int_not_equal(decide(&facts), JUDGE_PASS);
        facts.compared = JUDGE_SAME;
        facts.forbidden = true;
        assert_int_not_equal(decide(&facts), JUDGE_PASS);
    }
}

/* Whatever the facts are: no pass without a comparison, but for scripts, whose tests have run to their end. */
static void nothing_passes_unseen(void **state)
{
    (void)state;
    for (int bits = 0; bits < 2; bits++)
        for (int kind = -1; kind <= JUDGE_KIND_MAX; kind++)
            for (int ending = -1; ending <= JUDGE_ENDED_MAX; ending++)
                for (int said = -1; said <= JUDGE_SAID_MAX; said++)
                    for (int compared = -1; compared < 4; compared++) {
                        const struct judge_facts facts = {
                            .kind = (enum judge_kind)kind,
                            .ending = (enum judge_ending)ending,
                            .exit_code = bits & 1,
                            .mark.said = (enum judge_said)said,
                            .compared = (enum judge_compared)compared,
                        };
                        bool compares = kind == JUDGE_PROGRAM || kind == JUDGE_CALL || kind == JUDGE_MUTATION;
                        bool may = ((kind == JUDGE_SCRIPT || kind == JUDGE_TESTS) && said == JUDGE_SAID_DONE) ||
                                   (compares && compared == JUDGE_SAME);
                        if (decide(&facts) == JUDGE_PASS && !may)
                            fail_msg("kind %d, ending %d, said %d, compared %d", kind, ending, said, compared);
                    }
}

static void unknown_facts_are_our_fault(void **state)
{
    const struct judge_facts rows[] = {
        {.kind = JUDGE_PROGRAM, .ending = (enum judge_ending)99},
        {.kind = JUDGE_KIND_MAX, .compared = JUDGE_SAME},
        {.compared = JUDGE_SAME, .mark.said = JUDGE_SAID_NOTHING},
        {.kind = JUDGE_CALL, .mark.said = JUDGE_SAID_DONE, .compared = JUDGE_SAME}, /* no word of a call */
        {.kind = JUDGE_SCRIPT, .mark.said = JUDGE_SAID_VALUE, .compared = JUDGE_SAME},
        {.kind = JUDGE_PROGRAM, .mark.said = JUDGE_SAID_DONE, .compared = JUDGE_SAME},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(decide(&rows[i]), JUDGE_INFRA_ERROR);
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
        cmocka_unit_test(nothing_passes_unseen),
        cmocka_unit_test(an_answered_call_is_answered),
        cmocka_unit_test(unknown_facts_are_our_fault),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
