/* test_limit.c - the table of limits and --limit */
#include "../support.h"
#include "base/cleanup.h"
#include "policy/policy.h"

static void names_follow_the_contract(void **state)
{
    static const char *const wanted[] = {
        "wall_ms",     "cpu_ms",       "idle_ms",      "memory_bytes",  "stack_bytes",
        "processes",   "open_files",   "file_bytes",   "scratch_bytes", "scratch_inodes",
        "stdin_bytes", "stdout_bytes", "stderr_bytes", "value_bytes",   "cpus",
    };

    (void)state;
    assert_int_equal(ARRAY_COUNT(wanted), POLICY_LIMIT_MAX);
    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        assert_string_equal(policy_limit_name((enum policy_limit_key)key), wanted[key]);
        assert_non_null(policy_limit_text((enum policy_limit_key)key));
    }
    assert_null(policy_limit_name(POLICY_LIMIT_MAX));
    assert_int_equal(policy_limit_unit(POLICY_LIMIT_IDLE_MS), BASE_UNIT_MS);
}

static void command_line_sets_a_limit(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    assert_int_equal(policy_set_limit(&policy, "memory_bytes_if_available=1GiB", &err), 0);
    assert_int_equal(policy.limits[POLICY_LIMIT_MEMORY_BYTES].value, 1073741824);
    assert_true(policy.limits[POLICY_LIMIT_MEMORY_BYTES].if_available);
    assert_int_equal(policy_set_limit(&policy, "memory_bytes=2GiB", &err), 0);
    assert_false(policy.limits[POLICY_LIMIT_MEMORY_BYTES].if_available);
    assert_int_equal(policy_set_limit(&policy, "wall_ms=unlimited", &err), 0);
    assert_true(policy.limits[POLICY_LIMIT_WALL_MS].unlimited);
    assert_string_equal(policy.limits[POLICY_LIMIT_WALL_MS].reason, "command line");
    assert_int_equal(policy_set_limit(&policy, "wall_ms=2s", &err), 0);
    assert_false(policy.limits[POLICY_LIMIT_WALL_MS].unlimited);
    assert_string_equal(policy.limits[POLICY_LIMIT_WALL_MS].reason, "");
}

static void wrong_assignments_are_usage_errors(void **state)
{
    static const struct {
        const char *text, *what;
    } bads[] = {
        {"wall_ms", "a limit is given as KEY=VALUE"},
        {"=5", "a limit is given as KEY=VALUE"},
        {"wall_ms=", "wall_ms is empty"},
        {"wall_ms=0", "wall_ms is zero"},
        {"wall_ms=-5", "wall_ms is negative"},
        {"cpus=4097", "cpus is too large"},
        {"open_files=1048577", "open_files is too large"},
        {"memory_bytes=99999999999999999999", "memory_bytes is too large"},
        {"memory_bytes=5x", "memory_bytes has an unknown unit"},
        {"memory=512", "memory has no unit"},
        {"wall=never", "wall is not a number"},
        {"walls=5", "walls is not a limit"},
        {"wall_ms_if=5", "wall_ms_if is not a limit"},
        {"WALL_MS=5", "WALL_MS is not a limit"},
        {"wall_ms_if_available_if_available=5", "wall_ms_if_available_if_available is not a limit"},
    };
    AUTO_POLICY struct policy policy = {0};
    char before[BASE_HASH_HEX], after[BASE_HASH_HEX];
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    assert_int_equal(policy_hash(&policy, before, &err), 0);
    for (size_t i = 0; i < ARRAY_COUNT(bads); i++) {
        assert_int_equal(policy_set_limit(&policy, bads[i].text, &err), BASE_E_USAGE);
        assert_string_equal(err.what, bads[i].what);
    }
    assert_int_equal(policy_hash(&policy, after, &err), 0);
    assert_string_equal(before, after);
}

static void what_people_call_them(void **state)
{
    static const struct {
        const char *text;
        enum policy_limit_key key;
        uint64_t value;
        bool if_available;
    } goods[] = {
        {"wall=5", POLICY_LIMIT_WALL_MS, 5000, false},
        {"timeout=0.5", POLICY_LIMIT_WALL_MS, 500, false},
        {"wall=250ms", POLICY_LIMIT_WALL_MS, 250, false},
        {"wall_ms=250", POLICY_LIMIT_WALL_MS, 250, false}, /* the key has the unit */
        {"wall_if_available=5", POLICY_LIMIT_WALL_MS, 5000, true},
        {"memory=1g", POLICY_LIMIT_MEMORY_BYTES, 1u << 30, false},
        {"mem=134217728", POLICY_LIMIT_MEMORY_BYTES, 1u << 27, false},
        {"pids=7", POLICY_LIMIT_PROCESSES, 7, false},
        {"disk=1M", POLICY_LIMIT_SCRATCH_BYTES, 1u << 20, false},
        {"cpu=2s", POLICY_LIMIT_CPU_MS, 2000, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
        AUTO_POLICY struct policy policy = {0};
        struct base_err err = {0};

        assert_int_equal(policy_builtin("default", &policy, &err), 0);
        assert_int_equal(policy_set_limit(&policy, goods[i].text, &err), 0);
        assert_int_equal(policy.limits[goods[i].key].value, goods[i].value);
        assert_int_equal(policy.limits[goods[i].key].if_available, goods[i].if_available);
    }
}

static void each_once_whatever_its_name(void **state)
{
    static const char *const limits[] = {"wall=1s", "wall_ms_if_available=2s"};
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    assert_int_equal(policy_set_limits(&policy, limits, 2, "me", &err), BASE_E_USAGE);
    assert_string_equal(err.what, "wall_ms is given twice");
}

static void each_once(void **state)
{
    static const char *const limits[] = {"wall_ms=1s", "processes=3", "wall_ms_if_available=2s"},
                             *const variables[] = {"A=1", "AA=1", "A=2"}, *const free_of[] = {"cpu_ms=unlimited"};
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_set_limits(&policy, limits, 2, "me", &err), 0);
    assert_int_equal(policy_set_limits(&policy, limits, 3, "me", &err), BASE_E_USAGE);
    assert_string_equal(err.what, "wall_ms is given twice");
    assert_int_equal(policy_add_envs(&policy, variables, 2, &err), 0);
    assert_int_equal(policy_add_envs(&policy, variables, 3, &err), BASE_E_USAGE);
    assert_string_equal(err.place, "--env");
    assert_int_equal(policy_set_limits(&policy, free_of, 1, "me", &err), 0);
    assert_string_equal(policy.limits[POLICY_LIMIT_CPU_MS].reason, "me");
    assert_int_equal(policy_set_limits(&policy, NULL, 0, "me", &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_the_contract),
        cmocka_unit_test(command_line_sets_a_limit),
        cmocka_unit_test(wrong_assignments_are_usage_errors),
        cmocka_unit_test(each_once),
        cmocka_unit_test(what_people_call_them),
        cmocka_unit_test(each_once_whatever_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
