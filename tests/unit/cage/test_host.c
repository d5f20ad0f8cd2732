/* test_host.c - tests of src/cage/host.c: what is found agrees with what can be done */
#include "../apart.h"
#include "cage/cage.h"
#include "cage/kernel.h"

static void the_same_twice(void **state)
{
    struct cage_host first, second;

    (void)state;
    memset(&first, 0xaa, sizeof(first));
    memset(&second, 0x55, sizeof(second));
    cage_host_probe(&first);
    cage_base_take(&first);
    cage_host_probe(&second);
    cage_base_take(&second);
    assert_int_equal(first.privileged, second.privileged);
    assert_int_equal(first.manager, second.manager);
    assert_int_equal(first.landlock_abi, second.landlock_abi);
    assert_string_equal(first.cgroup_why, second.cgroup_why);
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        assert_int_equal(first.controllers[c], second.controllers[c]);
        assert_string_equal(first.cgroup_parents[c], second.cgroup_parents[c]);
    }
}

static void its_parts_agree(void **state)
{
    struct cage_host host;
    bool any = false;

    (void)state;
    cage_host_probe(&host);
    cage_base_take(&host);
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        any = any || host.controllers[c];
    if (host.manager == CAGE_MANAGER_NONE)
        assert_true(host.cgroup_why[0] != 0); /* refusals need a reason */
    else
        assert_true(any && (host.controllers[CAGE_MEMORY] || host.controllers[CAGE_PIDS]));
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (host.controllers[c] && (host.manager == CAGE_MANAGER_V1 || c == CAGE_PIDS)) {
            assert_int_equal(host.cgroup_parents[c][0], '/');
            assert_int_equal(access(host.cgroup_parents[c], W_OK | X_OK), 0);
        }
    assert_in_range(host.landlock_abi, 0, CAGE_LANDLOCK_KNOWN);
    if (host.privileged) {
        assert_int_equal(geteuid(), 0);
        assert_true(host.uid_base > 1000 && host.uid_slots > 1000);
        assert_true((uint64_t)host.uid_base + 2ull * host.uid_slots < 0xffffffffull);
    }
}

static void landlock_agrees_with_the_kernel(void **state)
{
    struct cage_host host;
    int abi = kernel_landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    (void)state;
    cage_host_probe(&host);
    cage_base_take(&host);
    assert_int_equal(host.landlock_abi, abi < 0 ? 0 : abi > CAGE_LANDLOCK_KNOWN ? CAGE_LANDLOCK_KNOWN : abi);
}

/* A user without rights must find none. */
static int probe_as_user(void *argument)
{
    struct cage_host host;

    (void)argument;
    if (apart_become_user() < 0)
        return 2;
    cage_host_probe(&host);
    cage_base_take(&host);
    if (host.privileged)
        return 3;
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (host.controllers[c] && host.manager == CAGE_MANAGER_V1 && access(host.cgroup_parents[c], W_OK) < 0)
            return 4;
    return host.manager == CAGE_MANAGER_NONE && !host.cgroup_why[0] ? 5 : 0;
}

static void an_ordinary_user(void **state)
{
    (void)state;
    assert_int_equal(apart_end(apart_start(probe_as_user, NULL)), 0);
}

/* Nothing is left open, nothing is made. */
static void looking_leaves_nothing(void **state)
{
    struct cage_host host;
    int before = support_count_entries("/proc/self/fd");

    (void)state;
    for (int i = 0; i < 20; i++)
        cage_host_probe(&host);
    assert_int_equal(support_count_entries("/proc/self/fd"), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_twice),
        cmocka_unit_test(its_parts_agree),
        cmocka_unit_test(landlock_agrees_with_the_kernel),
        cmocka_unit_test(an_ordinary_user),
        cmocka_unit_test(looking_leaves_nothing),
    };

    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
