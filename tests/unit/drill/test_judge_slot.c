/* test_judge_slot.c - what is told of an attack by the runs that came before and after it in its slot */
#include "../support.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "drill/judge.h"

#define SLOT_CLEAN   "'teardown':{'slot':{'state':'clean','why':null}}"
#define SLOT_DROPPED "'teardown':{'slot':{'state':'dropped','why':'a socket is left'}}"
#define SLOT_ODD     "'teardown':{'slot':{'state':'dropped','why':null}}"
#define USED(cpu, memory)                                                                                              \
    "'usage':{'cpu_us':" cpu ",'memory_peak_bytes':" memory ",'processes_peak':1,'scratch_peak_bytes':0}"
#define RECEIPT(code, text, limits, usage, slot)                                                                       \
    "{'ending':{'kind':'exited','exit_code':" code "},'denials':[],'stdout':{'text':'" text "'},'limits':" limits      \
    "," usage "," slot "}"
#define ENDED(limit)                 "{'ending':{'kind':'limit','limit':'" limit "'},'denials':[]," USED("1", "1") "," SLOT_CLEAN "}"
#define HONEST_OF(text)              RECEIPT("0", text, "{}", USED("900", "1000"), SLOT_CLEAN)
#define RUN(slot, keeper, run, more) "{'slot':" slot ",'keeper':" keeper ",'run':" run "," more "}"
#define HONEST(keeper, run, receipt) RUN("0", keeper, run, "'honest':true,'receipt':" receipt)
#define ATTACK(keeper, run)          RUN("0", keeper, run, "'honest':false")
#define OTHER(text)                  RUN("1", "60", "1", "'honest':true,'receipt':" HONEST_OF(text))
#define ANSWER(slot, runs)           "{'processes':0,'receipts':[{" slot "}],'runs':[" runs "]}"
#define PLAIN                        HONEST_OF("a\\nb\\n")
/* An honest run, another slot's that sees something else, the attack, an honest run. */
#define AFTER(receipt) ANSWER(SLOT_CLEAN, HONEST("50", "1", PLAIN) "," OTHER("c") "," ATTACK("50", "2") "," receipt)

static const struct {
    const char *answer, *breach, *skip; /* NULL: none */
} rows[] = {
    {AFTER(HONEST("50", "3", PLAIN)), NULL, NULL},
    {"{'receipts':[],'runs':null}", NULL, NULL},
    /* the slot */
    {AFTER(HONEST("51", "1", PLAIN)), "its slot was proved clean, and did not serve again", NULL},
    {AFTER(HONEST("50", "4", PLAIN)), "its slot was proved clean, and did not serve again", NULL},
    {ANSWER(SLOT_DROPPED, HONEST("50", "1", PLAIN) "," ATTACK("50", "2") "," HONEST("51", "1", PLAIN)), NULL, NULL},
    {ANSWER(SLOT_DROPPED, HONEST("50", "1", PLAIN) "," ATTACK("50", "2") "," HONEST("50", "3", PLAIN)),
     "its slot was dropped, and served again", NULL},
    {ANSWER(SLOT_ODD, HONEST("50", "1", PLAIN) "," ATTACK("50", "2")),
     "the slot of the attack is neither clean nor dropped with a reason", NULL},
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{}", USED("1", "1"), SLOT_ODD))),
     "the slot of an honest run is neither clean nor dropped with a reason", NULL},
    {"{'processes':1,'receipts':[],'runs':[]}", "1 process in the slots when all is over does not belong there", NULL},
    /* what an honest run sees */
    {AFTER(HONEST("50", "3", HONEST_OF("a\\nb\\nleft\\n"))),
     "the honest run after it sees \"left\", unlike the one before", NULL},
    {AFTER(HONEST("50", "3", HONEST_OF("a\\n"))), "the honest run after it misses \"b\", unlike the one before", NULL},
    {AFTER(HONEST("50", "3", HONEST_OF("b\\na\\n"))), "the honest run after it sees another order of things", NULL},
    {AFTER(HONEST("50", "3", RECEIPT("1", "a\\nb\\n", "{}", USED("1", "1"), SLOT_CLEAN))),
     "the honest run after it ended: exited 1", NULL},
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{'processes':{'hits':1}}", USED("1", "1"), SLOT_CLEAN))),
     "the honest run after it has other limits in its receipt", NULL},
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{}", USED("900000", "1"), SLOT_CLEAN))),
     "the honest run after it is charged 900000 cpu_us, the one before 900", NULL},
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{}", USED("1", "90000000"), SLOT_CLEAN))),
     "the honest run after it is charged 90000000 memory_peak_bytes, the one before 1000", NULL},
    {AFTER(HONEST("50", "3", ENDED("wall"))), "the honest run after it ended: limit wall", NULL},
    /* without a measure */
    {ANSWER(SLOT_CLEAN, HONEST("50", "1", RECEIPT("9", "", "{}", USED("1", "1"), SLOT_CLEAN)) "," ATTACK(
                            "50", "2") "," HONEST("50", "3", PLAIN)),
     NULL, "an honest run under its limits ends before it already: exited 9"},
};

/* What is slow is charged more; no more is left by it. */
static const struct {
    const char *answer, *breach, *skip;
} slow_rows[] = {
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{}", USED("900000", "1"), SLOT_CLEAN))), NULL, NULL},
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{}", USED("3000000", "1"), SLOT_CLEAN))),
     "the honest run after it is charged 3000000 cpu_us, the one before 900", NULL},
    {AFTER(HONEST("50", "3", RECEIPT("0", "a\\nb\\n", "{}", USED("1", "90000000"), SLOT_CLEAN))),
     "the honest run after it is charged 90000000 memory_peak_bytes, the one before 1000", NULL},
    {AFTER(HONEST("50", "3", ENDED("wall"))), NULL, "the honest run after it ended: limit wall"},
    {AFTER(HONEST("50", "3", ENDED("idle"))), NULL, "the honest run after it ended: limit idle"},
    {AFTER(HONEST("50", "3", ENDED("memory"))), "the honest run after it ended: limit memory", NULL},
};

static json_t *read_answer(const char *text)
{
    char copy[4096];
    json_t *json;

    (void)snprintf(copy, sizeof(copy), "%s", text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json = json_loads(copy, 0, NULL);
    if (!json)
        fail_msg("not JSON: %s", copy);
    return json;
}

static void expect_words(size_t row, const char *what, struct drill_words *words, const char *wanted)
{
    const char *seen = words->count ? words->items[0] : NULL;

    if (!seen != !wanted || (seen && strcmp(seen, wanted) != 0))
        fail_msg("row %zu: %s \"%s\"", row, what, seen ? seen : "nothing");
    drill_words_release(words);
}

static void every_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        AUTO_JSON json_t *answer = read_answer(rows[i].answer);
        struct drill_words breaches = {.count = 0}, skips = {.count = 0};

        drill_judge_slots(answer, 1, &breaches, &skips);
        expect_words(i, "breach", &breaches, rows[i].breach);
        expect_words(i, "skip", &skips, rows[i].skip);
    }
}

static void on_a_slow_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(slow_rows); i++) {
        AUTO_JSON json_t *answer = read_answer(slow_rows[i].answer);
        struct drill_words breaches = {.count = 0}, skips = {.count = 0};

        drill_judge_slots(answer, 9, &breaches, &skips);
        expect_words(i, "breach", &breaches, slow_rows[i].breach);
        expect_words(i, "skip", &skips, slow_rows[i].skip);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_reason), cmocka_unit_test(on_a_slow_machine)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
