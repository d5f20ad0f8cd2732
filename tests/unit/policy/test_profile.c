/* test_profile.c - sets of system calls and the profiles that come with the program */
#include "../support.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "policy/policy.h"

static bool has(const struct policy_set *set, const char *name)
{
    int index = policy_call_find(name);

    assert_true(index >= 0);
    return policy_set_has(set, (unsigned)index);
}

static const struct policy_profile *profile(const char *name)
{
    const struct policy_profile *found = NULL;
    struct base_err err = {0};

    if (policy_profile_find(name, &found, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return found;
}

static void calls_are_found_by_name(void **state)
{
    (void)state;
    assert_true(policy_call_count > 300);
    for (unsigned i = 0; i < policy_call_count; i++) {
        assert_int_equal(policy_call_find(policy_calls[i].name), i);
        assert_true(i == 0 || strcmp(policy_calls[i - 1].name, policy_calls[i].name) < 0);
    }
    assert_int_equal(policy_call_find("raed"), -1);
    assert_int_equal(policy_call_find(""), -1);
    assert_int_equal(policy_calls[policy_call_find("read")].grant, POLICY_CALL_ALLOWED);
    assert_int_equal(policy_calls[policy_call_find("socket")].grant, POLICY_CALL_IN_PART);
    assert_int_equal(policy_calls[policy_call_find("ptrace")].grant, POLICY_CALL_DENIED);
}

/* Each is right, is part of the default, can start and end a program, and says why for each of its calls. */
static void every_profile_narrows_the_default(void **state)
{
    const struct policy_set all = policy_calls_default;
    unsigned count = 0;

    (void)state;
    for (; policy_profile_name(count); count++) {
        const struct policy_profile *found = profile(policy_profile_name(count));
        struct policy_set grouped = {{0}};
        assert_string_equal(found->name, policy_profile_name(count));
        assert_true(strlen(found->text) > 20);
        assert_null(policy_set_lacks(&found->calls));
        assert_memory_not_equal(&found->calls, &all, sizeof(all));
        for (size_t g = 0; g < found->group_count; g++) {
            assert_true(strlen(found->groups[g].why) > 5);
            for (size_t i = 0; i < ARRAY_COUNT(grouped.bits); i++) {
                assert_int_equal(grouped.bits[i] & found->groups[g].calls.bits[i], 0); /* in one group only */
                grouped.bits[i] |= found->groups[g].calls.bits[i];
            }
        }
        assert_memory_equal(&grouped, &found->calls, sizeof(grouped));
        for (size_t i = 0; i < ARRAY_COUNT(all.bits); i++)
            assert_int_equal(found->calls.bits[i] & ~all.bits[i], 0);
    }
    assert_int_equal(count, 5);
}

static void strict_has_no_way_to_others(void **state)
{
    static const char *const without[] = {"clone",  "fork",         "vfork",  "socket",  "socketpair", "connect",
                                          "shmget", "msgget",       "semget", "mq_open", "pipe",       "pipe2",
                                          "kill",   "memfd_create", "unlink", "prctl",   "setuid",     "execveat"};
    const struct policy_profile *strict = profile("strict"), *python = profile("python");

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(without); i++)
        if (has(&strict->calls, without[i]))
            fail_msg("strict has %s", without[i]);
    for (size_t i = 0; i < ARRAY_COUNT(strict->calls.bits); i++)
        assert_int_equal(strict->calls.bits[i] & ~python->calls.bits[i], 0); /* which extends it */
    assert_true(has(&python->calls, "socketpair"));
    assert_false(has(&profile("native")->calls, "socketpair"));
}

static void a_runtime_has_its_profile(void **state)
{
    static const struct {
        const char *runtime, *profile;
    } rows[] = {{"python", "python"}, {"node", "node"},     {"sh", "shell"},     {"bash", "shell"},
                {"perl", "native"},   {"native", "native"}, {"cobol", "default"}};
    AUTO_POLICY struct policy policy = {0}, strict = {0};

    (void)state;
    assert_int_equal(policy_parse("syscalls: runtime\n", 18, "p", &policy, NULL), 0);
    assert_int_equal(policy_parse("syscalls: strict\n", 17, "p", &strict, NULL), 0);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct policy settled = policy_settle(&policy, rows[i].runtime);
        assert_string_equal(settled.syscalls.name, rows[i].profile);
        assert_false(settled.syscalls.by_runtime);
        assert_int_equal(settled.syscalls.narrowed, strcmp(rows[i].profile, "default") != 0);
        assert_string_equal(policy_settle(&strict, rows[i].runtime).syscalls.name, "strict");
    }
}

static void unknown_profiles(void **state)
{
    const struct policy_profile *found;

    (void)state;
    assert_int_equal(policy_profile_find("default", &found, NULL), BASE_E_NOT_FOUND);
    assert_int_equal(policy_profile_find("stric", &found, NULL), BASE_E_NOT_FOUND);
    assert_int_equal(policy_profile_find("", &found, NULL), BASE_E_NOT_FOUND);
    assert_null(policy_profile_name(5));
    assert_null(policy_profile_name(500));
}

static void declarations_are_strict(void **state)
{
#define HEAD "schema: fumehood.profile/1\nname: x\ntext: y\n"
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {"name: x\ntext: y\ngroups: []\n", "p:1:1", "schema is missing"},
        {"schema: fumehood.profile/2\nname: x\ntext: y\ngroups: []\n", "p:1:9", "schema must be"},
        {HEAD "groups: [1]\n", "p:4:10", "is a single value"},
        {HEAD "groups:\n  - why: z\n", "p:5:5", "allow is missing"},
        {HEAD "groups:\n  - why: \"\"\n    allow: [read]\n", "p:5:10", "why is empty"},
        {HEAD "groups:\n  - why: z\n    allow: [raed]\n", "p:6:13", "unknown system call \"raed\""},
        {HEAD "groups:\n  - why: z\n    allow: [ptrace]\n", "p:6:13", "ptrace is denied by the default"},
        {HEAD "groups:\n  - {why: z, allow: [read]}\n  - {why: z, allow: [read]}\n", "p:6:22", "read is listed twice"},
        {HEAD "groups: []\nruntimes: [[a]]\n", "p:5:12", "not a word"},
        {HEAD "groups: []\nmore: 1\n", "p:5:1", "unknown key \"more\""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct policy_profile parsed = {0};
        struct base_err err = {0};
        if (policy_profile_parse(rows[i].text, strlen(rows[i].text), "p", &parsed, &err) != BASE_E_INVALID ||
            strcmp(err.place, rows[i].place) != 0 || !strstr(err.what, rows[i].what))
            fail_msg("%s\n gave %s: %s", rows[i].text, err.place, err.what);
    }
#undef HEAD
}

/* As anybody can compute it: the names, one a line. */
static void the_hash_is_of_the_sorted_names(void **state)
{
    static const char text[] = "syscalls: {name: mine, allow: [read, exit_group, execve]}\n";
    static const char lines[] = "execve\nexit_group\nread\n";
    AUTO_POLICY struct policy policy = {0}, plain = {0};
    char hex[BASE_HASH_HEX], expected[BASE_HASH_HEX];

    (void)state;
    assert_int_equal(policy_parse(text, sizeof(text) - 1, "p", &policy, NULL), 0);
    policy_allowed_hash(&policy, hex);
    base_hash_bytes_hex(lines, sizeof(lines) - 1, expected);
    assert_string_equal(hex, expected);
    assert_int_equal(policy_builtin("default", &plain, NULL), 0);
    policy_allowed_hash(&plain, hex);
    assert_string_not_equal(hex, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_found_by_name),         cmocka_unit_test(every_profile_narrows_the_default),
        cmocka_unit_test(strict_has_no_way_to_others),     cmocka_unit_test(unknown_profiles),
        cmocka_unit_test(a_runtime_has_its_profile),       cmocka_unit_test(declarations_are_strict),
        cmocka_unit_test(the_hash_is_of_the_sorted_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
