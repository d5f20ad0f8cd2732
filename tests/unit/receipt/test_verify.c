/* test_verify.c - right receipts, and every way in which they can be wrong */
#include "sample.h"

#define FILE_NAME "out/receipts.jsonl"

static struct receipt_verdict verify(const char *path, const char *objects)
{
    struct receipt_verdict verdict = {0};
    struct base_err err = {0};

    if (receipt_verify_file(path, &(struct receipt_beside){.objects_dir = objects}, &verdict, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return verdict;
}

static void expect_bad(const char *path, unsigned long line, unsigned long right, const char *why)
{
    struct receipt_verdict verdict = verify(path, NULL);

    assert_int_equal(verdict.bad_line, line);
    assert_int_equal(verdict.receipts, right);
    if (!strstr(verdict.why, why))
        fail_msg("\"%s\" is not in \"%s\"", why, verdict.why);
}

static void right_chain(void **state)
{
    struct receipt_verdict verdict;
    char text[65536], *last;

    (void)state;
    sample_folder(5);
    verdict = verify(FILE_NAME, "out/objects");
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.bad_line, 0);
    assert_int_equal(verdict.receipts, 5);
    support_read(FILE_NAME, text, sizeof(text));
    last = strstr(text, verdict.head);
    assert_non_null(last);
    assert_null(strstr(last + 1, verdict.head)); /* nothing links to the last one */
}

/* Write the file anew as "edited": without line @drop, with line @swap after the next, @cut bytes shorter. */
static void edit_lines(int drop, int swap, size_t cut)
{
    char text[65536], *line[8], out[65536] = "";
    int count = 0;

    support_read(FILE_NAME, text, sizeof(text));
    for (char *p = text; *p != '\0' && count < 8; count++) {
        line[count] = p;
        p = strchr(p, '\n');
        *p++ = '\0';
    }
    if (swap >= 0) {
        char *kept = line[swap];

        line[swap] = line[swap + 1];
        line[swap + 1] = kept;
    }
    for (int i = 0; i < count; i++)
        if (i != drop)
            (void)snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s\n", line[i]);
    support_write("edited", out, strlen(out) - cut);
}

static void cut_swapped_and_dropped_lines(void **state)
{
    (void)state;
    sample_folder(4);
    edit_lines(-1, -1, 30);
    expect_bad("edited", 4, 3, "torn or damaged");
    edit_lines(0, -1, 0);
    expect_bad("edited", 1, 0, "is the first one here");
    edit_lines(1, -1, 0);
    expect_bad("edited", 2, 1, "previous_sha256 is");
    edit_lines(-1, 1, 0);
    expect_bad("edited", 2, 1, "previous_sha256 is");
    edit_lines(3, -1, 0); /* a chain that ends early is a right chain; its head tells */
    assert_int_equal(verify("edited", NULL).receipts, 3);
}

static void change(const char *from, const char *to)
{
    char text[65536], *at;

    support_read(FILE_NAME, text, sizeof(text));
    at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    support_write_text("edited", text);
}

static void changed_bytes(void **state)
{
    (void)state;
    sample_folder(2);
    change("\"exit_code\":0", "\"exit_code\":1");
    expect_bad("edited", 1, 0, "its content has");
    change("\"wall_us\":1", "\"wall_us\":2");
    expect_bad("edited", 2, 1, "its content has");
    change("\"wall_us\":0", "\"wall_us\":x");
    expect_bad("edited", 1, 0, "torn or damaged");
    change("\"wall_us\":0", "\"sha2560\":0");
    expect_bad("edited", 1, 0, "its content has");
    change("receipt/1", "receipt/2");
    expect_bad("edited", 1, 0, "schema");
    change("\"teardown\"", "\"teardowm\"");
    expect_bad("edited", 1, 0, "teardown is missing");
    change("\"sha256\":\"x\"", "\"sha256\": \"\"");
    expect_bad("edited", 1, 0, "its content has");
}

static void other_texts(void **state)
{
    (void)state;
    support_write_text("edited", "");
    expect_bad("edited", 1, 0, "no receipt");
    support_write_text("edited", "\n\n");
    expect_bad("edited", 1, 0, "torn or damaged");
    support_write_text("edited", "[1]\n");
    expect_bad("edited", 1, 0, "not a JSON object");
    support_write_text("edited", "{\"a\":1,\"a\":2}\n");
    expect_bad("edited", 1, 0, "duplicate");
    support_write("edited", "\0\0\0\0", 4);
    expect_bad("edited", 1, 0, "torn or damaged");
}

static void one_receipt_over_many_lines(void **state)
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_JSON json_t *receipt = sample_receipt(3);
    char hex[BASE_HASH_HEX];
    struct base_err err = {0};
    struct receipt_verdict verdict;

    (void)state;
    assert_int_equal(receipt_seal(receipt, NULL, &line, hex, &err), 0);
    assert_int_equal(json_dump_file(receipt, "pretty", JSON_INDENT(2)), 0);
    verdict = verify("pretty", NULL);
    assert_int_equal(verdict.bad_line, 0);
    assert_int_equal(verdict.receipts, 1);
    assert_string_equal(verdict.head, hex);
    assert_int_equal(json_object_set_new(receipt, "tier", json_string("host")), 0);
    assert_int_equal(json_dump_file(receipt, "pretty", JSON_INDENT(2)), 0);
    expect_bad("pretty", 1, 0, "its content has");
}

static void programs_are_looked_at(void **state)
{
    char sha256[BASE_HASH_HEX], path[128];

    (void)state;
    sample_folder(3);
    base_hash_bytes_hex(SAMPLE_PROGRAM, strlen(SAMPLE_PROGRAM), sha256);
    (void)snprintf(path, sizeof(path), "out/objects/%s", sha256);
    support_write_text(path, "pAss\n");
    assert_non_null(strstr(verify(FILE_NAME, "out/objects").why, "was changed"));
    assert_int_equal(unlink(path), 0);
    assert_non_null(strstr(verify(FILE_NAME, "out/objects").why, "no such file"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_non_null(strstr(verify(FILE_NAME, "out/objects").why, "is a FIFO"));
    assert_int_equal(verify(FILE_NAME, NULL).bad_line, 0);
}

/* @numbers: the results of these runs, in this order; 0 ends, -1 is one that needs no run. */
static struct receipt_verdict verify_results(const int *numbers, const char *key, const char *value)
{
    const struct receipt_beside beside = {.results = "results"};
    AUTO_BUF struct base_buf text = {0};
    struct receipt_verdict verdict = {0};
    struct base_err err = {0};

    for (; *numbers; numbers++) {
        AUTO_JSON json_t *result = sample_result(*numbers);

        if (*numbers == -1) {
            assert_int_equal(json_object_set_new(result, "run_id", json_null()), 0);
            assert_int_equal(json_object_set_new(result, "verdict", json_string("missing")), 0);
        }
        if (key)
            assert_int_equal(json_object_set_new(result, key, json_string(value)), 0);
        assert_int_equal(base_json_canonical(result, &text), 0);
        assert_int_equal(base_buf_text(&text, "\n"), 0);
    }
    support_write("results", text.bytes ? text.bytes : "", text.count);
    if (receipt_verify_file(FILE_NAME, &beside, &verdict, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return verdict;
}

static void expect_bad_result(const int *numbers, const char *key, const char *value, unsigned long line,
                              const char *why)
{
    struct receipt_verdict verdict = verify_results(numbers, key, value);

    assert_true(verdict.in_results);
    assert_int_equal(verdict.bad_line, line);
    if (!strstr(verdict.why, why))
        fail_msg("\"%s\" is not in \"%s\"", why, verdict.why);
}

#define RUNS(...) ((const int[]){__VA_ARGS__, 0})

static void results_are_what_their_receipts_say(void **state)
{
    struct receipt_verdict verdict;

    (void)state;
    sample_folder(5); /* of the runs 0 to 4 */
    verdict = verify_results(RUNS(-1, 1, 2, -1, 4, -1), NULL, NULL);
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.bad_line, 0);
    assert_int_equal(verdict.results, 6);
    assert_int_equal(verify_results(RUNS(0), NULL, NULL).bad_line, 0);
    expect_bad_result(RUNS(1, 2, 5), NULL, NULL, 3, "no receipt of its run r5");
    expect_bad_result(RUNS(1, 1), NULL, NULL, 2, "no receipt of its run r1");
    expect_bad_result(RUNS(2, 1), NULL, NULL, 2, "not in this order");
    expect_bad_result(RUNS(2), "verdict", "pass", 1, "verdict is \"pass\", but \"timeout\"");
    expect_bad_result(RUNS(2), "task_id", "u", 1, "task_id");
    expect_bad_result(RUNS(2), "wall_us", "2", 1, "wall_us");
    expect_bad_result(RUNS(2), "more", "x", 1, "but not there in the receipt");
    expect_bad_result(RUNS(-1), "verdict", "pass", 1, "names no run");
    support_write_text("results", "{}\n");
    assert_int_equal(receipt_verify_file(FILE_NAME, &(struct receipt_beside){.results = "results"}, &verdict, NULL), 0);
    assert_string_equal(verdict.why, "is not a result");
}

static void files_that_cannot_be_read(void **state)
{
    struct receipt_verdict verdict;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(receipt_verify_file("absent", NULL, &verdict, &err), BASE_E_NOT_FOUND);
    assert_int_equal(receipt_verify_file(".", NULL, &verdict, &err), BASE_E_INVALID);
    support_write_text("f", "");
    assert_int_equal(receipt_verify_file("f", &(struct receipt_beside){.objects_dir = "absent"}, &verdict, &err),
                     BASE_E_NOT_FOUND);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(right_chain),
        IN_FOLDER(cut_swapped_and_dropped_lines),
        IN_FOLDER(changed_bytes),
        IN_FOLDER(other_texts),
        IN_FOLDER(one_receipt_over_many_lines),
        IN_FOLDER(programs_are_looked_at),
        IN_FOLDER(results_are_what_their_receipts_say),
        IN_FOLDER(files_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
