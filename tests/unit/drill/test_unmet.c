/* test_unmet.c - what a machine lacks for an attack to show anything */
#include "../support.h"
#include "base/cleanup.h"
#include "cage/cage.h"
#include "drill/attack.h"

#define HEAD "group: kernel\nwhat: w\ncontrol: bare\n"

static const struct cage_host with_groups = {
    .has_own_ids = true,
    .landlock_abi = 1,
    .hard_open_files = UINT64_MAX,
    .hard_file_bytes = UINT64_MAX,
    .hard_processes = UINT64_MAX,
    .hard_cpu_s = UINT64_MAX,
    .hard_address_space = UINT64_MAX,
    .hard_data_bytes = UINT64_MAX,
    .hard_stack_bytes = UINT64_MAX,
    .soft_processes = UINT64_MAX,
    .manager = CAGE_MANAGER_V1,
    .controllers = {true, true, true, true},
};
static const struct cage_host without_groups = {
    .landlock_abi = 1,
    .hard_open_files = UINT64_MAX,
    .hard_file_bytes = UINT64_MAX,
    .hard_processes = UINT64_MAX,
    .hard_cpu_s = UINT64_MAX,
    .hard_address_space = UINT64_MAX,
    .hard_data_bytes = UINT64_MAX,
    .hard_stack_bytes = UINT64_MAX,
    .soft_processes = UINT64_MAX,
    .cgroup_why = "no group",
};

static const struct {
    const char *text;
    const char *why; /* on the host without groups; NULL: nothing is lacking */
} rows[] = {
    {HEAD "proves: [pid_ns]\n", NULL},
    {HEAD "proves: [cgroup]\n", "cgroup cannot be had here: no group"},
    {HEAD "proves: [cgroup, memory_bytes, cpu_ms, idle_ms, cpus]\n", "cannot be had here: no group"},
    {HEAD "proves: [cgroup, pid_ns]\n", NULL},
    {HEAD "proves: [processes]\n", NULL},
    {HEAD "proves: [pid_ns]\nlimits: {memory_bytes: 64MiB}\n", "memory_bytes cannot be enforced here: no group"},
    {HEAD "proves: [pid_ns]\nlimits: {memory_bytes_if_available: 64MiB}\n", NULL},
    {HEAD "proves: [pid_ns]\nlimits: {memory_bytes: 64MiB}\nexpect: {ending: refused}\n", NULL},
    {HEAD "proves: [processes]\nexpect: {hits: [processes]}\n", "nobody counts processes here: no group"},
    {HEAD "proves: [pid_ns]\nexpect: {hits: [scratch_bytes]}\n", NULL},
    {HEAD "proves: [pid_ns]\nexpect: {ending: limit memory}\n", "the ending limit memory needs a control group"},
    {HEAD "proves: [pid_ns]\nexpect: {ending: [limit memory, exited 0]}\n", NULL},
    {HEAD "proves: [pid_ns]\nexpect: {ending: limit wall}\n", NULL},
    {HEAD "residual: known\n", NULL},
};

static void look(const char *text, const struct cage_host *host, const char *wanted)
{
    AUTO_POLICY struct policy base = {0};
    CLEANUP(drill_attack_release) struct drill_attack attack = {.name = NULL};
    struct base_err err = {0};
    char why[400];

    assert_int_equal(policy_builtin(host->manager ? "default" : "if-available", &base, NULL), 0);
    if (drill_expect_parse(text, strlen(text), "p", &base, &attack.expect, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    drill_attack_unmet(&attack, host, why, sizeof(why));
    if (!strstr(why, wanted ? wanted : "") || (!wanted && *why))
        fail_msg("%s gave \"%s\"", text, why);
}

static void without_control_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        look(rows[i].text, &without_groups, rows[i].why);
}

static void with_control_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        look(rows[i].text, &with_groups, NULL);
}

static void what_a_control_needs(void **state)
{
    static char root[] = "root", shell[] = "sh", none[] = "no-such-program";
    struct drill_attack attack = {.name = NULL};
    char why[300];

    (void)state;
    drill_control_unmet(&attack, why, sizeof(why));
    assert_string_equal(why, "");
    attack.expect.control_needs = shell;
    drill_control_unmet(&attack, why, sizeof(why));
    assert_string_equal(why, "");
    attack.expect.control_needs = none;
    drill_control_unmet(&attack, why, sizeof(why));
    assert_string_equal(why, "its control needs no-such-program");
    attack.expect.control_needs = root;
    drill_control_unmet(&attack, why, sizeof(why));
    assert_string_equal(why, geteuid() == 0 ? "" : "its control needs root");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_control_groups),
        cmocka_unit_test(with_control_groups),
        cmocka_unit_test(what_a_control_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
