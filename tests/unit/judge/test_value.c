/* test_value.c - values, read and compared */
#include "../support.h"
#include "base/json.h"
#include "judge/judge.h"

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct base_err err = {0};

    if (judge_value_parse(text, strlen(text), "t", 1, &value, &err) < 0)
        fail_msg("%s: %s", text, err.what);
    return value;
}

static struct judge_answer *read_answer(const char *text)
{
    struct judge_answer *answer = NULL;
    struct base_err err = {0};

    if (judge_answer_read(text, strlen(text), &answer, &err) < 0)
        fail_msg("%s: %s", text, err.what);
    return answer;
}

static void equal_or_not(void **state)
{
    static const struct {
        const char *got, *want;
        bool equal;
    } rows[] = {
        {"1", "1.0", true},
        {"1.0", "1", true},
        {"0", "-0.0", true},
        {"-0.0", "0", true},
        {"-0", "0", true},
        {"0.30000000000000004", "0.3", true},
        {"1", "1.0000000009", true},
        {"1.0000000009", "1", false}, /* a tolerance only where a real number is wanted */
        {"1.0000000009", "1.0", true},
        {"1.00000001", "1.0", false},
        {"1.0000000000000002", "1", false},
        {"1000000000000", "1000000000000.5", true},
        {"10000000000.0", "10000000001", false},
        {"5.6e-17", "0.0", true}, /* nothing is near 0, relatively */
        {"5.6e-17", "0", false},
        {"0.0", "5.6e-17", false}, /* a small number is no 0 */
        {"0", "1.6e-19", false},
        {"1e-11", "0.0", false},
        {"1", "2", false},
        {"1", "true", false},
        {"true", "1", false},
        {"0", "false", false},
        {"0", "null", false},
        {"null", "null", true},
        {"false", "null", false},
        {"true", "true", true},
        {"\"1\"", "1", false},
        {"1", "\"1\"", false},
        {"\"a\\u0000b\"", "\"a\\u0000b\"", true},
        {"\"a\\u0000b\"", "\"a\\u0000c\"", false},
        {"\"a\\u0000b\"", "\"a\"", false},
        {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", true},
        {"{\"l\":[]}", "{}", false},
        {"{\"d\":[]}", "[]", false},
        {"{\"d\":[]}", "{}", true},
        {"{\"l\":[1,2]}", "[1,2]", true},
        {"{\"t\":[1,2]}", "[1,2]", true},
        {"{\"l\":[1,2]}", "[2,1]", false},
        {"{\"l\":[1]}", "[1,2]", false},
        {"{\"l\":[{\"l\":[1.0]}]}", "[[1]]", true},
        {"{\"d\":[[\"a\",1],[\"b\",{\"l\":[2]}]]}", "{\"b\":[2.0],\"a\":1}", true},
        {"{\"d\":[[\"a\",1]]}", "{\"b\":1}", false},
        {"{\"d\":[[\"a\",1]]}", "{\"a\":1,\"b\":1}", false},
        {"{\"d\":[[\"l\",{\"l\":[1]}]]}", "[1]", false},
        {"{\"d\":[[\"l\",{\"l\":[1]}]]}", "{\"l\":[1]}", true},
        {"{\"d\":[[\"\\u0001int\",\"5\"]]}", "5.0", false},
        {"{\"d\":[[\"\\u0001int\",\"5\"]]}", "5", false},
        {"{\"d\":[[\"\\u0001int\",\"5\"]]}", "{\"\\u0001int\":\"5\"}", true},
        {"5", "{\"\\u0001int\":\"5\"}", false},
        {"9223372036854775808", "{\"\\u0001int\":\"9223372036854775808\"}", false},
        {"{\"d\":[[\"\\u0001int\",\"9223372036854775808\"]]}", "9223372036854775808", false},
        {"{\"d\":[[\"\\u0001\\u0001int\",\"5\"]]}", "{\"\\u0001int\":\"5\"}", false},
        {"9223372036854775807", "9223372036854775806", false},
        {"9223372036854775808", "9223372036854775808", true},
        {"9223372036854775808", "9223372036854775809", false},
        {"-9223372036854775808", "-9223372036854775808", true},
        {"-9223372036854775809", "-9223372036854775809", true},
        {"-9223372036854775809", "9223372036854775809", false},
        {"1000000000000000000000000000000", "1e30", true},
        {"1000000000000000000000000000000", "1e29", false},
        {"9223372036854775808", "1", false},
        {"\"9223372036854775808\"", "9223372036854775808", false},
        {"9e18", "9000000000000000001", false},
        {"9e18", "9000000000000000000", true},
        {"9007199254740992.0", "9007199254740993", false},
        {"1.8446744073709552e+19", "18446744073709551617", false},
        {"1.8446744073709552e+19", "18446744073709551616", true},
        {"1e308", "1", false},
        {"0.5", "0", false},
    };
    char how[200];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_JSON json_t *want = parse(rows[i].want);
        AUTO_ANSWER struct judge_answer *got = read_answer(rows[i].got);

        if (judge_answer_equal(got, want, &judge_tolerance_default, how, sizeof(how)) != rows[i].equal)
            fail_msg("%s and %s: %s", rows[i].got, rows[i].want, how);
        assert_int_equal(*how == '\0', rows[i].equal);
    }
}

static bool close_to(const char *got, const char *want, double relative, double absolute)
{
    const struct judge_tolerance tolerance = {relative, absolute, 0};
    AUTO_JSON json_t *wanted = parse(want);
    AUTO_ANSWER struct judge_answer *answer = read_answer(got);
    char how[200];

    return judge_answer_equal(answer, wanted, &tolerance, how, sizeof(how));
}

static void tolerances(void **state)
{
    (void)state;
    assert_true(close_to("1.01", "1.0", 0, 0.011));
    assert_false(close_to("1.01", "1.0", 0, 0.009));
    assert_true(close_to("1.01", "1.0", 0.01, 0));
    assert_false(close_to("1.02", "1.0", 0.01, 0));
    assert_false(close_to("5.6e-17", "0.0", 0.1, 0)); /* 0 said by the task is 0 */
    assert_true(close_to("0.0", "5.6e-17", 0, 1e-12));
    assert_false(close_to("2", "1", 0.9, 5)); /* whole numbers have none */
    assert_false(close_to("1e308", "-1e308", 0, 1e299));
}

/* Got, was; and whether nothing has changed in a language of two types of numbers, and of one. */
static void unchanged(void **state)
{
    static const struct {
        const char *got, *was;
        bool two, one;
    } rows[] = {
        {"1", "1", true, true},
        {"1.0", "1", false, false},
        {"1", "1.0", false, true},
        {"1.0", "1.0", true, true},
        {"-0.0", "0", false, false},
        {"-0.0", "0.0", false, false},
        {"0.0", "-0.0", false, false},
        {"0", "-0.0", false, false},
        {"-0.0", "-0.0", true, true},
        {"true", "1", false, false},
        {"2", "1.0", false, false},
        {"1e22", "10000000000000000000000", false, false},
        {"{\"l\":[1]}", "[1]", true, true},
        {"{\"t\":[1]}", "[1]", false, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        AUTO_JSON json_t *was = parse(rows[i].was);
        AUTO_ANSWER struct judge_answer *answer = read_answer(rows[i].got);
        char how[200];

        for (int one = 0; one < 2; one++)
            if (judge_answer_unchanged(answer, was, one, how, sizeof(how)) != (one ? rows[i].one : rows[i].two))
                fail_msg("%s, was %s, %d", rows[i].got, rows[i].was, one);
    }
}

static const char *how_differs(const char *got, const char *want, bool input)
{
    static char how[200];
    AUTO_JSON json_t *wanted = parse(want);
    AUTO_ANSWER struct judge_answer *answer = read_answer(got);

    if (input)
        assert_false(judge_answer_unchanged(answer, wanted, true, how, sizeof(how)));
    else
        assert_false(judge_answer_equal(answer, wanted, &judge_tolerance_default, how, sizeof(how)));
    return how;
}

static void differences(void **state)
{
    char got[600] = "{\"l\":[", want[600] = "[";

    (void)state;
    assert_string_equal(how_differs("1.0000000000000002", "1", false), "got 1.0000000000000002, expected 1");
    assert_string_equal(how_differs("0.1", "0.3", false), "got 0.1, expected 0.3");
    assert_string_equal(how_differs("9e18", "9000000000000000001", false), "got 9e+18, expected 9000000000000000001");
    assert_string_equal(how_differs("{\"d\":[[\"\\u0001int\",\"5\"]]}", "5.0", false),
                        "got {\"\\u0001int\":\"5\"}, expected 5.0");
    assert_string_equal(how_differs("{\"l\":[{\"l\":[1,2]}]}", "[[1]]", true), "now [1,2], was [1]");
    assert_string_equal(how_differs("{\"l\":[1.0000000001]}", "[1.0]", true), "now 1.0000000001, was 1.0");
    for (int i = 0; i < 60; i++) {
        strcat(got, i ? ",100" : "100");
        strcat(want, i ? ",100" : "100");
    }
    strcat(got, ",{\"d\":[[\"k\",1]]}]}");
    strcat(want, ",{\"k\":2}]");
    assert_string_equal(how_differs(got, want, false), "at [60].k: got 1, expected 2");
    strcpy(got + strlen(got) - 2, ",7]}");
    assert_string_equal(how_differs(got, want, false), "got 62 elements, expected 61");
}

static void encodings_that_are_none(void **state)
{
    static const char *const texts[] = {
        "",
        " 1",
        "1 ",
        "[]",
        "[1]",
        "{}",
        "{\"a\":1}",
        "{\"\\u0001int\":\"5\"}",
        "{\"l\":1}",
        "{\"l\":[1,]}",
        "{\"l\":[,1]}",
        "{\"l\":[1 ]}",
        "{\"l\":[1]",
        "{\"l\":[1],\"d\":[]}",
        "{\"d\":[1]}",
        "{\"d\":[[1,2]]}",
        "{\"d\":[[\"a\"]]}",
        "{\"d\":[[\"a\",1,2]]}",
        "{\"d\":[[\"a\",1],[\"a\",2]]}",
        "{\"d\":[[\"a\",1],[\"b\",1],[\"\\u0061\",2]]}",
        "{\"d\":[[\"a\\u0000\",1]]}",
        "{ \"l\":[]}",
        "{\"\\u006c\":[]}",
        "{\"x\":[]}",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "0x1",
        "1e999",
        "-1e999",
        "NaN",
        "nan",
        "Infinity",
        "nul",
        "nulll",
        "True",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"a\nb\"",
        "\xff",
        "\"\xed\xa0\x80\"",
    };
    AUTO_BUF struct base_buf deep = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct judge_answer *answer = NULL;
        struct base_err err = {0};
        if (judge_answer_read(texts[i], strlen(texts[i]), &answer, &err) == 0)
            fail_msg("row %zu: %s", i, texts[i]);
        assert_null(answer);
    }
    for (int i = 0; i < 300; i++)
        assert_int_equal(base_buf_text(&deep, "{\"l\":["), 0);
    struct judge_answer *answer = NULL;
    struct base_err err = {0};
    assert_int_equal(judge_answer_read(deep.bytes, deep.count, &answer, &err), BASE_E_INVALID);
    assert_string_equal(err.what, "has more than 256 levels");
    base_buf_clear(&deep);
    assert_int_equal(base_buf_text(&deep, "{\"l\":[1"), 0);
    for (int i = 0; i < 1 << 20; i++)
        assert_int_equal(base_buf_text(&deep, ",1"), 0);
    assert_int_equal(judge_answer_read(deep.bytes, deep.count, &answer, &err), BASE_E_INVALID);
    assert_string_equal(err.what, "has more than 1048576 values");
}

static void refuses(void **state)
{
    static const char *const texts[] = {"",
                                        "[",
                                        "[1,]",
                                        "NaN",
                                        "{\"a\":1,\"a\":2}",
                                        "1 2",
                                        "01",
                                        "\"\\ud800\"",
                                        "\xff",
                                        "-",
                                        "1e999",
                                        "{\"a\\u0000\":1}"};
    char deep[2000];

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_t *value = NULL;
        struct base_err err = {0};
        assert_int_equal(judge_value_parse(texts[i], strlen(texts[i]), "f", 7, &value, &err), BASE_E_INVALID);
        assert_non_null(strstr(err.place, "f:7:"));
    }
    memset(deep, '[', sizeof(deep));
    json_t *value = NULL;
    assert_int_equal(judge_value_parse(deep, sizeof(deep), "f", 1, &value, NULL), BASE_E_INVALID);
}

static void short_texts(void **state)
{
    AUTO_BUF struct base_buf text = {0};

    (void)state;
    assert_non_null(strstr(
        how_differs("1", "\"12345678901234567890123456789012345678901234567890123456789012345678901\"", false), "..."));
    for (int i = 0; i < 100; i++)
        assert_int_equal(base_buf_text(&text, i ? "\xc3\xa4" : "\"a"), 0);
    assert_int_equal(base_buf_text(&text, "\""), 0);
    const char *how = how_differs("1", text.bytes, false);
    assert_true(base_json_is_utf8(how, strlen(how)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_or_not),
        cmocka_unit_test(tolerances),
        cmocka_unit_test(unchanged),
        cmocka_unit_test(differences),
        cmocka_unit_test(encodings_that_are_none),
        cmocka_unit_test(refuses),
        cmocka_unit_test(short_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
