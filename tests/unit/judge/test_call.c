/* test_call.c - what a driver is given */
#include "../support.h"
#include "base/json.h"
#include "judge/judge.h"

static char *write_case(const char *runtime, const char *args_text)
{
    const struct judge_driver *driver = judge_driver_find(runtime);
    AUTO_JSON json_t *args = NULL;
    struct base_buf buf = {0};
    struct base_err err;

    assert_int_equal(judge_value_parse(args_text, strlen(args_text), "t", 1, &args, &err), 0);
    const struct judge_call call = {"solution", args, true};
    assert_int_equal(judge_call_write(&call, driver, "n0", &buf, &err), 0);
    return buf.bytes;
}

static void drivers(void **state)
{
    const struct judge_driver *python = judge_driver_find("python"), *node = judge_driver_find("node");

    (void)state;
    assert_non_null(python);
    assert_non_null(node);
    assert_true(python->count > 1000 && node->count > 1000);
    assert_string_equal(python->candidate, "candidate.py");
    assert_null(judge_driver_find("sh"));
    assert_null(judge_driver_find(""));
}

static void cases(void **state)
{
    char *text = write_case("python", "[1, {\"b\": [9007199254740993], \"a\": 0.1}]");

    (void)state;
    assert_string_equal(text, "{\"nonce\":\"n0\",\"entry_point\":\"solution\",\"answer\":\"input\",\"args\":"
                              "[1,{\"b\":[9007199254740993],\"a\":0.1}]}");
    free(text);
    text = write_case("python", "[{\"\\u0001int\": \"5\", \"b\": 12345678901234567890}, 1.0, 1e300]");
    assert_non_null(strstr(text, "[{\"\\u0001int\":\"5\",\"b\":12345678901234567890},1.0,1e+300]"));
    free(text);
    text = write_case("node",
                      "[1, {\"b\": [9007199254740993, -9007199254740992, 9007199254740991, true, null, 0.5, \"x\\n\"],"
                      "\"a\": {\"i\": \"1\"}}, 12345678901234567890]");
    assert_non_null(
        strstr(text, "[1,{\"d\":{\"b\":[{\"i\":\"9007199254740993\"},{\"i\":\"-9007199254740992\"},9007199254740991,"
                     "true,null,0.5,\"x\\n\"],\"a\":{\"d\":{\"i\":\"1\"}}}},{\"i\":\"12345678901234567890\"}]"));
    free(text);
}

static void names(void **state)
{
    (void)state;
    assert_true(judge_name_ok("solution") && judge_name_ok("_a1"));
    assert_false(judge_name_ok("") || judge_name_ok("1a") || judge_name_ok("a.b") || judge_name_ok("a()") ||
                 judge_name_ok("\xc3\xa4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drivers), cmocka_unit_test(cases), cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
