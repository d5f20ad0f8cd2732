/* test_builtin.c - the policies that need no file, and their words */
#include "../support.h"
#include "policy/policy.h"

static void default_is_what_the_product_promises(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    assert_string_equal(policy.name, "default");
    assert_string_equal(policy_tier_name(policy.tier), "container");
    assert_string_equal(policy_network_name(policy.network), "none");
    assert_string_equal(policy_output_name(policy.output), "end");
    assert_string_equal(policy_denials_name(policy.denials), "record");
    assert_int_equal(policy.limits[POLICY_LIMIT_WALL_MS].value, 10000);
    assert_int_equal(policy.limits[POLICY_LIMIT_MEMORY_BYTES].value, 512 << 20);
    assert_int_equal(policy.limits[POLICY_LIMIT_SCRATCH_BYTES].value, 64 << 20);
    assert_int_equal(policy.limits[POLICY_LIMIT_PROCESSES].value, 64);
    assert_int_equal(policy.limits[POLICY_LIMIT_OPEN_FILES].value, 256);
    assert_int_equal(policy.limits[POLICY_LIMIT_STDOUT_BYTES].value, 1 << 20);
    assert_int_equal(policy.limits[POLICY_LIMIT_CPUS].value, 1);
    assert_true(policy.limits[POLICY_LIMIT_CPU_MS].unlimited);
    assert_string_equal(policy.limits[POLICY_LIMIT_CPU_MS].reason, "bounded by wall_ms and cpus");
    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        assert_false(policy.limits[key].if_available);
}

static void if_available_differs_only_in_tolerance(void **state)
{
    AUTO_POLICY struct policy strict = {0}, lenient = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &strict, &err), 0);
    assert_int_equal(policy_builtin("if-available", &lenient, &err), 0);
    assert_true(lenient.limits[POLICY_LIMIT_MEMORY_BYTES].if_available);
    assert_true(lenient.limits[POLICY_LIMIT_PROCESSES].if_available);
    assert_true(lenient.limits[POLICY_LIMIT_CPUS].if_available);
    assert_false(lenient.limits[POLICY_LIMIT_WALL_MS].if_available);
    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        assert_int_equal(lenient.limits[key].value, strict.limits[key].value);
}

static void other_names_are_unknown(void **state)
{
    struct policy policy;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("lenient", &policy, &err), BASE_E_NOT_FOUND);
    assert_non_null(strstr(err.remedy, "if-available"));
}

static void only_one_tier_is_built(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    assert_int_equal(policy_set_tier(&policy, "container", &err), 0);
    for (int tier = 0; tier < POLICY_TIER_MAX; tier++)
        if (tier != POLICY_TIER_CONTAINER)
            assert_int_equal(policy_set_tier(&policy, policy_tier_name((enum policy_tier)tier), &err), BASE_E_REFUSED);
    assert_int_equal(policy_set_tier(&policy, "none", &err), BASE_E_USAGE);
    assert_int_equal(policy.tier, POLICY_TIER_CONTAINER);
    assert_null(policy_tier_name(POLICY_TIER_MAX));
    assert_null(policy_denials_name(POLICY_DENIALS_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_is_what_the_product_promises),
        cmocka_unit_test(if_available_differs_only_in_tolerance),
        cmocka_unit_test(other_names_are_unknown),
        cmocka_unit_test(only_one_tier_is_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
