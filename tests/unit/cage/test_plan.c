/* test_plan.c - tests of src/cage/plan.c: who enforces which limit on which machine */
#include "../support.h"
#include "cage/cage.h"

#define ALL_STEPS ((UINT64_C(1) << CAGE_STEP_MAX) - 1)

static struct cage_host bare(void)
{
    return (struct cage_host){.landlock_abi = 5,
                              .hard_open_files = UINT64_MAX,
                              .hard_file_bytes = UINT64_MAX,
                              .hard_processes = UINT64_MAX,
                              .hard_cpu_s = UINT64_MAX,
                              .hard_address_space = UINT64_MAX,
                              .hard_data_bytes = UINT64_MAX,
                              .hard_stack_bytes = UINT64_MAX,
                              .soft_processes = UINT64_MAX,
                              .cgroup_why = "no control group is writable here"};
}

static struct cage_host grouped(enum cage_manager manager)
{
    struct cage_host host = bare();

    host.manager = manager;
    host.cgroup_why[0] = 0;
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        host.controllers[c] = true;
    return host;
}

static struct policy policy_of(const char *name)
{
    struct policy policy;

    assert_int_equal(policy_builtin(name, &policy, NULL), 0);
    return policy;
}

static void set(struct policy *policy, const char *assignment)
{
    struct base_err err = {0};

    if (policy_set_limit(policy, assignment, &err) < 0)
        fail_msg("%s: %s", assignment, err.what);
}

static struct cage_plan planned(const struct policy *policy, const struct cage_host *host)
{
    struct cage_plan plan;
    struct base_err err = {0};

    if (cage_plan_make(policy, host, &plan, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return plan;
}

static void expect_enforcers(const struct cage_plan *plan, const char *const words[POLICY_LIMIT_MAX])
{
    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        if (strcmp(plan->limits[key].enforced_by, words[key]) != 0)
            fail_msg("%s is enforced by %s, expected %s", policy_limit_name((enum policy_limit_key)key),
                     plan->limits[key].enforced_by, words[key]);
}

/* Every limit set, on a machine that has everything. */
static void with_groups(void **state)
{
    static const struct {
        enum cage_manager manager;
        const char *word;
    } rows[] = {{CAGE_MANAGER_V1, "cgroup-v1"}, {CAGE_MANAGER_V2, "cgroup-v2"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct policy policy = policy_of("default");
        struct cage_host host = grouped(rows[i].manager);
        const char *const words[POLICY_LIMIT_MAX] = {
            [POLICY_LIMIT_WALL_MS] = "supervisor",      [POLICY_LIMIT_CPU_MS] = "supervisor",
            [POLICY_LIMIT_IDLE_MS] = "supervisor",      [POLICY_LIMIT_MEMORY_BYTES] = rows[i].word,
            [POLICY_LIMIT_PROCESSES] = rows[i].word,    [POLICY_LIMIT_OPEN_FILES] = "rlimit",
            [POLICY_LIMIT_FILE_BYTES] = "rlimit",       [POLICY_LIMIT_SCRATCH_BYTES] = "tmpfs",
            [POLICY_LIMIT_SCRATCH_INODES] = "tmpfs",    [POLICY_LIMIT_STDIN_BYTES] = "supervisor",
            [POLICY_LIMIT_STDOUT_BYTES] = "supervisor", [POLICY_LIMIT_STDERR_BYTES] = "supervisor",
            [POLICY_LIMIT_VALUE_BYTES] = "supervisor",  [POLICY_LIMIT_CPUS] = rows[i].word,
            [POLICY_LIMIT_STACK_BYTES] = "rlimit",
        };
        set(&policy, "cpu_ms=5s");
        set(&policy, "idle_ms=5s");
        struct cage_plan plan = planned(&policy, &host);
        expect_enforcers(&plan, words);
        assert_int_equal(plan.requested, ALL_STEPS);
        assert_int_equal(plan.missing, 0);
        assert_ptr_equal(plan.policy, &policy);
        for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
            assert_true(plan.uses_cgroup[c]);
        for (int key = 0; key < POLICY_LIMIT_MAX; key++)
            assert_false(plan.limits[key].is_weaker);
        policy_release(&policy);
    }
}

static void a_stack_on_which_nothing_starts_is_refused(void **state)
{
    static const struct {
        const char *assignment;
        bool fits;
    } rows[] = {{"stack_bytes=4096", false},
                {"stack_bytes=262143", false},
                {"stack_bytes=256KiB", true},
                {"stack_bytes=8GiB", true},
                {"stack_bytes=unlimited", true}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct policy policy = policy_of("default");
        struct cage_host host = grouped(CAGE_MANAGER_V1);
        struct base_err err = {0};
        struct cage_plan plan;
        set(&policy, rows[i].assignment);
        assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), rows[i].fits ? 0 : BASE_E_USAGE);
        assert_string_equal(err.place, rows[i].fits ? "" : "stack_bytes");
        policy_release(&policy);
    }
}

static void unlimited_is_enforced_by_none(void **state)
{
    struct policy policy = policy_of("default");
    struct cage_host host = grouped(CAGE_MANAGER_V1);

    (void)state;
    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        policy.limits[key].unlimited = true;
    struct cage_plan plan = planned(&policy, &host);
    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        assert_string_equal(plan.limits[key].enforced_by, "none");
    /* counted all the same; but nobody needs a group for processor shares */
    assert_true(plan.uses_cgroup[CAGE_PIDS] && plan.uses_cgroup[CAGE_MEMORY] && plan.uses_cgroup[CAGE_CPUACCT]);
    assert_false(plan.uses_cgroup[CAGE_CPU]);
    policy_release(&policy);
}

/* Each limit that needs a group, alone, on a machine that has none. */
static void without_groups_each_is_refused(void **state)
{
    static const struct {
        const char *assignment, *key, *without;
    } rows[] = {
        {"cpu_ms=5s", "cpu_ms", "rlimit"},
        {"idle_ms=5s", "idle_ms", "none"},
        {"memory_bytes=64MiB", "memory_bytes", "rlimit"},
        {"cpus=1", "cpus", "none"},
    };
    struct cage_host host = bare();

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct policy policy = policy_of("if-available");
        struct base_err err = {0};
        struct cage_plan plan;
        enum policy_limit_key key = 0;
        char tolerant[64];
        set(&policy, rows[i].assignment);
        assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), BASE_E_REFUSED);
        assert_int_equal(err.fault, BASE_FAULT_USER);
        assert_string_equal(err.place, rows[i].key);
        assert_non_null(strstr(err.what, host.cgroup_why));
        assert_non_null(strstr(err.remedy, "--if-available goes on without"));
        assert_non_null(strstr(err.remedy, "start as root"));
        assert_null(strstr(err.remedy, "Delegate=yes")); /* which only cgroup v2 knows */
        host.cgroup_v2 = true;
        assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), BASE_E_REFUSED);
        assert_non_null(strstr(err.remedy, "Delegate=yes"));
        host.cgroup_v2 = false;
        host.is_root = true;
        assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), BASE_E_REFUSED);
        assert_null(strstr(err.remedy, "as root")); /* which it is */
        host.is_root = false;
        policy_soften(&policy); /* the remedy works, whatever was given */
        (void)planned(&policy, &host);
        policy_release(&policy);
        policy = policy_of("if-available");

        (void)snprintf(tolerant, sizeof(tolerant), "%s_if_available%s", rows[i].key, strchr(rows[i].assignment, '='));
        set(&policy, tolerant);
        plan = planned(&policy, &host);
        while (strcmp(policy_limit_name(key), rows[i].key) != 0)
            key++;
        assert_string_equal(plan.limits[key].enforced_by, rows[i].without);
        assert_true(plan.limits[key].is_weaker);
        assert_false(plan.limits[POLICY_LIMIT_WALL_MS].is_weaker || plan.limits[POLICY_LIMIT_PROCESSES].is_weaker);
        policy_release(&policy);
    }
}

static void without_groups_the_receipt_can_say_so(void **state)
{
    struct policy policy = policy_of("if-available");
    struct cage_host host = bare();
    struct cage_plan plan = planned(&policy, &host);

    (void)state;
    assert_int_equal(plan.missing, CAGE_BIT(CGROUP));
    assert_int_equal(plan.requested, ALL_STEPS & ~CAGE_BIT(CGROUP));
    assert_string_equal(plan.limits[POLICY_LIMIT_PROCESSES].enforced_by, "rlimit");
    assert_string_equal(plan.limits[POLICY_LIMIT_MEMORY_BYTES].enforced_by, "rlimit");
    assert_string_equal(plan.limits[POLICY_LIMIT_CPUS].enforced_by, "none");
    assert_string_equal(plan.limits[POLICY_LIMIT_WALL_MS].enforced_by, "supervisor");
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        assert_false(plan.uses_cgroup[c]);
    policy_release(&policy);
}

static void the_default_policy_needs_groups(void **state)
{
    struct policy policy = policy_of("default");
    struct cage_host host = bare();
    struct cage_plan plan = {.requested = 42};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), BASE_E_REFUSED);
    assert_string_equal(err.place, "memory_bytes, cpus"); /* all at once */
    assert_int_equal(plan.requested, 42);                 /* written on success only */
    policy_release(&policy);
}

/* One controller is missing: only what it does is refused. */
static void some_controllers(void **state)
{
    static const struct {
        enum cage_controller missing;
        const char *refused; /* NULL: nothing */
    } rows[] = {
        {CAGE_PIDS, NULL},
        {CAGE_MEMORY, "memory_bytes"},
        {CAGE_CPU, "cpus"},
        {CAGE_CPUACCT, "cpu_ms"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct policy policy = policy_of("default");
        struct cage_host host = grouped(CAGE_MANAGER_V1);
        struct base_err err = {0};
        struct cage_plan plan;
        host.controllers[rows[i].missing] = false;
        set(&policy, "cpu_ms=5s");
        int r = cage_plan_make(&policy, &host, &plan, &err);
        if (rows[i].refused) {
            assert_int_equal(r, BASE_E_REFUSED);
            assert_string_equal(err.place, rows[i].refused);
            assert_non_null(strstr(err.what, "controller")); /* there is a manager, so no other reason is known */
        } else {
            assert_int_equal(r, 0);
            assert_string_equal(plan.limits[POLICY_LIMIT_PROCESSES].enforced_by, "rlimit");
            assert_false(plan.uses_cgroup[CAGE_PIDS]);
            assert_true(plan.uses_cgroup[CAGE_MEMORY]);
            assert_int_equal(plan.missing, 0);
        }
        policy_release(&policy);
    }
}

static void landlock_may_be_missing_and_is_listed(void **state)
{
    struct policy policy = policy_of("default");
    struct cage_host host = grouped(CAGE_MANAGER_V2);

    (void)state;
    host.landlock_abi = 0;
    struct cage_plan plan = planned(&policy, &host);
    assert_int_equal(plan.missing, CAGE_BIT(LANDLOCK));
    assert_int_equal(plan.landlock_abi, 0);
    assert_int_equal(plan.requested, ALL_STEPS & ~CAGE_BIT(LANDLOCK));
    policy_release(&policy);
}

/* What the starter was given ends the guest first, and untyped: the receipt would tell a limit that is not in force. */
static void lower_limits_of_the_starter_are_refused(void **state)
{
    static const struct {
        const char *assignment, *key; /* no key: fine */
        uint64_t open_files, file_bytes, processes, cpu_s;
    } rows[] = {
        {"open_files=256", NULL, 256, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {"open_files=257", "open_files", 256, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {"file_bytes=4096", NULL, UINT64_MAX, 4096, UINT64_MAX, UINT64_MAX},
        {"file_bytes=4097", "file_bytes", UINT64_MAX, 4096, UINT64_MAX, UINT64_MAX},
        {"processes=20", NULL, UINT64_MAX, UINT64_MAX, 20, UINT64_MAX},
        {"processes=21", "processes", UINT64_MAX, UINT64_MAX, 20, UINT64_MAX},
        {"cpu_ms=5000", NULL, UINT64_MAX, UINT64_MAX, UINT64_MAX, 5},
        {"cpu_ms=5001", "cpu_ms", UINT64_MAX, UINT64_MAX, UINT64_MAX, 5},
        {"cpu_ms=unlimited", "cpu_ms", UINT64_MAX, UINT64_MAX, UINT64_MAX, 5},
        {"open_files=unlimited", NULL, 256, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {"cpu_ms=1h", NULL, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX / 2}, /* no overflow on the way */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct policy policy = policy_of("default");
        struct cage_host host = grouped(CAGE_MANAGER_V1);
        struct base_err err = {0};
        struct cage_plan plan;
        host.hard_open_files = rows[i].open_files;
        host.hard_file_bytes = rows[i].file_bytes;
        host.hard_processes = rows[i].processes;
        host.hard_cpu_s = rows[i].cpu_s;
        set(&policy, rows[i].assignment);
        int r = cage_plan_make(&policy, &host, &plan, &err);
        if ((r < 0) != (rows[i].key != NULL))
            fail_msg("%s: %s", rows[i].assignment, r < 0 ? err.what : "is taken");
        if (r < 0) {
            assert_int_equal(r, BASE_E_REFUSED);
            assert_string_equal(err.place, rows[i].key);
            assert_non_null(strstr(err.remedy, "ulimit"));
            assert_non_null(strstr(err.remedy, rows[i].key));
        }
        policy_release(&policy);
    }
}

/* What no policy has a key for, and every guest would have. */
static void a_starters_other_limits_are_refused(void **state)
{
    static const struct {
        const char *place, *assignment;
        bool grouped;
        uint64_t address_space, data, stack, processes;
    } rows[] = {
        {NULL, NULL, true, UINT64_MAX, UINT64_MAX, 8 << 20, UINT64_MAX},
        {"address space", NULL, true, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {"data", NULL, true, UINT64_MAX, 1ull << 40, UINT64_MAX, UINT64_MAX},
        {NULL, "memory_bytes=64MiB", false, UINT64_MAX, 64 << 20, UINT64_MAX, UINT64_MAX},
        {"data", "memory_bytes=65MiB", false, UINT64_MAX, 64 << 20, UINT64_MAX, UINT64_MAX},
        {"stack_bytes", NULL, true, UINT64_MAX, UINT64_MAX, (8 << 20) - 1, UINT64_MAX},
        {NULL, "processes=20", true, UINT64_MAX, UINT64_MAX, UINT64_MAX, 20},
        {"processes", "processes=21", true, UINT64_MAX, UINT64_MAX, UINT64_MAX, 20},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct policy policy = policy_of(rows[i].grouped ? "default" : "if-available");
        struct cage_host host = rows[i].grouped ? grouped(CAGE_MANAGER_V1) : bare();
        struct base_err err = {0};
        struct cage_plan plan;
        host.hard_address_space = rows[i].address_space;
        host.hard_data_bytes = rows[i].data;
        host.hard_stack_bytes = rows[i].stack;
        host.soft_processes = rows[i].processes;
        if (rows[i].assignment) {
            char text[64];
            (void)snprintf(text, sizeof(text), "%s", rows[i].assignment);
            if (!rows[i].grouped)
                (void)snprintf(text, sizeof(text), "memory_bytes_if_available=%s", strchr(rows[i].assignment, '=') + 1);
            set(&policy, text);
        }
        int r = cage_plan_make(&policy, &host, &plan, &err);
        assert_int_equal(r, rows[i].place ? BASE_E_REFUSED : 0);
        if (r < 0) {
            assert_string_equal(err.place, rows[i].place);
            assert_non_null(strstr(err.remedy, "ulimit -"));
        }
        policy_release(&policy);
    }
}

/* Of several, the lowest; where nothing is lower, none is said. */
static void what_is_lower_with_leave_is_in_force(void **state)
{
    struct policy policy = policy_of("if-available");
    struct cage_host host = bare();
    struct base_err err = {0};
    struct cage_plan plan;

    (void)state;
    set(&policy, "processes_if_available=64");
    set(&policy, "stack_bytes_if_available=8MiB");
    set(&policy, "open_files_if_available=256");
    host.hard_processes = 50;
    host.soft_processes = 40;
    host.hard_stack_bytes = 4 << 20;
    host.hard_open_files = 256;
    assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), 0);
    assert_int_equal(plan.limits[POLICY_LIMIT_PROCESSES].in_force, 40);
    assert_int_equal(plan.limits[POLICY_LIMIT_STACK_BYTES].in_force, 4 << 20);
    assert_int_equal(plan.limits[POLICY_LIMIT_OPEN_FILES].in_force, 0);
    policy_release(&policy);
}

static void a_handler_of_crashes_needs_a_core_limit(void **state)
{
    struct policy policy = policy_of("default");

    (void)state;
    for (int piped = 0; piped < 2; piped++)
        for (uint64_t hard = 0; hard < 2; hard++) {
            struct cage_host host = grouped(CAGE_MANAGER_V1);
            struct base_err err = {0};
            struct cage_plan plan;
            host.core_is_piped = piped;
            host.hard_core = hard;
            assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), piped && !hard ? BASE_E_REFUSED : 0);
            if (piped && !hard)
                assert_non_null(strstr(err.remedy, "ulimit -Hc 1"));
        }
    policy_release(&policy);
}

/* Another's filter may hide what the policy wants to be counted. */
static void what_is_not_seen_is_not_counted(void **state)
{
    (void)state;
    for (int filtered = 0; filtered < 2; filtered++)
        for (int denials = 0; denials < POLICY_DENIALS_MAX; denials++)
            for (uint64_t calls = 9; calls != 0; calls = calls == 9 ? POLICY_NO_DENIED_CALL : 0) {
                struct policy policy = policy_of("default");
                struct cage_host host = grouped(CAGE_MANAGER_V1);
                struct base_err err = {0};
                struct cage_plan plan;
                bool counts = denials != POLICY_DENIALS_RECORD || calls == 9;
                host.has_outer_filter = filtered;
                policy.denials = (enum policy_denials)denials;
                policy.denied_calls = calls;
                assert_int_equal(cage_plan_make(&policy, &host, &plan, &err), filtered && counts ? BASE_E_REFUSED : 0);
                policy_release(&policy);
            }
}

static void groups_that_stay_are_not_claimed_to_be_gone(void **state)
{
    struct policy policy = policy_of("default");

    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        struct cage_host host = grouped(CAGE_MANAGER_V1);
        host.groups_stay = keeps ? CAGE_STAY_NO_PROGRAM : CAGE_STAY_NOT;
        struct cage_plan plan = planned(&policy, &host);
        assert_int_equal(plan.missing >> CAGE_STEP_IDENTITY & 1, keeps);
        assert_int_equal(plan.requested >> CAGE_STEP_IDENTITY & 1, !keeps);
    }
    policy_release(&policy);
}

/* What it shows then is no promise, and the receipt says so. */
static void a_proc_of_the_machine_is_missing_a_promise(void **state)
{
    struct policy policy = policy_of("default");
    struct cage_host host = grouped(CAGE_MANAGER_V1);

    (void)state;
    for (int machine = 0; machine < 2; machine++) {
        policy.proc = machine ? POLICY_PROC_MACHINE : POLICY_PROC_OWN;
        struct cage_plan plan = planned(&policy, &host);
        assert_int_equal(plan.missing, machine ? CAGE_BIT(PROC_MASKED) : 0);
        assert_int_equal(plan.requested, ALL_STEPS & ~plan.missing);
        for (const struct cage_mount *mount = cage_mounts(); mount->at; mount++)
            assert_int_equal(strcmp(cage_mount_mode(mount, &policy), mount->mode) != 0,
                             machine && strcmp(mount->at, "/proc") == 0);
    }
    policy_release(&policy);
}

static void other_tiers_are_refused(void **state)
{
    struct cage_host host = grouped(CAGE_MANAGER_V1);

    (void)state;
    for (int tier = 0; tier < POLICY_TIER_MAX; tier++) {
        struct policy policy = policy_of("default");
        struct base_err err = {0};
        struct cage_plan plan;
        policy.tier = (enum policy_tier)tier;
        int r = cage_plan_make(&policy, &host, &plan, &err);
        assert_int_equal(r, tier == POLICY_TIER_CONTAINER ? 0 : BASE_E_REFUSED);
        if (r < 0)
            assert_non_null(strstr(err.what, policy_tier_name(policy.tier)));
        policy_release(&policy);
    }
}

static void mounts_grant_no_more_than_they_say(void **state)
{
    unsigned count = 0;

    (void)state;
    for (const struct cage_mount *mount = cage_mounts(); mount->at; mount++, count++) {
        bool scratch = strcmp(mount->kind, "scratch") == 0;
        assert_int_equal(mount->at[0], '/');
        assert_non_null(strstr(mount->mode, "nosuid"));
        assert_int_equal(strncmp(mount->mode, "rw", 2) == 0, scratch);
        for (const char *at = mount->at; *at; at++)
            assert_true(*at != ' ');
    }
    assert_true(count >= 5);
}

static void the_environment_is_fixed(void **state)
{
    static const char *const names[] = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM"};
    unsigned count = 0;

    (void)state;
    for (const char *const *entry = cage_environment(); *entry; entry++, count++) {
        assert_true(count < sizeof(names) / sizeof(names[0]));
        assert_int_equal(strncmp(*entry, names[count], strlen(names[count])), 0);
        assert_int_equal((*entry)[strlen(names[count])], '=');
    }
    assert_int_equal(count, sizeof(names) / sizeof(names[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_groups),
        cmocka_unit_test(a_stack_on_which_nothing_starts_is_refused),
        cmocka_unit_test(unlimited_is_enforced_by_none),
        cmocka_unit_test(without_groups_each_is_refused),
        cmocka_unit_test(without_groups_the_receipt_can_say_so),
        cmocka_unit_test(the_default_policy_needs_groups),
        cmocka_unit_test(some_controllers),
        cmocka_unit_test(landlock_may_be_missing_and_is_listed),
        cmocka_unit_test(lower_limits_of_the_starter_are_refused),
        cmocka_unit_test(a_starters_other_limits_are_refused),
        cmocka_unit_test(what_is_lower_with_leave_is_in_force),
        cmocka_unit_test(a_handler_of_crashes_needs_a_core_limit),
        cmocka_unit_test(what_is_not_seen_is_not_counted),
        cmocka_unit_test(groups_that_stay_are_not_claimed_to_be_gone),
        cmocka_unit_test(a_proc_of_the_machine_is_missing_a_promise),
        cmocka_unit_test(other_tiers_are_refused),
        cmocka_unit_test(mounts_grant_no_more_than_they_say),
        cmocka_unit_test(the_environment_is_fixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
