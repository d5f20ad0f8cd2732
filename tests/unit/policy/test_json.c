/* test_json.c - the canonical form and the hash of a policy */
#include "../support.h"
#include "base/json.h"
#include "policy/policy.h"

static void check_round_trip(const struct policy *policy)
{
    AUTO_JSON json_t *json = policy_json(policy);
    AUTO_BUF struct base_buf text = {0};
    AUTO_POLICY struct policy again = {0};
    char first[BASE_HASH_HEX], second[BASE_HASH_HEX];
    struct base_err err = {0};

    assert_non_null(json);
    assert_int_equal(base_json_canonical(json, &text), 0);
    if (policy_parse(text.bytes, text.count, "again", &again, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    assert_int_equal(policy_hash(policy, first, &err), 0);
    assert_int_equal(policy_hash(&again, second, &err), 0);
    assert_string_equal(first, second);
}

static void builtin_policies_round_trip(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    check_round_trip(&policy);
    assert_int_equal(policy_builtin("if-available", &policy, &err), 0);
    check_round_trip(&policy);
}

static void changed_policies_round_trip(void **state)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    policy.network = POLICY_NETWORK_LOOPBACK;
    policy.output = POLICY_OUTPUT_TRUNCATE;
    policy.denials = POLICY_DENIALS_END;
    (void)snprintf(policy.name, sizeof(policy.name), "%s", "a \"name\"\twith \xf0\x9f\x98\x80");
    assert_int_equal(policy_set_limit(&policy, "wall_ms=unlimited", &err), 0);
    assert_int_equal(policy_set_limit(&policy, "cpus_if_available=unlimited", &err), 0);
    assert_int_equal(policy_set_limit(&policy, "memory_bytes=9007199254740992", &err), 0);
    check_round_trip(&policy);
    policy.denials = POLICY_DENIALS_FAIL;
    policy.denied_calls = 4000000;
    assert_int_equal(policy_add_env(&policy, "EMPTY=", &err), 0);
    assert_int_equal(policy_add_env(&policy, "NULLISH=null", &err), 0);
    assert_int_equal(policy_add_env(&policy, "LINES=a\nb\x01 \x7f\\\"", &err), 0);
    check_round_trip(&policy);
}

static void every_word_is_in_the_hash(void **state)
{
    static const char *const texts[] = {
        "name: x\n",
        "name: x\nsyscalls: strict\n",
        "name: x\nsyscalls: native\n",
        "name: x\nsyscalls: runtime\n",
        "name: x\nsyscalls: {name: Strict, allow: [execve, exit_group]}\n",
        "name: x\nsyscalls: {name: other, allow: [execve, exit_group]}\n",
        "name: x\nobserve: [files]\n",
        "name: x\nobserve: [exec]\n",
        "name: x\nobserve: [files, exec]\n",
        "name: x\ndenied_calls: 1\n",
        "name: x\ndenied_calls: 2\n",
        "name: x\ndenials: end\n",
    };
    char hex[ARRAY_COUNT(texts)][BASE_HASH_HEX];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        AUTO_POLICY struct policy policy = {0};
        assert_int_equal(policy_parse(texts[i], strlen(texts[i]), "p", &policy, NULL), 0);
        check_round_trip(&policy);
        assert_int_equal(policy_hash(&policy, hex[i], NULL), 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(hex[i], hex[j]);
    }
}

static void hash_sees_every_clause(void **state)
{
    static const char *const changes[] = {"wall_ms=1", "wall_ms=2", "wall_ms_if_available=2", "wall_ms=unlimited"};
    AUTO_POLICY struct policy policy = {0};
    char hex[BASE_HASH_HEX], last[BASE_HASH_HEX] = "";
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_builtin("default", &policy, &err), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(policy_set_limit(&policy, changes[i], &err), 0);
        assert_int_equal(policy_hash(&policy, hex, &err), 0);
        assert_string_not_equal(hex, last);
        memcpy(last, hex, sizeof(last));
    }
    assert_int_equal(policy_add_env(&policy, "A=1", &err), 0);
    assert_int_equal(policy_hash(&policy, hex, &err), 0);
    assert_string_not_equal(hex, last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_policies_round_trip),
        cmocka_unit_test(changed_policies_round_trip),
        cmocka_unit_test(every_word_is_in_the_hash),
        cmocka_unit_test(hash_sees_every_clause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
