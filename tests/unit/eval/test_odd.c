/* test_odd.c - JSON as Python writes it */
#include "../support.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "eval/odd.h"

static json_t *parse(const char *text, size_t count)
{
    AUTO_BUF struct base_buf spelled = {0};
    int r = eval_odd_spell(text, count, &spelled);

    assert_true(r >= 0);
    return json_loadb(r ? spelled.bytes : text, r ? spelled.count : count, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
                      NULL);
}

/* The string "s" of the object comes as these bytes. */
static void expect_bytes(const char *text, const char *wanted, size_t wanted_count)
{
    AUTO_JSON json_t *json = parse(text, strlen(text));
    AUTO_BUF struct base_buf bytes = {0};
    const json_t *s = json_object_get(json, "s");

    assert_true(json_is_string(s));
    assert_int_equal(eval_odd_bytes(json_string_value(s), json_string_length(s), &bytes), 0);
    assert_int_equal(bytes.count, wanted_count);
    assert_memory_equal(bytes.bytes, wanted, wanted_count);
}

#define BYTES(text, wanted) expect_bytes(text, wanted, sizeof(wanted) - 1)

static void strings(void **state)
{
    (void)state;
    BYTES("{\"s\":\"a\\ud83d!\"}", "a\xed\xa0\xbd!");
    BYTES("{\"s\":\"\\udc00\\ud83d\"}", "\xed\xb0\x80\xed\xa0\xbd");
    BYTES("{\"s\":\"\\uD83D\\uDE00\\ud83d\"}", "\xf0\x9f\x98\x80\xed\xa0\xbd");
    BYTES("{\"s\":\"\\\\ud83d\\ud83d\"}", "\\ud83d\xed\xa0\xbd");
    BYTES("{\"s\":\"\xff\xc3\xa9\xc3\"}", "\xff\xc3\xa9\xc3");
    BYTES("{\"s\":\"\xed\xa0\xbd\"}", "\xed\xa0\xbd");
    BYTES("{\"s\":\"\xef\xb7\x90"
          "d83d\\ufdd0\\ud83d\"}",
          "\xef\xb7\x90"
          "d83d\xef\xb7\x90\xed\xa0\xbd");
    BYTES("{\"s\":\"\xef\xb7\x90real\"}", "\xef\xb7\x90real");
    BYTES("{\"s\":\"\\u0000\xff\"}", "\0\xff");
}

static void what_is_plain_stays(void **state)
{
    static const char *const texts[] = {
        "{\"s\":\"\\ud83d\\ude00 NaN \xc3\xa9\"}", "[1e5,-1E+3,1.5]", "\"\\", "\"\\u12", "{", "Nanny", "1e5x"};
    AUTO_BUF struct base_buf spelled = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        assert_int_equal(eval_odd_spell(texts[i], strlen(texts[i]), &spelled), 0);
    assert_int_equal(spelled.count, 0);
}

static void what_is_odd_is_said_by_key(void **state)
{
    static const char text[] =
        "{\"a\":[1,{\"x\":NaN}],\"b\":-Infinity,\"c\":1e999,\"d\":\"\\ud800\",\"e\":\"\xff\",\"f\":"
        "\"\\ufdd0\",\"g\":1e300}";
    AUTO_JSON json_t *json = parse(text, strlen(text)), *odd = NULL;

    (void)state;
    assert_non_null(json);
    assert_int_equal(eval_odd_settle(json, &odd), 0);
    assert_int_equal(json_object_size(odd), 5);
    assert_string_equal(json_string_value(json_object_get(odd, "a")), "a number that is not finite");
    assert_string_equal(json_string_value(json_object_get(odd, "c")), "a number that is not finite");
    assert_string_equal(json_string_value(json_object_get(odd, "d")), "half of a surrogate pair");
    assert_string_equal(json_string_value(json_object_get(odd, "e")), "bytes that are not UTF-8");
    assert_string_equal(json_string_value(json_object_get(json, "f")), "\xef\xb7\x90");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),
        cmocka_unit_test(what_is_plain_stays),
        cmocka_unit_test(what_is_odd_is_said_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
