/* test_yaml.c - tests of src/front/cli/yaml.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "front/cli/yaml.h"
#include "policy/policy.h"
#include <cmocka.h>
#include <string.h>

static void values_have_one_form(void **state)
{
    static const char json[] =
        "{\"a\": 1, \"b\": {\"c\": \"word\", \"d e\": \"two words\", \"f\": {}}, \"g\": [1, \"no\", "
        "[true]], \"h\": \"\\u001b\\n\", \"i\": \"\", \"j\": \"-x\", "
        "\"k\": [\"10s\", \"512MiB\", \"1e3\", \"012\"]}";
    static const char yaml[] = "a: 1\nb:\n  c: word\n  \"d e\": \"two words\"\n  f: {}\ng:\n  - 1\n  - \"no\"\n  -\n"
                               "    - true\nh: \"\\u001B\\n\"\ni: \"\"\nj: \"-x\"\n"
                               "k:\n  - 10s\n  - 512MiB\n  - \"1e3\"\n  - \"012\"\n";
    json_t *value = json_loads(json, 0, NULL);
    struct base_buf text = {0};

    (void)state;
    assert_non_null(value);
    assert_int_equal(cli_yaml_append(&text, value), 0);
    assert_string_equal(text.bytes, yaml);
    base_buf_release(&text);
    json_decref(value);
}

/* What policy show prints is a policy again, the same one. */
static void a_policy_reads_back(void **state)
{
    struct policy policy, again;
    struct base_buf text = {0};
    struct base_err err;
    char hash[BASE_HASH_HEX], hash_again[BASE_HASH_HEX];
    json_t *json;

    (void)state;
    assert_int_equal(policy_builtin("if-available", &policy, &err), 0);
    assert_int_equal(policy_add_env(&policy, "A=no", &err), 0);
    assert_int_equal(policy_add_env(&policy, "B=a \"b\" \\ \x1b[0m # c: d", &err), 0);
    assert_int_equal(policy_add_env(&policy, "C=", &err), 0);
    json = policy_json(&policy);
    assert_non_null(json);
    assert_int_equal(cli_yaml_append(&text, json), 0);
    if (policy_parse(text.bytes, text.count, "again", &again, &err) < 0)
        fail_msg("%s: %s\n%s", err.place, err.what, text.bytes);
    assert_int_equal(policy_hash(&policy, hash, &err), 0);
    assert_int_equal(policy_hash(&again, hash_again, &err), 0);
    assert_string_equal(hash, hash_again);
    base_buf_release(&text);
    json_decref(json);
    policy_release(&policy);
    policy_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_one_form),
        cmocka_unit_test(a_policy_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
