/* test_value.c - JSON values, read and compared */
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

static void equal_or_not(void **state)
{
    static const struct {
        const char *got, *want;
        bool equal, not_the_other_way;
    } rows[] = {
        {"1", "1.0", true},
        {"0", "-0.0", true},
        {"0.30000000000000004", "0.3", true},
        {"1", "1.0000000009", true, true}, /* a tolerance only where a real number is wanted */
        {"1.0000000009", "1.0", true},
        {"1.00000001", "1", false},
        {"1000000000000", "1000000000000.5", true, true},
        {"10000000000.0", "10000000001", false, true}, /* 1e-10 apart */
        {"1", "2", false},
        {"1", "true", false},
        {"0", "false", false},
        {"0", "null", false},
        {"null", "null", true},
        {"false", "null", false},
        {"true", "true", true},
        {"\"1\"", "1", false},
        {"\"a\\u0000b\"", "\"a\\u0000b\"", true},
        {"\"a\\u0000b\"", "\"a\\u0000c\"", false},
        {"[]", "{}", false},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,2]", false},
        {"[[1.0]]", "[[1]]", true},
        {"{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", true},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
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
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_JSON json_t *got = parse(rows[i].got), *want = parse(rows[i].want);
        bool other_way = rows[i].not_the_other_way ? !rows[i].equal : rows[i].equal;

        if (judge_value_equal(got, want) != rows[i].equal || judge_value_equal(want, got) != other_way)
            fail_msg("%s and %s", rows[i].got, rows[i].want);
        assert_true(judge_value_equal(got, got));
    }
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
    char text[16];
    AUTO_JSON json_t *long_value = parse("[\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"]");
    AUTO_JSON json_t *big = parse("12345678901234567890");

    (void)state;
    assert_string_equal(judge_value_text(big, text, 32 > sizeof(text) ? sizeof(text) : 32), "123456789012...");
    judge_value_text(long_value, text, sizeof(text));
    assert_true(base_json_is_utf8(text, strlen(text)));
    assert_non_null(strstr(text, "..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_or_not),
        cmocka_unit_test(refuses),
        cmocka_unit_test(short_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
