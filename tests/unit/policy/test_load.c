/* test_load.c - a policy by name or from a file */
#include "../support.h"
#include "policy/policy.h"

static void by_name_or_file(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_load("if-available", &policy, &err), 0);
    assert_string_equal(policy.name, "if-available");
    support_write_text("p.yaml", "name: mine\nenvironment: {A: \"1\"}\n");
    assert_int_equal(policy_load("p.yaml", &policy, &err), 0);
    assert_string_equal(policy.name, "mine");
}

static void errors_are_the_users(void **state)
{
    struct policy policy;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_load("nothing", &policy, &err), BASE_E_NOT_FOUND);
    assert_int_equal(err.code, BASE_E_NOT_FOUND);
    assert_int_equal(policy_load("./nothing", &policy, &err), BASE_E_NOT_FOUND);
    assert_string_equal(err.place, "./nothing");
    assert_int_equal(policy_load(".", &policy, &err), BASE_E_INVALID);
    assert_int_equal(policy_load("/dev/zero", &policy, &err), BASE_E_INVALID);
    support_write_text("empty.yaml", "");
    assert_int_equal(policy_load("empty.yaml", &policy, &err), BASE_E_INVALID);
    support_write_text("bad.yaml", "a: [\n");
    assert_int_equal(policy_load("./bad.yaml", &policy, &err), BASE_E_INVALID);
    assert_string_equal(err.place, "./bad.yaml:2:1");
    support_write_text("noext", "name: x\n");
    assert_int_equal(policy_load("noext", &policy, &err), BASE_E_NOT_FOUND);
    assert_non_null(strstr(err.remedy, "./noext"));
    assert_int_equal(policy_load("defalt", &policy, &err), BASE_E_NOT_FOUND);
    assert_non_null(strstr(err.remedy, "did you mean default?"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(by_name_or_file), IN_FOLDER(errors_are_the_users)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
