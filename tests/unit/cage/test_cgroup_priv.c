/* test_cgroup_priv.c - tests of src/cage/cgroup_priv.c: real control groups, and counters read from made-up files */
#include "../apart.h"
#include "cage/child.h"
#include "cage/slot.h"
#include <time.h>

/* Slots that no run ever reaches, so that other runs on this machine are not met. Root's range has 16384. */
#define DEAD_SLOT 16001u
#define OWN_SLOT  16002u

static struct cage_host host;

static bool own_directory(int controller)
{
    return host.controllers[controller] && (host.manager == CAGE_MANAGER_V1 || controller == CAGE_PIDS);
}

/* On v2 they are to be a base. */
static int hand_out(const char *parent)
{
    static const char *const words[] = {"+memory +pids", "+cpu"};
    char path[CAGE_PATH_BYTES + 32];

    (void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control", parent);
    for (unsigned i = 0; i < 1u + host.controllers[CAGE_CPU] && host.manager == CAGE_MANAGER_V2; i++) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        ssize_t done = write(fd, words[i], strlen(words[i]));

        (void)close(fd);
        if (done < 0)
            return -1;
    }
    return 0;
}

/* Everything happens below groups of this test's own: other runs on this machine clear up too. */
static int make_parents(void **state)
{
    (void)state;
    cage_host_probe(&host);
    cage_base_take(&host);
    for (int c = 0; c < CAGE_CONTROLLER_MAX && host.privileged; c++) {
        size_t length = strlen(host.cgroup_parents[c]);
        if (!own_directory(c))
            continue;
        (void)snprintf(host.cgroup_parents[c] + length, CAGE_PATH_BYTES - length, "/fumehood-unit-%d", (int)getpid());
        if (mkdir(host.cgroup_parents[c], 0755) < 0 || hand_out(host.cgroup_parents[c]) < 0)
            return -1;
    }
    return 0;
}

static const char *group(int controller, unsigned slot)
{
    static char path[CAGE_PATH_BYTES + 32];

    (void)snprintf(path, sizeof(path), "%s/fumehood-%u", host.cgroup_parents[controller], slot);
    return path;
}

static int remove_parents(void **state)
{
    int r = 0;

    (void)state;
    for (int c = 0; c < CAGE_CONTROLLER_MAX && host.privileged; c++)
        if (own_directory(c) && rmdir(host.cgroup_parents[c]) < 0) {
            r = -1; /* something was left below */
            (void)rmdir(group(c, DEAD_SLOT));
            (void)rmdir(group(c, OWN_SLOT));
            (void)rmdir(host.cgroup_parents[c]);
        }
    cage_base_leave();
    return r;
}

static void need_groups(void)
{
    apart_need(host.manager != CAGE_MANAGER_NONE, "no control group is writable here");
    apart_need(host.privileged, "needs root: groups of other slots are made by hand");
}

static bool any_left(unsigned slot)
{
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (own_directory(c) && access(group(c, slot), F_OK) == 0)
            return true;
    return false;
}

static int sleep_on(void *argument)
{
    (void)argument;
    for (;;)
        (void)pause();
    return 0;
}

/* A group of each controller with a process in it, as a killed supervisor may leave them. */
static pid_t leave_behind(unsigned slot)
{
    pid_t pid = apart_start(sleep_on, NULL);
    char text[16];

    (void)snprintf(text, sizeof(text), "%d", (int)pid);
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++) {
        char path[CAGE_PATH_BYTES + 64];
        if (!own_directory(c))
            continue;
        assert_true(mkdir(group(c, slot), 0755) == 0 || errno == EEXIST);
        (void)snprintf(path, sizeof(path), "%s/cgroup.procs", group(c, slot));
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || write(fd, text, strlen(text)) < 0)
            fail_msg("%s: %s", path, strerror(errno));
        (void)close(fd);
    }
    return pid;
}

/* As its owner noted where the groups of a slot are. */
static void note(unsigned slot)
{
    char text[CAGE_NOTE_BYTES] = "";
    int fd = -1;

    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (own_directory(c)) {
            strncat(text, group(c, slot), sizeof(text) - strlen(text) - 2);
            strncat(text, "\n", 2);
        }
    assert_int_equal(cage_slot_lock_free(slot, &fd), 1);
    assert_int_equal(cage_slot_note_write(fd, text), 0);
    (void)close(fd);
}

static struct cage_plan plan_for(const struct policy *policy)
{
    struct cage_plan plan;
    struct base_err err = {0};

    if (cage_plan_make(policy, &host, &plan, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return plan;
}

static void set(struct policy *policy, const char *assignment)
{
    assert_int_equal(policy_set_limit(policy, assignment, NULL), 0);
}

/* --- leftovers --- */

static void the_next_start_clears_a_dead_slot(void **state)
{
    struct cage_slot slot;
    struct base_err err = {0};
    pid_t left;

    (void)state;
    need_groups();
    left = leave_behind(DEAD_SLOT);
    note(DEAD_SLOT);
    if (cage_slot_acquire(&host, &slot, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    (void)cage_cgroup_reconcile(true);
    assert_false(any_left(DEAD_SLOT));
    assert_int_equal(apart_end(left), 256 + SIGKILL); /* nothing of it goes on */
    cage_slot_release(&slot);
}

static void a_living_owners_groups_stay(void **state)
{
    struct cage_slot slot;
    int fd = -1;
    pid_t left;

    (void)state;
    need_groups();
    left = leave_behind(OWN_SLOT); /* first, so that it has no copy of the lock */
    note(OWN_SLOT);
    assert_int_equal(cage_slot_lock_free(OWN_SLOT, &fd), 1);
    assert_int_equal(cage_slot_acquire(&host, &slot, NULL), 0);
    (void)cage_cgroup_reconcile(true);
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (own_directory(c))
            assert_int_equal(access(group(c, OWN_SLOT), F_OK), 0);
    assert_int_equal(kill(left, 0), 0);
    (void)close(fd);
    (void)cage_cgroup_reconcile(true);
    assert_false(any_left(OWN_SLOT));
    assert_int_equal(apart_end(left), 256 + SIGKILL);
    cage_slot_release(&slot);
}

/* Our own slot's old group, met when a new one is made. */
static void an_old_group_of_the_same_slot_is_replaced(void **state)
{
    struct policy policy;
    struct cage_slot slot = {.lock_fd = -1, .number = OWN_SLOT};
    struct cage_cgroup cgroup;
    struct base_err err = {0};
    pid_t left;

    (void)state;
    need_groups();
    left = leave_behind(OWN_SLOT);
    assert_int_equal(cage_slot_lock_free(OWN_SLOT, &slot.lock_fd), 1);
    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    struct cage_plan plan = plan_for(&policy);
    if (cage_cgroup_create(&host, &slot, false, &cgroup, &err) < 0 || cage_cgroup_limit(&cgroup, &plan, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    assert_int_equal(apart_end(left), 256 + SIGKILL);
    assert_int_equal(cage_cgroup_remove(&cgroup), 0);
    assert_false(any_left(OWN_SLOT));
    cage_slot_release(&slot);
    policy_release(&policy);
}

/* --- making, limits, counting --- */

static void expect_file(int controller, const char *name, const char *text)
{
    char path[CAGE_PATH_BYTES + 64], got[128];

    if (!host.controllers[controller])
        return;
    (void)snprintf(path, sizeof(path), "%s%s/%s",
                   group(host.manager == CAGE_MANAGER_V1 ? controller : CAGE_PIDS, OWN_SLOT),
                   host.manager == CAGE_MANAGER_V1 ? "" : "/run", name);
    support_read(path, got, sizeof(got));
    got[strcspn(got, "\n")] = 0;
    assert_string_equal(got, text);
}

static void limits_are_in_the_kernel(void **state)
{
    struct policy policy;
    struct cage_slot slot = {.lock_fd = -1, .number = OWN_SLOT};
    struct cage_cgroup cgroup;
    struct base_err err = {0};

    (void)state;
    need_groups();
    assert_int_equal(cage_slot_lock_free(OWN_SLOT, &slot.lock_fd), 1);
    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    set(&policy, "processes=7");
    set(&policy, "memory_bytes=64MiB");
    set(&policy, "cpus=2");
    struct cage_plan plan = plan_for(&policy);
    if (cage_cgroup_create(&host, &slot, false, &cgroup, &err) < 0 || cage_cgroup_limit(&cgroup, &plan, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    expect_file(CAGE_PIDS, "pids.max", "8"); /* our own first process is one more */
    if (host.manager == CAGE_MANAGER_V1) {
        expect_file(CAGE_MEMORY, "memory.limit_in_bytes", "67108864");
        expect_file(CAGE_CPU, "cpu.cfs_quota_us", "200000");
    } else {
        expect_file(CAGE_MEMORY, "memory.max", "67108864");
        expect_file(CAGE_MEMORY, "memory.oom.group", "1");
        expect_file(CAGE_CPU, "cpu.max", "200000 100000");
    }
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (cgroup.dir_fds[c] >= 0)
            assert_true(fcntl(cgroup.dir_fds[c], F_GETFD) & FD_CLOEXEC);
    assert_int_equal(cage_cgroup_remove(&cgroup), 0);
    assert_int_equal(cage_cgroup_remove(&cgroup), 0); /* once more does no harm */
    assert_false(any_left(OWN_SLOT));
    cage_slot_release(&slot);
    policy_release(&policy);
}

/* Joins the groups as a cage's first process does, uses some memory and time, leaves. */
static int work_in_group(void *argument)
{
    const struct cage_cgroup *cgroup = argument;
    volatile char *memory = malloc(8 << 20);
    int fds[CAGE_CONTROLLER_MAX], count = cage_cgroup_open_tasks(cgroup, fds);

    for (int i = 0; i < count; i++)
        if (write(fds[i], "0", 1) < 0)
            return 1;
    for (size_t at = 0; memory && at < 8 << 20; at += 4096)
        memory[at] = 1;
    while (clock() < CLOCKS_PER_SEC / 25) /* 40 ms of processor time, however long that takes */
        ;
    return count <= 0 || !memory || memory[4096] != 1;
}

static void what_is_used_is_counted(void **state)
{
    struct policy policy;
    struct cage_slot slot = {.lock_fd = -1, .number = OWN_SLOT};
    struct cage_cgroup cgroup;
    struct cage_counters counters;

    (void)state;
    need_groups();
    apart_need(host.manager == CAGE_MANAGER_V1, "needs control groups v1 to join one");
    assert_int_equal(cage_slot_lock_free(OWN_SLOT, &slot.lock_fd), 1);
    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    struct cage_plan plan = plan_for(&policy);
    assert_int_equal(cage_cgroup_create(&host, &slot, false, &cgroup, NULL), 0);
    assert_int_equal(cage_cgroup_limit(&cgroup, &plan, NULL), 0);
    cage_cgroup_open_counters(&cgroup, false);
    assert_int_equal(apart_end(apart_start(work_in_group, &cgroup)), 0);
    cage_cgroup_read(&cgroup, &counters);
    if (host.controllers[CAGE_CPUACCT])
        assert_in_range(counters.cpu_us, 10000, 5000000);
    if (host.controllers[CAGE_MEMORY]) {
        assert_in_range(counters.memory_peak_bytes, 4 << 20, 512 << 20);
        assert_int_equal(counters.refusals.oom_kills, 0);
    }
    if (host.controllers[CAGE_PIDS])
        assert_int_equal(counters.refusals.processes, 0);
    assert_int_equal(cage_cgroup_remove(&cgroup), 0);
    cage_slot_release(&slot);
    policy_release(&policy);
}

static struct cage_cgroup folder_as_group(enum cage_manager manager)
{
    static struct cage_host made_up;
    struct cage_cgroup cgroup = CAGE_CGROUP_NONE;

    made_up = (struct cage_host){.manager = manager};
    cgroup.host = &made_up;
    cgroup.own = 1;
    for (int c = 0; c < (manager == CAGE_MANAGER_V1 ? CAGE_CONTROLLER_MAX : 1); c++)
        cgroup.dir_fds[c] = open(".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    return cgroup;
}

/* One for each group of ours; on v2 a process is born in it, and nothing is to be joined. */
static void where_to_join(void **state)
{
    struct cage_cgroup cgroup = folder_as_group(CAGE_MANAGER_V1);
    int fds[CAGE_CONTROLLER_MAX];

    (void)state;
    assert_int_equal(cage_cgroup_open_tasks(&cgroup, fds), -ENOENT);
    support_write_text("tasks", "");
    assert_int_equal(cage_cgroup_open_tasks(&cgroup, fds), CAGE_CONTROLLER_MAX);
    for (int i = 0; i < CAGE_CONTROLLER_MAX; i++) {
        assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
        (void)close(fds[i]);
    }
    base_cleanup_close(&cgroup.dir_fds[CAGE_CPU]);
    cgroup.dir_fds[CAGE_CPU] = -1;
    assert_int_equal(cage_cgroup_open_tasks(&cgroup, fds), CAGE_CONTROLLER_MAX - 1);
    for (int i = 0; i < CAGE_CONTROLLER_MAX - 1; i++)
        (void)close(fds[i]);
    cage_cgroup_close(&cgroup);
    cgroup = folder_as_group(CAGE_MANAGER_V2);
    assert_int_equal(cage_cgroup_open_tasks(&cgroup, fds), 0);
    cage_cgroup_close(&cgroup);
}

static void no_groups_no_trouble(void **state)
{
    struct cage_host none = {.manager = CAGE_MANAGER_NONE};
    struct cage_plan plan = {0};
    struct cage_slot slot = {.lock_fd = -1};
    struct cage_cgroup cgroup;
    struct cage_counters counters;
    int fds[CAGE_CONTROLLER_MAX];

    (void)state;
    assert_int_equal(cage_cgroup_create(&none, &slot, false, &cgroup, NULL), 0);
    assert_int_equal(cage_cgroup_limit(&cgroup, &plan, NULL), 0);
    assert_int_equal(cage_cgroup_open_tasks(&cgroup, fds), 0);
    cage_cgroup_read(&cgroup, &counters);
    assert_true(counters.cpu_us == UINT64_MAX && counters.memory_peak_bytes == UINT64_MAX);
    assert_true(counters.refusals.oom_kills == UINT64_MAX && counters.processes_peak == UINT64_MAX);
    assert_true(counters.refusals.processes == UINT64_MAX);
    assert_int_equal(cage_cgroup_remove(&cgroup), 0);
    (void)cage_cgroup_reconcile(true);
}

/* --- counters from made-up files --- */

static void counters_of_v1(void **state)
{
    struct cage_cgroup cgroup = folder_as_group(CAGE_MANAGER_V1);
    struct cage_counters counters;

    (void)state;
    support_write_text("cpuacct.usage", "123456789\n"); /* nanoseconds */
    support_write_text("memory.max_usage_in_bytes", "4194304\n");
    support_write_text("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    support_write_text("pids.events", "max 17\n");
    support_write_text("pids.peak", "5\n");
    support_write_text("pids.max", "5\n");
    cgroup.held[CAGE_PIDS] = (struct cage_held){open("pids.max", O_RDWR | O_CLOEXEC), 5, "5"};
    cgroup.held[CAGE_MEMORY] = (struct cage_held){open("pids.max", O_RDWR | O_CLOEXEC), 4 << 20, "4MiB"};
    cage_cgroup_open_counters(&cgroup, false);
    cage_cgroup_read(&cgroup, &counters);
    assert_int_equal(counters.cpu_us, 123456);
    assert_int_equal(counters.memory_peak_bytes, 4194304);
    assert_int_equal(counters.refusals.oom_kills, 3);
    assert_int_equal(counters.refusals.processes, 17);
    assert_int_equal(counters.processes_peak, 4); /* without our own first process */
    cage_cgroup_close(&cgroup);
}

static void counters_of_v2(void **state)
{
    struct cage_cgroup cgroup = folder_as_group(CAGE_MANAGER_V2);
    struct cage_counters counters;

    (void)state;
    support_write_text("cpu.stat", "usage_usec 777\nuser_usec 700\nsystem_usec 77\n");
    support_write_text("memory.peak", "1048576\n");
    support_write_text("memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 1\n");
    support_write_text("pids.events", "max 0\n");
    cage_cgroup_open_counters(&cgroup, false);
    cage_cgroup_read(&cgroup, &counters);
    assert_int_equal(counters.cpu_us, 777);
    assert_int_equal(counters.memory_peak_bytes, 1048576);
    assert_int_equal(counters.refusals.oom_kills, 1); /* not the line before, not the line after */
    assert_int_equal(counters.refusals.processes, 0);
    assert_true(counters.processes_peak == UINT64_MAX); /* older kernels do not have it */
    cage_cgroup_close(&cgroup);
}

static void what_cannot_be_read_is_unknown(void **state)
{
    struct cage_cgroup cgroup = folder_as_group(CAGE_MANAGER_V1);
    struct cage_counters counters;

    (void)state;
    support_write_text("cpuacct.usage", "");
    support_write_text("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n"); /* kernels before 4.13 */
    support_write_text("pids.events", "max\n");
    support_write_text("memory.max_usage_in_bytes", "many\n");
    cage_cgroup_open_counters(&cgroup, false);
    cage_cgroup_read(&cgroup, &counters);
    assert_true(counters.cpu_us == UINT64_MAX && counters.memory_peak_bytes == UINT64_MAX);
    assert_true(counters.refusals.oom_kills == UINT64_MAX && counters.refusals.processes == UINT64_MAX);
    cage_cgroup_close(&cgroup);
}

/* --- whose limit it was --- */

static struct cage_refusals refusals_of(enum cage_manager manager)
{
    struct cage_cgroup cgroup = folder_as_group(manager);
    struct cage_refusals refusals;

    support_write_text("pids.max", "5\n");
    cgroup.held[CAGE_PIDS] = (struct cage_held){open("pids.max", O_RDWR | O_CLOEXEC), 5, "5"};
    cgroup.held[CAGE_MEMORY] = (struct cage_held){open("pids.max", O_RDWR | O_CLOEXEC), 64 << 20, "64MiB"};
    cage_cgroup_open_counters(&cgroup, false);
    refusals = cage_cgroup_refusals(&cgroup);
    cage_cgroup_close(&cgroup);
    return refusals;
}

static void memory_that_ran_out_around_it_is_not_its_own(void **state)
{
    struct cage_refusals refusals;

    (void)state;
    support_write_text("memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\noom_group_kill 0\n");
    refusals = refusals_of(CAGE_MANAGER_V2);
    assert_true(refusals.is_outer_memory && refusals.oom_kills == 0);
    support_write_text("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    support_write_text("memory.max_usage_in_bytes", "62914560\n");
    refusals = refusals_of(CAGE_MANAGER_V1);
    assert_true(refusals.is_outer_memory && refusals.oom_kills == 0);
    support_write_text("memory.max_usage_in_bytes", "67104768\n"); /* 8 KiB were asked for, 4 were left */
    refusals = refusals_of(CAGE_MANAGER_V1);
    assert_true(!refusals.is_outer_memory && refusals.oom_kills == 1);
    support_write_text("memory.max_usage_in_bytes", "33554432\n"); /* the rest it has had swapped out */
    support_write_text("memory.memsw.max_usage_in_bytes", "67104768\n");
    refusals = refusals_of(CAGE_MANAGER_V1);
    assert_true(!refusals.is_outer_memory && refusals.oom_kills == 1);
    support_write_text("memory.memsw.max_usage_in_bytes", "33554432\n");
    refusals = refusals_of(CAGE_MANAGER_V1);
    assert_true(refusals.is_outer_memory && refusals.oom_kills == 0);
}

static void processes_that_were_refused_around_it_are_not_its_own(void **state)
{
    struct cage_refusals refusals;

    (void)state;
    support_write_text("pids.events", "max 3\n");
    support_write_text("pids.peak", "5\n");
    refusals = refusals_of(CAGE_MANAGER_V2);
    assert_true(!refusals.is_outer_processes && refusals.processes == 3);
    support_write_text("pids.peak", "4\n");
    refusals = refusals_of(CAGE_MANAGER_V2);
    assert_true(refusals.is_outer_processes && refusals.processes == 0);
    assert_int_equal(unlink("pids.peak"), 0); /* older kernels: nobody can tell */
    refusals = refusals_of(CAGE_MANAGER_V2);
    assert_true(!refusals.is_outer_processes && refusals.processes == 3);
}

static void a_limit_that_was_changed_is_seen(void **state)
{
    struct cage_cgroup cgroup = folder_as_group(CAGE_MANAGER_V2);
    struct policy_limit limits[POLICY_LIMIT_MAX] = {[POLICY_LIMIT_PROCESSES] = {.value = 7},
                                                    [POLICY_LIMIT_MEMORY_BYTES] = {.value = 65 * 4096 + 1},
                                                    [POLICY_LIMIT_CPUS] = {.value = 2}};
    const bool uses_cgroup[CAGE_CONTROLLER_MAX] = {[CAGE_PIDS] = true, [CAGE_MEMORY] = true, [CAGE_CPU] = true};
    const struct cage_bounds bounds = {limits, uses_cgroup, POLICY_NETWORK_NONE};

    (void)state;
    support_write_text("pids.max", "");
    support_write_text("memory.max", "");
    support_write_text("memory.oom.group", "");
    support_write_text("cpu.max", "");
    assert_int_equal(cage_cgroup_bound(&cgroup, &bounds, NULL), 0);
    support_write_text("memory.max", "266240\n"); /* the kernel counts pages */
    assert_int_equal(cage_cgroup_taken(&cgroup), CAGE_CONTROLLER_MAX);
    support_write_text("cpu.max", "max 100000\n");
    assert_int_equal(cage_cgroup_taken(&cgroup), CAGE_CPU);
    cgroup.is_hurried = true; /* that was us */
    assert_int_equal(cage_cgroup_taken(&cgroup), CAGE_CONTROLLER_MAX);
    support_write_text("memory.max", "max\n");
    assert_int_equal(cage_cgroup_taken(&cgroup), CAGE_MEMORY);
    support_write_text("pids.max", "");
    assert_int_equal(cage_cgroup_taken(&cgroup), CAGE_PIDS);
    cage_cgroup_close(&cgroup);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_start_clears_a_dead_slot),
        cmocka_unit_test(a_living_owners_groups_stay),
        cmocka_unit_test(an_old_group_of_the_same_slot_is_replaced),
        cmocka_unit_test(limits_are_in_the_kernel),
        cmocka_unit_test(what_is_used_is_counted),
        IN_FOLDER(where_to_join),
        cmocka_unit_test(no_groups_no_trouble),
        IN_FOLDER(counters_of_v1),
        IN_FOLDER(counters_of_v2),
        IN_FOLDER(what_cannot_be_read_is_unknown),
        IN_FOLDER(memory_that_ran_out_around_it_is_not_its_own),
        IN_FOLDER(processes_that_were_refused_around_it_are_not_its_own),
        IN_FOLDER(a_limit_that_was_changed_is_seen),
    };

    return apart_status(cmocka_run_group_tests(tests, make_parents, remove_parents));
}
