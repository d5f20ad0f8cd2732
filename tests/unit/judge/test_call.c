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
    char *text = write_case("python", "[1, {\"a\": [9007199254740993]}]");

    (void)state;
    assert_string_equal(
        text,
        "{\"answer\":\"input\",\"args\":[1,{\"a\":[9007199254740993]}],\"entry_point\":\"solution\",\"nonce\":\"n0\""
        "}");
    free(text);
    text = write_case("node",
                      "[1, {\"a\": [9007199254740993, -9007199254740992, 9007199254740991, true, null, 0.5, \"x\"]}]");
    assert_string_equal(text, "{\"answer\":\"input\",\"args\":[1,{\"a\":[{\"\\u0001int\":\"9007199254740993\"},{"
                              "\"\\u0001int\":\"-9007199254740992\"},"
                              "9007199254740991,true,null,0.5,\"x\"]}],\"entry_point\":\"solution\",\"nonce\":\"n0\""
                              "}");
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
