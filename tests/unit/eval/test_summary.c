/* test_summary.c - rows, samples, coverage and pass@k */
#include "../support.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "eval/result.h"
#include "eval/summary.h"
#include "judge/judge.h"
#include "receipt/receipt.h"
#include "run/run.h"
#include <math.h>

static void close_to(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
}

static void estimator(void **state)
{
    (void)state;
    close_to(receipt_pass_at(1, 1, 1), 1);
    close_to(receipt_pass_at(1, 0, 1), 0);
    close_to(receipt_pass_at(4, 2, 1), 0.5);
    close_to(receipt_pass_at(4, 2, 2), 1 - 1.0 / 6);
    close_to(receipt_pass_at(4, 1, 4), 1);
    close_to(receipt_pass_at(100, 1, 10), 0.1);
    close_to(receipt_pass_at(100, 0, 100), 0);
    close_to(receipt_pass_at(100, 100, 1), 1);
}

/* Two tasks: one with @first samples, one with two cases and one sample. */
struct set {
    struct eval_tasks tasks;
    struct eval_ledger ledger;
};

static void set_up(struct set *set, unsigned first_samples)
{
    static const char text[] = "{\"id\":\"a\",\"expect\":\"y\"}\n"
                               "{\"id\":\"b\",\"cases\":[{\"name\":\"x\",\"input\":1,\"expect\":2},"
                               "{\"name\":\"y\",\"input\":1,\"expect\":2}]}\n";
    unsigned *samples = calloc(2, sizeof(*samples));
    struct base_err err = {0};

    *set = (struct set){0};
    support_write_text("tasks", text);
    assert_int_equal(eval_tasks_load("tasks", NULL, 0, &set->tasks, &err), 0);
    assert_non_null(samples);
    samples[0] = first_samples;
    samples[1] = 1;
    assert_int_equal(eval_ledger_init(&set->ledger, &set->tasks, samples, &err), 0);
}

static void set_down(struct set *set)
{
    eval_ledger_release(&set->ledger);
    eval_tasks_release(&set->tasks);
}

static void rows(void **state)
{
    CLEANUP(set_down) struct set set;
    const struct eval_place last = {1, 0, 1}, beyond[] = {{0, 3, 0}, {0, 0, 1}, {1, 0, 2}, {2, 0, 0}};
    struct eval_counts counts;

    (void)state;
    set_up(&set, 3);
    assert_int_equal(set.ledger.rows, 5);
    assert_int_equal(eval_ledger_row(&set.ledger, &last), 4);
    for (size_t i = 0; i < ARRAY_COUNT(beyond); i++)
        assert_true(eval_ledger_row(&set.ledger, &beyond[i]) == SIZE_MAX);

    eval_ledger_note(&set.ledger, 0, JUDGE_PASS, NULL);
    eval_ledger_note(&set.ledger, 1, JUDGE_INFRA_ERROR, NULL);
    eval_ledger_note(&set.ledger, 3, JUDGE_PASS, NULL);
    assert_true(eval_ledger_is_done(&set.ledger, 0));
    assert_false(eval_ledger_is_done(&set.ledger, 1));
    assert_false(eval_ledger_is_done(&set.ledger, 2));
    assert_int_equal(eval_ledger_sample(&set.ledger, 1, 0), JUDGE_VERDICT_MAX);
    eval_ledger_note(&set.ledger, 4, JUDGE_WRONG_ANSWER, NULL);
    assert_int_equal(eval_ledger_sample(&set.ledger, 1, 0), JUDGE_WRONG_ANSWER);
    eval_ledger_note(&set.ledger, 2, JUDGE_TIMEOUT, NULL);
    assert_int_equal(set.ledger.done, 5);

    eval_summary_count(&set.ledger, &counts);
    assert_int_equal(counts.candidates, 4);
    assert_int_equal(counts.judged, 3);
    assert_int_equal(counts.passed, 1);
    assert_int_equal(counts.infra_errors, 1);
    eval_ledger_note(&set.ledger, 1, JUDGE_PASS, NULL); /* the second attempt counts */
    eval_summary_count(&set.ledger, &counts);
    assert_int_equal(counts.judged, 4);
    assert_int_equal(counts.passed, 2);
    assert_int_equal(set.ledger.done, 5);
    assert_int_equal(set.ledger.by_verdict[JUDGE_INFRA_ERROR], 0);
}

static void infra_errors_come_last(void **state)
{
    CLEANUP(set_down) struct set set;

    (void)state;
    set_up(&set, 1);
    eval_ledger_note(&set.ledger, 1, JUDGE_INFRA_ERROR, NULL);
    eval_ledger_note(&set.ledger, 2, JUDGE_MEMORY, NULL);
    assert_int_equal(eval_ledger_sample(&set.ledger, 1, 0), JUDGE_MEMORY);
    eval_ledger_note(&set.ledger, 2, JUDGE_PASS, NULL);
    assert_int_equal(eval_ledger_sample(&set.ledger, 1, 0), JUDGE_INFRA_ERROR);
}

static json_t *summarise(const struct set *set, bool interrupted)
{
    static const struct eval_manifest manifest = {"t", "c", "p", "slot"};
    const struct eval_totals totals = {.ledger = &set->ledger, .manifest = &manifest, .interrupted = interrupted};
    struct eval_counts counts;

    eval_summary_count(&set->ledger, &counts);
    return eval_summary_json(&totals, &counts);
}

static double pass_at(const json_t *summary, const char *k)
{
    const json_t *value = json_object_get(json_object_get(summary, "pass_at"), k);
    return json_is_real(value) ? json_real_value(value) : -1;
}

static void pass_at_needs_enough_samples(void **state)
{
    CLEANUP(set_down) struct set set;

    (void)state;
    set_up(&set, 10);
    for (size_t row = 0; row < 10; row++)
        eval_ledger_note(&set.ledger, row, row < 5 ? JUDGE_PASS : JUDGE_WRONG_ANSWER, NULL);
    eval_ledger_note(&set.ledger, 10, JUDGE_MISSING, NULL);
    eval_ledger_note(&set.ledger, 11, JUDGE_MISSING, NULL);
    AUTO_JSON json_t *summary = summarise(&set, false);
    close_to(pass_at(summary, "1"), 0.25);
    close_to(pass_at(summary, "10"), 0.5); /* the absent task fails at every k */
    close_to(pass_at(summary, "100"), -1);
    AUTO_JSON json_t *partial = summarise(&set, true);
    close_to(pass_at(partial, "1"), -1);
}

/* Few rows are all in the table; of many only what did not pass, and the first of that. */
static void table_rows(void **state)
{
    CLEANUP(set_down) struct set set;
    AUTO_JSON json_t *line = json_object();

    (void)state;
    set_up(&set, 10);
    eval_ledger_note(&set.ledger, 3, JUDGE_PASS, line);
    eval_ledger_note(&set.ledger, 1, JUDGE_TIMEOUT, line);
    assert_int_equal(set.ledger.shown_count, 2);
    assert_int_equal(set.ledger.shown[0].row, 1);
    set_down(&set);
    set_up(&set, 100);
    for (size_t row = 100; row-- > 0;)
        eval_ledger_note(&set.ledger, row, row % 2 ? JUDGE_PASS : JUDGE_TIMEOUT, line);
    assert_int_equal(set.ledger.shown_count, EVAL_TABLE_ROWS_MAX);
    assert_int_equal(set.ledger.shown[0].row, 0);
    assert_int_equal(set.ledger.shown[EVAL_TABLE_ROWS_MAX - 1].row, 2 * (EVAL_TABLE_ROWS_MAX - 1));
    eval_ledger_note(&set.ledger, 4, JUDGE_INFRA_ERROR, line);
    eval_ledger_note(&set.ledger, 4, JUDGE_PASS, line);
    assert_int_equal(set.ledger.shown_count, EVAL_TABLE_ROWS_MAX - 1);
    assert_int_equal(set.ledger.shown[2].row, 6);
}

static void what_is_covered_and_not_run(void **state)
{
    CLEANUP(set_down) struct set set;
    static const struct eval_manifest manifest = {"t", "c", "p", "slot"};
    struct eval_totals totals = {.ledger = &set.ledger, .manifest = &manifest, .covered = 1, .receipts = 2};
    struct eval_counts counts;

    (void)state;
    set_up(&set, 3);
    eval_ledger_note(&set.ledger, 0, JUDGE_PASS, NULL);
    eval_ledger_note(&set.ledger, 1, JUDGE_TIMEOUT, NULL);
    eval_summary_count(&set.ledger, &counts);
    totals.receipts_head = "ff";
    AUTO_JSON json_t *summary = eval_summary_json(&totals, &counts);
    close_to(json_real_value(json_object_get(summary, "coverage")), 0.5);
    assert_int_equal(json_integer_value(json_object_get(summary, "not_run")), 2);
    assert_int_equal(json_integer_value(json_object_get(summary, "results")), 2);
    assert_int_equal(json_integer_value(json_object_get(summary, "receipts")), 2);
    assert_string_equal(json_string_value(json_object_get(summary, "receipts_head")), "ff");
}

static void results_come_back(void **state)
{
    CLEANUP(set_down) struct set set;
    struct eval_result result = {.place = {1, 0, 1}, .code_sha256 = "ff"};
    struct base_err err = {0};
    enum judge_verdict verdict = JUDGE_PASS;
    size_t row = 0;

    (void)state;
    set_up(&set, 1);
    judge_rule(JUDGE_MEMORY, "much", &result.ruling);
    AUTO_JSON json_t *line = eval_result_json(&result, &set.tasks);
    assert_string_equal(json_string_value(json_object_get(line, "case")), "y");
    assert_true(json_is_null(json_object_get(line, "wall_us")));
    assert_int_equal(eval_result_parse(line, "r:1", &set.ledger, &row, &verdict, &err), 0);
    assert_int_equal(row, 2);
    assert_int_equal(verdict, JUDGE_MEMORY);
    assert_int_equal(json_object_set_new(line, "sample", json_integer(1)), 0);
    assert_int_equal(eval_result_parse(line, "r:1", &set.ledger, &row, &verdict, &err), BASE_E_INVALID);
    assert_string_equal(err.place, "r:1");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimator),
        IN_FOLDER(rows),
        IN_FOLDER(infra_errors_come_last),
        IN_FOLDER(pass_at_needs_enough_samples),
        IN_FOLDER(results_come_back),
        IN_FOLDER(table_rows),
        IN_FOLDER(what_is_covered_and_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
