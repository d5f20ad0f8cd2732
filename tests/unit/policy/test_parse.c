/* test_parse.c - policy documents, right and wrong */
#include "../support.h"
#include "base/cleanup.h"
#include "policy/policy.h"

static void accepts_yaml(void **state)
{
    static const char text[] = "schema: fumehood.policy/1\n"
                               "name: strict\n"
                               "tier: container\n"
                               "network: loopback\n"
                               "output_limit: truncate\n"
                               "denied_calls: 1000\n" /* wherever it stands */
                               "denials: fail\n"
                               "syscalls: default\n"
                               "environment:\n"
                               "  HASHSEED: 0\n"
                               "  EMPTY: \"\"\n"
                               "limits:\n"
                               "  wall_ms: 5s\n"
                               "  cpu_ms: {unlimited: \"bounded by wall_ms\"}\n"
                               "  memory_bytes_if_available: 1GiB\n"
                               "  stdout_bytes: 4096\n";
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_parse(text, sizeof(text) - 1, "p", &policy, &err), 0);
    assert_string_equal(policy.name, "strict");
    assert_int_equal(policy.network, POLICY_NETWORK_LOOPBACK);
    assert_int_equal(policy.output, POLICY_OUTPUT_TRUNCATE);
    assert_int_equal(policy.denials, POLICY_DENIALS_FAIL);
    assert_int_equal(policy_denied_calls(&policy), 1000);
    assert_int_equal(policy.env_count, 2);
    assert_string_equal(policy.env[0], "HASHSEED=0");
    assert_string_equal(policy.env[1], "EMPTY=");
    assert_int_equal(policy.limits[POLICY_LIMIT_WALL_MS].value, 5000);
    assert_string_equal(policy.limits[POLICY_LIMIT_CPU_MS].reason, "bounded by wall_ms");
    assert_true(policy.limits[POLICY_LIMIT_MEMORY_BYTES].if_available);
    assert_int_equal(policy.limits[POLICY_LIMIT_STDOUT_BYTES].value, 4096);
    assert_int_equal(policy.limits[POLICY_LIMIT_PROCESSES].value, 64); /* the default stays */
}

static void accepts_json(void **state)
{
    static const char text[] = "{\n\t\"limits\": {\"wall_ms\": 5000, \"memory_bytes\": \"64MiB\",\n"
                               "\t\t\"idle_ms\": {\"unlimited\": \"it waits \\ud83d\\ude00\"}},\n"
                               "\t\"environment\": {\"A\": \"b\\tc\"}\n}\n";
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_parse(text, sizeof(text) - 1, "p", &policy, &err), 0);
    assert_string_equal(policy.name, "unnamed");
    assert_int_equal(policy.limits[POLICY_LIMIT_WALL_MS].value, 5000);
    assert_int_equal(policy.limits[POLICY_LIMIT_MEMORY_BYTES].value, 64 << 20);
    assert_string_equal(policy.limits[POLICY_LIMIT_IDLE_MS].reason, "it waits \xf0\x9f\x98\x80");
    assert_string_equal(policy.env[0], "A=b\tc");
}

static void accepts_profiles(void **state)
{
    static const char built_in[] = "syscalls: strict\nobserve: [exec]\n";
    static const char own[] = "syscalls:\n  name: mine\n  allow: [execve, exit_group, read]\nobserve: []\n";
    AUTO_POLICY struct policy policy = {0};
    AUTO_POLICY struct policy other = {0};
    struct policy_set allowed;

    (void)state;
    assert_int_equal(policy_parse(built_in, sizeof(built_in) - 1, "p", &policy, NULL), 0);
    assert_string_equal(policy.syscalls.name, "strict");
    assert_int_equal(policy.observe, 1u << POLICY_OBSERVE_EXEC);
    allowed = policy_allowed(&policy);
    assert_true(policy_set_has(&allowed, (unsigned)policy_call_find("read")));
    assert_false(policy_set_has(&allowed, (unsigned)policy_call_find("socket")));
    assert_int_equal(policy_parse(own, sizeof(own) - 1, "p", &other, NULL), 0);
    assert_string_equal(other.syscalls.name, "mine");
    assert_int_equal(other.observe, 0);
    allowed = policy_allowed(&other);
    assert_false(policy_set_has(&allowed, (unsigned)policy_call_find("write")));
}

static const struct bad {
    const char *text;
    int code;
    const char *place, *what;
} bads[] = {
    {"", BASE_E_INVALID, "p:1:1", "the document is empty"},
    {"[]", BASE_E_INVALID, "p:1:1", "is a list"},
    {"just text\n", BASE_E_INVALID, "p:1:1", "is a single value"},
    {"limits:\n", BASE_E_INVALID, "p:1:8", "limits is empty"},
    {"name: x\nwall_ms: 5s\n", BASE_E_INVALID, "p:2:1", "the limit wall_ms stands outside limits"},
    {"limits: 5\n", BASE_E_INVALID, "p:1:9", "limits is a single value"},
    {"name: x\nartifacts: []\n", BASE_E_INVALID, "p:2:1", "unknown key \"artifacts\""},
    {"name: x\nname: y\n", BASE_E_INVALID, "p:2:1", "duplicate key \"name\""},
    {"name: \"\"\n", BASE_E_INVALID, "p:1:7", "name is empty"},
    {"name: 0123456789012345678901234567890123456789012345678901234567890123\n", BASE_E_INVALID, "p:1:7",
     "name has more than 63 bytes"},
    {"schema: fumehood.policy/2\n", BASE_E_INVALID, "p:1:9", "unknown word \"fumehood.policy/2\""},
    {"network: all\n", BASE_E_INVALID, "p:1:10", "unknown word \"all\" for network"},
    {"denials: no\n", BASE_E_INVALID, "p:1:10", "unknown word \"no\" for denials"},
    {"denied_calls: 0\n", BASE_E_INVALID, "p:1:15", "denied_calls is zero"},
    {"denied_calls: -1\n", BASE_E_INVALID, "p:1:15", "denied_calls is negative"},
    {"denied_calls: 1.5\n", BASE_E_INVALID, "p:1:15", "denied_calls has a fraction"},
    {"denied_calls: 4000001\n", BASE_E_INVALID, "p:1:15", "denied_calls is too large"},
    {"denied_calls: 18446744073709551617\n", BASE_E_INVALID, "p:1:15", "denied_calls is too large"},
    {"denied_calls: many\n", BASE_E_INVALID, "p:1:15", "denied_calls is not a number"},
    {"denied_calls:\n", BASE_E_INVALID, "p:1:14", "denied_calls is empty"},
    {"denied_calls: {unlimited: why}\n", BASE_E_INVALID, "p:1:15", "denied_calls is a map"},
    {"denied_calls: 5\ndenials: end\n", BASE_E_INVALID, "p:1:15", "denied_calls is 5, and denials: end"},
    {"limits:\n  denied_calls: 5\n", BASE_E_INVALID, "p:2:3", "unknown limit \"denied_calls\""},
    {"output_limit: END\n", BASE_E_INVALID, "p:1:15", "unknown word"},
    {"proc: all\n", BASE_E_INVALID, "p:1:7", "unknown word"},
    {"syscalls: none\n", BASE_E_INVALID, "p:1:11", "unknown word"},
    {"syscalls: [read]\n", BASE_E_INVALID, "p:1:11", "syscalls is a list"},
    {"syscalls: {name: x}\n", BASE_E_INVALID, "p:1:11", "allow is missing"},
    {"syscalls: {allow: [read, execve, exit_group]}\n", BASE_E_INVALID, "p:1:11", "name is missing"},
    {"syscalls: {name: \"\", allow: [execve, exit_group]}\n", BASE_E_INVALID, "p:1:18", "name is empty"},
    {"syscalls: {name: default, allow: [execve, exit_group]}\n", BASE_E_INVALID, "p:1:18", "default is taken"},
    {"syscalls: {name: runtime, allow: [execve, exit_group]}\n", BASE_E_INVALID, "p:1:18", "runtime is taken"},
    {"syscalls: {name: strict, allow: [execve, exit_group]}\n", BASE_E_INVALID, "p:1:18",
     "strict is taken by a built-in profile"},
    {"syscalls: {name: x, allow: [execve, raed]}\n", BASE_E_INVALID, "p:1:37", "unknown system call \"raed\""},
    {"syscalls:\n  name: x\n  allow:\n    - execve\n    - mount\n", BASE_E_INVALID, "p:5:7",
     "mount is denied by the default"},
    {"syscalls: {name: x, allow: [execve, execve]}\n", BASE_E_INVALID, "p:1:37", "execve is listed twice"},
    {"syscalls: {name: x, allow: [execve, [read]]}\n", BASE_E_INVALID, "p:1:37", "is not a name"},
    {"syscalls: {name: x, allow: [read, exit_group]}\n", BASE_E_INVALID, "p:1:28", "execve is not in the list"},
    {"syscalls: {name: x, allow: []}\n", BASE_E_INVALID, "p:1:28", "execve is not in the list"},
    {"syscalls: {name: x, allow: [execve], deny: []}\n", BASE_E_INVALID, "p:1:38", "unknown key \"deny\""},
    {"observe: files\n", BASE_E_INVALID, "p:1:10", "observe is a single value"},
    {"observe: [file]\n", BASE_E_INVALID, "p:1:11", "unknown word \"file\""},
    {"observe: [exec, files, exec]\n", BASE_E_INVALID, "p:1:24", "exec is listed twice"},
    {"observe: [{a: b}]\n", BASE_E_INVALID, "p:1:11", "is not a word"},
    {"tier: none\n", BASE_E_INVALID, "p:1:7", "unknown tier \"none\""},
    {"tier: microvm\n", BASE_E_REFUSED, "p:1:7", "tier microvm is not built in this version"},
    {"limits:\n  wall: 5\n", BASE_E_INVALID, "p:2:3", "unknown limit \"wall\""},
    {"limits:\n  wall_ms: 0\n", BASE_E_INVALID, "p:2:12", "wall_ms is zero"},
    {"limits:\n  wall_ms: -1\n", BASE_E_INVALID, "p:2:12", "wall_ms is negative"},
    {"limits:\n  wall_ms: 1d\n", BASE_E_INVALID, "p:2:12", "wall_ms has an unknown unit"},
    {"limits:\n  wall_ms:\n", BASE_E_INVALID, "p:2:11", "wall_ms is empty"},
    {"limits:\n  cpus: 5000\n", BASE_E_INVALID, "p:2:9", "cpus is too large"},
    {"limits: {memory_bytes: 8388609GiB}\n", BASE_E_INVALID, "p:1:24", "memory_bytes is too large"},
    {"limits:\n  cpu_ms: unlimited\n", BASE_E_INVALID, "p:2:11", "cpu_ms is unlimited without a reason"},
    {"limits:\n  cpu_ms: {unlimited: \"\"}\n", BASE_E_INVALID, "p:2:23", "the reason why cpu_ms is unlimited is empty"},
    {"limits:\n  cpu_ms: {unlimited: null}\n", BASE_E_INVALID, "p:2:23", "is unlimited is empty"},
    {"limits:\n  cpu_ms: {}\n", BASE_E_INVALID, "p:2:11", "unlimited is missing"},
    {"limits:\n  cpu_ms: {unlimited: why, more: 1}\n", BASE_E_INVALID, "p:2:28", "unknown key \"more\""},
    {"limits:\n  cpu_ms: [1]\n", BASE_E_INVALID, "p:2:11", "cpu_ms must be a number"},
    {"limits:\n  wall_ms: 1s\n  wall_ms_if_available: 1s\n", BASE_E_INVALID, "p:3:3", "with and without _if_available"},
    {"environment:\n  1A: x\n", BASE_E_INVALID, "p:2:3", "is not a variable's name"},
    {"environment:\n  A: [x]\n", BASE_E_INVALID, "p:2:6", "must have a single value"},
    {"environment:\n  A:\n", BASE_E_INVALID, "p:2:5", "has no value"},
    {"{\"environment\": {\"A\": null}}", BASE_E_INVALID, "p:1:23", "has no value"},
    {"{\"limits\": {\"wall_ms\": 1.5}}", BASE_E_INVALID, "p:1:24", "has a fraction"},
    {"{\"limits\": {\"wall_ms\": 1}", BASE_E_INVALID, "p:1:25", "not valid JSON"},
    {"{\"limits\": {\"wall_ms\": true}}", BASE_E_INVALID, "p:1:24", "wall_ms is not a number"},
};

static void refuses_with_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bads); i++) {
        struct policy policy;
        struct base_err err = {0};
        int r = policy_parse(bads[i].text, strlen(bads[i].text), "p", &policy, &err);

        if (r != bads[i].code || err.code != r || strcmp(err.place, bads[i].place) != 0 ||
            !strstr(err.what, bads[i].what))
            fail_msg("%s\n gave %d at %s: %s", bads[i].text, r, err.place, err.what);
    }
}

static void denied_calls_are_bounded_or_not(void **state)
{
    static const struct {
        const char *text;
        uint64_t count;
    } rows[] = {
        {"name: x\n", POLICY_NO_DENIED_CALL},
        {"denied_calls: unlimited\n", POLICY_NO_DENIED_CALL},
        {"denied_calls: 1\n", 1},
        {"denied_calls: 4000000\n", 4000000},
        {"{\"denied_calls\": 7}", 7},
        {"denials: end\n", 1},
        {"denied_calls: 1\ndenials: end\n", 1},
        {"denied_calls: unlimited\ndenials: end\n", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        AUTO_POLICY struct policy policy = {0};

        assert_int_equal(policy_parse(rows[i].text, strlen(rows[i].text), "p", &policy, NULL), 0);
        assert_int_equal(policy_denied_calls(&policy), rows[i].count);
    }
}

static void unknown_key_lists_the_known(void **state)
{
    struct policy policy;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(policy_parse("broker: x\n", 10, "p", &policy, &err), BASE_E_INVALID);
    assert_non_null(strstr(err.remedy, "output_limit, limits, environment"));
}

static void values_and_words_have_remedies(void **state)
{
    static const struct {
        const char *text, *remedy;
    } rows[] = {
        {"limits:\n  wall_ms: 5 sec\n", "with ms, s, m or h after it; no limit: {unlimited: \"why\"}"},
        {"limits:\n  memory_bytes: 5 mb\n", "KiB, MiB, GiB or TiB after it"},
        {"limits:\n  wall: 5\n", "did you mean wall_ms?"},
        {"limits:\n  cpus: 0.5\n", "a whole number from 1; no limit: {unlimited: \"why\"}"},
        {"limits:\n  cpus: 5000\n", "at most 4096;"},
        {"limits:\n  processes: 5000000\n", "at most 4000000;"},
        {"syscalls: {name: x, allow: [lseak]}\n", "did you mean lseek? fumehood policy explain --syscalls"},
        {"syscalls: {name: python, allow: [execve, exit_group]}\n", "a name of its own, or write syscalls: python"},
        {"syscalls: strct\n", "did you mean strict? one of default, runtime, strict, native, python, node, shell"},
        {"syscalls: {name: x, allow: [ptrace]}\n", "only narrows the default"},
        {"limits:\n  wal_ms: 5\n", "did you mean wall_ms? one of wall_ms, cpu_ms"},
        {"limits:\n  wal_ms_if_available: 5\n", "did you mean wall_ms? "},
        {"limits:\n  gpu: 5\n", "one of wall_ms"},
        {"denials: fails\n", "did you mean fail? one of record, fail, end"},
        {"denied_calls: no\n", "a whole number from 1; no limit: unlimited"},
        {"denied_calls: 4000001\n", "at most 4000000; no limit: unlimited"},
        {"denied_calls: 2\ndenials: end\n", "leave one of the two out"},
        {"limits:\n  cpus:2\n", "with a blank after the colon"},
        {"wall_ms: 5\n", "put it below limits:"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct policy policy;
        struct base_err err = {0};

        assert_int_equal(policy_parse(rows[i].text, strlen(rows[i].text), "p", &policy, &err), BASE_E_INVALID);
        if (!strstr(err.remedy, rows[i].remedy))
            fail_msg("%s: \"%s\" is not in \"%s\"", rows[i].text, rows[i].remedy, err.remedy);
        assert_int_equal(policy_parse(rows[i].text, strlen(rows[i].text), "p", &policy, NULL), BASE_E_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_yaml),
        cmocka_unit_test(accepts_json),
        cmocka_unit_test(accepts_profiles),
        cmocka_unit_test(refuses_with_the_place),
        cmocka_unit_test(denied_calls_are_bounded_or_not),
        cmocka_unit_test(unknown_key_lists_the_known),
        cmocka_unit_test(values_and_words_have_remedies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
