/* test_env.c - variables that a policy adds */
#include "../support.h"
#include "base/cleanup.h"
#include "policy/policy.h"

static void adds_in_order(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_add_env(&policy, "A=1", &err), 0);
    assert_int_equal(policy_add_env(&policy, "_b9=x=y", &err), 0);
    assert_int_equal(policy_add_env(&policy, "AA=", &err), 0);
    assert_int_equal(policy_add_env(&policy, "LD_PRELOAD=/x.so", &err), 0);
    assert_int_equal(policy.env_count, 4);
    assert_string_equal(policy.env[1], "_b9=x=y");
    assert_string_equal(policy.env[2], "AA=");
}

static void refuses_what_is_no_variable(void **state)
{
    static const char *const bads[] = {"A", "=1", "1A=1", "A-B=1", " A=1", "A =1", "\xc3\xa9=1", "A=\xff"};
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_add_env(&policy, "X=1", &err), 0);
    for (size_t i = 0; i < ARRAY_COUNT(bads); i++)
        assert_int_equal(policy_add_env(&policy, bads[i], &err), BASE_E_USAGE);
    assert_int_equal(policy.env_count, 1);
}

static void replaces_what_is_there(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_add_env(&policy, "A=1", &err), 0);
    assert_int_equal(policy_add_env(&policy, "B=2", &err), 0);
    assert_int_equal(policy_add_env(&policy, "A=new", &err), 0);
    assert_int_equal(policy.env_count, 2);
    assert_string_equal(policy.env[0], "A=new");
}

static void bounds_number_and_length(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    char *big = malloc(40000), name[32];
    struct base_err err = {0};

    (void)state;
    assert_non_null(big);
    memset(big, 'x', 39999);
    big[1] = '=';
    big[39999] = '\0';
    assert_int_equal(policy_add_env(&policy, big, &err), BASE_E_USAGE);
    free(big);
    for (int i = 0; i < POLICY_ENV_MAX; i++) {
        (void)snprintf(name, sizeof(name), "V%d=1", i);
        assert_int_equal(policy_add_env(&policy, name, &err), 0);
    }
    assert_int_equal(policy_add_env(&policy, "MORE=1", &err), BASE_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_in_order),
        cmocka_unit_test(refuses_what_is_no_variable),
        cmocka_unit_test(replaces_what_is_there),
        cmocka_unit_test(bounds_number_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
