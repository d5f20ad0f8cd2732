/* test_base_priv.c - tests of src/cage/base_priv.c: on cgroup v2 with a real base; more is in tests/systems */
#include "../apart.h"
#include "cage/cage.h"

static struct cage_host host;

static void take(void)
{
    cage_host_probe(&host);
    cage_base_take(&host);
}

static void need_base(void)
{
    take();
    apart_need(host.cgroup_v2, "needs cgroup v2");
    apart_need(host.manager == CAGE_MANAGER_V2, host.cgroup_why);
}

static void every_base_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(cage_base_name(CAGE_BASE_NONE), "none");
    for (int base = 0; base < CAGE_BASE_MAX; base++)
        assert_true(cage_base_name((enum cage_base)base)[0]);
}

static void on_v1_there_is_nothing_to_take(void **state)
{
    struct cage_host before;
    struct cage_bound bound;

    (void)state;
    memset(&before, 0, sizeof(before));
    before.manager = CAGE_MANAGER_V1;
    before.base = CAGE_BASE_OWN;
    host = before;
    cage_base_take(&host);
    assert_memory_equal(&host, &before, sizeof(host));
    assert_false(cage_base_bound(&host, CAGE_MEMORY, &bound));
    cage_base_leave();
}

static void it_is_ready_for_children(void **state)
{
    char path[CAGE_PATH_BYTES + 32], text[256];
    struct cage_bound bound;

    (void)state;
    need_base();
    (void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control", host.cgroup_parents[CAGE_PIDS]);
    support_read(path, text, sizeof(text));
    assert_non_null(strstr(text, "memory"));
    assert_non_null(strstr(text, "pids"));
    assert_int_equal(host.controllers[CAGE_CPU], strstr(text, "cpu") != NULL);
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", host.cgroup_parents[CAGE_PIDS]);
    support_read(path, text, sizeof(text));
    assert_string_equal(text, ""); /* or they could not be made */
    if (cage_base_bound(&host, CAGE_PIDS, &bound))
        assert_memory_equal(bound.path, "/sys/fs/cgroup/", 15);
    cage_base_leave();
}

/* Another process of this tree comes, and goes first. */
static int come_and_go(void *argument)
{
    char *const argv[] = {(char *)(uintptr_t) "test", (char *)(uintptr_t) "join", NULL};

    (void)argument;
    return execv("/proc/self/exe", argv) < 0 ? 9 : 0;
}

static void who_leaves_first_leaves_it_there(void **state)
{
    char path[CAGE_PATH_BYTES];

    (void)state;
    need_base();
    (void)snprintf(path, sizeof(path), "%s", host.cgroup_parents[CAGE_PIDS]);
    assert_int_equal(apart_end(apart_start(come_and_go, NULL)), 0);
    assert_int_equal(access(path, F_OK), 0);
    take();
    assert_string_equal(host.cgroup_parents[CAGE_PIDS], path);
    cage_base_leave();
    take(); /* whoever else is here, it can be had again */
    assert_string_equal(host.cgroup_parents[CAGE_PIDS], path);
    cage_base_leave();
}

/* The other process: it finds the base that is there. */
static int join(void)
{
    take();
    if (host.manager != CAGE_MANAGER_V2)
        return 2;
    cage_base_leave();
    return access(host.cgroup_parents[CAGE_PIDS], F_OK) == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_base_has_a_name),
        cmocka_unit_test(on_v1_there_is_nothing_to_take),
        cmocka_unit_test(it_is_ready_for_children),
        cmocka_unit_test(who_leaves_first_leaves_it_there),
    };

    if (argc > 1 && strcmp(argv[1], "join") == 0)
        return join();
    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
