/* test_json_bound.c - what a JSON text costs, and where it costs too much */
#include "../support.h"
#include "base/json.h"
#include "base/json_bound.h"

static char *repeat(const char *first, const char *again, size_t times, const char *last)
{
    size_t length = strlen(again);
    char *text = malloc(strlen(first) + times * length + strlen(last) + 1), *at = text;

    assert_non_null(text);
    at = stpcpy(at, first);
    for (size_t i = 0; i < times; i++, at += length)
        memcpy(at, again, length);
    strcpy(at, last);
    return text;
}

/* A text of some MB whose values would take more than what is allowed: refused before anything is allocated. */
static void expect_refused(const char *value, size_t times)
{
    char *text = repeat("[\n", value, times, "0]");
    struct base_err err = {0};
    json_t *json = NULL;

    assert_int_equal(base_json_parse(text, strlen(text), "p", &json, &err), BASE_E_TOO_LARGE);
    assert_memory_equal(err.place, "p:2:", 4);
    assert_string_equal(err.what, "its values would take more than 160 MiB of memory");
    free(text);
}

static void small_values_are_dear(void **state)
{
    (void)state;
    expect_refused("{},", 720000);
    expect_refused("[],", 1300000);
    expect_refused("1,", 3300000);
    expect_refused("\"\",", 1800000);
    expect_refused("[[]],", 680000);
    expect_refused("{\"\":1},", 480000);
    expect_refused("1e9,", 3300000);
}

/* What a record of tests with a hundred thousand cases has. */
static void many_values_pass(void **state)
{
    char *text = repeat("[", "{\"args\":[1,2],\"expect\":3},", 100000, "0]");
    AUTO_JSON json_t *json = NULL;
    struct base_err err;

    (void)state;
    assert_int_equal(base_json_parse(text, strlen(text), "p", &json, &err), 0);
    assert_int_equal(json_array_size(json), 100001);
    free(text);
}

static void levels(void **state)
{
    char *most = repeat("", "[", 256, ""), *more = repeat("\n\n\xc3\xa4", "[", 257, "]");
    struct base_json_bound bound;
    struct base_err err = {0};
    json_t *json = NULL;
    size_t memory;

    (void)state;
    assert_int_equal(base_json_bound(most, 256, SIZE_MAX, &bound), 0);
    assert_int_equal(bound.levels, 256);
    assert_int_equal(base_json_bound(more, strlen(more), SIZE_MAX, &bound), BASE_E_TOO_LARGE);
    assert_int_equal(bound.at, 4 + 256);
    assert_int_equal(base_json_parse(more, strlen(more), "p", &json, &err), BASE_E_TOO_LARGE);
    assert_string_equal(err.place, "p:3:258");
    assert_string_equal(err.what, "more than 256 levels of lists and objects");
    assert_int_equal(base_json_check(more, strlen(more), SIZE_MAX, "p", 7, &memory, &err), BASE_E_TOO_LARGE);
    assert_string_equal(err.place, "p:9:258");
    free(most);
    free(more);
}

/* What stands in a text is no value, and texts that are torn, or no JSON, end the count too. */
static void texts(void **state)
{
    static const char *const any[] = {"",         "\"",           "\"\\",     "\"\\\"",      "\"[[[[{{{{::::,,,,\"",
                                      "\"\\\\\"", "\"\\\"[[\\\"", "\"a\"\"b", "-",           "--1..ee",
                                      "]]]}}}",   "\"\\u0000\"",  "\0[",      "nulltruefals"};
    struct base_json_bound bound;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(any); i++) {
        assert_int_equal(base_json_bound(any[i], strlen(any[i]), 4096, &bound), 0);
        assert_int_equal(bound.levels, 0);
        assert_int_equal(bound.at, strlen(any[i]));
    }
}

/* One text of many MB is gathered, copied and grown: three times its length beside itself. */
static void long_texts(void **state)
{
    size_t count = 10 << 20;
    char *text = malloc(count);
    struct base_json_bound bound;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', count);
    text[0] = text[count - 1] = '"';
    assert_int_equal(base_json_bound(text, count, SIZE_MAX, &bound), 0);
    assert_true(bound.memory_bytes > 4 * count && bound.memory_bytes < 4 * count + 4096);
    memset(text, '9', count); /* a number is gathered and not kept */
    assert_int_equal(base_json_bound(text, count, SIZE_MAX, &bound), 0);
    assert_true(bound.memory_bytes > 3 * count && bound.memory_bytes < 3 * count + 4096);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_values_are_dear),
        cmocka_unit_test(many_values_pass),
        cmocka_unit_test(levels),
        cmocka_unit_test(texts),
        cmocka_unit_test(long_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
