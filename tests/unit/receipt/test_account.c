/* test_account.c - receipts and results as sets: what is missing, double or of another row */
#include "judge/judge.h"
#include "receipt/account.h"
#include "sample.h"

/* Each verdict has the fault that the judge gives it: the room of receipts knows only the words. */
static void words_are_the_judges(void **state)
{
    char why[256];

    (void)state;
    for (int v = 0; v < JUDGE_VERDICT_MAX; v++)
        for (int f = 0; f < JUDGE_FAULT_MAX; f++) {
            struct receipt_account *account = receipt_account_new();
            AUTO_JSON json_t *result =
                json_pack("{s:s, s:i, s:s, s:s, s:s}", "task_id", "t", "sample", 0, "run_id", "r", "verdict",
                          judge_verdict_name((enum judge_verdict)v), "fault", judge_fault_name((enum judge_fault)f));

            assert_int_equal(receipt_account_result(account, result, 1, why, sizeof(why)),
                             judge_verdict_fault((enum judge_verdict)v) == (enum judge_fault)f);
            receipt_account_free(account);
        }
}

static json_t *receipt_of(int sample, const char *verdict, const char *fault)
{
    return json_pack("{s:s, s:{s:s}, s:{s:s, s:i, s:s, s:s}}", "run_id", "r", "policy", "sha256", "p", "eval",
                     "task_id", "t", "sample", sample, "verdict", verdict, "fault", fault);
}

static json_t *result_of(int sample, const char *verdict, const char *fault, const char *run_id)
{
    return json_pack("{s:s, s:i, s:s, s:s, s:s?, s:n, s:n, s:n, s:n, s:s}", "task_id", "t", "sample", sample, "verdict",
                     verdict, "fault", fault, "run_id", run_id, "wall_us", "cpu_us", "memory_peak_bytes", "code_sha256",
                     "trust", "isolated");
}

/* R: a receipt, r: the result of its run, n: a result without one; then p pass, w wrong-answer, i infra-error, m
 * missing, s skipped; and the sample. */
static int add(struct receipt_account *account, const char *event, unsigned long line, char *why)
{
    static const char *const words[][2] = {{"pass", "none"},
                                           {"wrong-answer", "candidate"},
                                           {"infra-error", "host"},
                                           {"missing", "model"},
                                           {"skipped", "none"}};
    const char *const *word = words[strchr("pwims", event[1]) - "pwims"];
    int sample = event[2] - '0';
    AUTO_JSON json_t *said = event[0] == 'R' ? receipt_of(sample, word[0], word[1])
                                             : result_of(sample, word[0], word[1], event[0] == 'r' ? "r" : NULL);

    json_object_del(json_object_get(said, "policy"), "sha256");
    return event[0] == 'R' ? receipt_account_receipt(account, said, line, why, 256)
                           : receipt_account_result(account, said, line, why, 256);
}

static const struct {
    const char *events, *rests; /* what is said at once, or at the end; "": nothing */
    bool only_whole;            /* it is wrong only where all is done */
} rows[] = {
    {"Rp0 rp0", "", false},
    {"Ri0 Rp0 rp0", "", false},     /* tried once more */
    {"Ri0 ri0 Rp0 rp0", "", false}, /* gone on with */
    {"Ri0 ni0", "", false},         /* the second try had no receipt */
    {"ni0 Rp0 rp0", "", false},
    {"Rw0 Rw0 rw0", "", false}, /* the first one's result was lost in a crash */
    {"ns0 Rp0 rp0", "", false},
    {"nm0 nm1 Rp2 rp2", "", false},
    {"Rp0", "its run has no result", true},
    {"Ri0", "its run has no result", true},
    {"Rp0 rp0 Rp1", "its run has no result", true},
    {"Rw0 nm0", "is \"missing\" and names no run", false},
    {"Rw0 ns0", "is \"skipped\" and names no run", false},
    {"Rw0 ni0", "is \"infra-error\" and names no run", false},
    {"Ri0 nm0", "is \"missing\" and names no run", false},
    {"nm0 Rw0", "is a run of what has its result, in line 1", false},
    {"Rw0 rw0 Rp0", "is a run of what has its result, in line 2", false},
    {"Rp0 rp0 rp0", "is a second result of what line 2", false},
    {"nm0 nm0", "is a second result of what line 1", false},
    {"np0", "names no run", false},
};

/* Returns 1, or 0 with @why. */
static int account_for(const char *events, bool whole, char *why)
{
    struct receipt_account *account = receipt_account_new();
    unsigned long line = 0;
    bool in_results;
    int r = 1;

    for (const char *event = events; r == 1 && *event; event += event[3] ? 4 : 3)
        r = add(account, event, ++line, why);
    if (r == 1)
        r = receipt_account_end(account, whole, &in_results, &line, why, 256);
    receipt_account_free(account);
    return r;
}

static void sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int whole = 0; whole < 2; whole++) {
            char why[256] = "";
            bool wrong = rows[i].rests[0] && (whole || !rows[i].only_whole);

            if (account_for(rows[i].events, whole, why) != !wrong || (wrong && !strstr(why, rows[i].rests)))
                fail_msg("%s: \"%s\", wanted \"%s\"", rows[i].events, why, wrong ? rows[i].rests : "");
        }
}

/* Many rows, each found again. */
static void many(void **state)
{
    struct receipt_account *account = receipt_account_new();
    char why[256];

    (void)state;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 20000; i++) {
            AUTO_JSON json_t *result = result_of(i, "missing", "model", NULL);

            assert_int_equal(receipt_account_result(account, result, (unsigned long)i + 1, why, sizeof(why)), !turn);
        }
    assert_string_equal(why, "is a second result of what line 20000 is one of");
    receipt_account_free(account);
}

static void estimates(void **state)
{
    (void)state;
    assert_true(receipt_pass_at(1, 1, 1) == 1 && receipt_pass_at(1, 0, 1) == 0);
    assert_true(receipt_pass_at(4, 2, 1) > 0.4999999 && receipt_pass_at(4, 2, 1) < 0.5000001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_the_judges),
        cmocka_unit_test(sets),
        cmocka_unit_test(many),
        cmocka_unit_test(estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
