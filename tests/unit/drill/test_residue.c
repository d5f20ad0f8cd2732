/* test_residue.c - what a run leaves is found: a process that hid itself, a control group */
#include "../support.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cage/cage.h"
#include "drill/residue.h"
#include <signal.h>
#include <sys/wait.h>

static struct drill_pids pids;

static void list(pid_t root, pid_t except)
{
    drill_pids_below(root, except, &pids);
}

/* A child that has a child of its own and ends: that one has no parent and no session of ours. Returns its id. */
static pid_t start_orphan(void)
{
    int fds[2];
    pid_t child, orphan;

    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setsid();
        orphan = fork();
        if (orphan == 0)
            for (;;)
                (void)pause();
        _exit(write(fds[1], &orphan, sizeof(orphan)) != sizeof(orphan));
    }
    assert_int_equal(read(fds[0], &orphan, sizeof(orphan)), sizeof(orphan));
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(fds[0]);
    (void)close(fds[1]);
    return orphan;
}

static void an_orphan_is_found_and_killed(void **state)
{
    CLEANUP(drill_residue_release) struct drill_residue residue = {.processes = 0};
    pid_t orphan;

    (void)state;
    list(getpid(), 0);
    assert_int_equal(pids.count, 0);
    orphan = start_orphan();
    list(getpid(), 0);
    assert_int_equal(pids.count, 1);
    assert_int_equal(pids.items[0], orphan);
    list(getpid(), orphan);
    assert_int_equal(pids.count, 0);
    drill_residue_processes(0, false, &residue);
    assert_int_equal(residue.processes, 1);
    assert_int_equal(residue.faults.count, 1);
    assert_string_equal(residue.faults.items[0], "1 process of the run lives");
    drill_residue_release(&residue);
    assert_true(drill_kill_below(0));
    assert_int_equal(kill(orphan, 0), -1);
    drill_residue_processes(0, false, &residue);
    assert_int_equal(residue.faults.count, 0);
}

static void what_is_below_another(void **state)
{
    pid_t child = fork();

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        if (fork() >= 0)
            for (;;)
                (void)pause();
        _exit(1);
    }
    for (int i = 0; i < 200 && pids.count < 2; i++) {
        base_clock_sleep_ms(5);
        list(getpid(), 0);
    }
    assert_int_equal(pids.count, 2);
    list(child, 0);
    assert_int_equal(pids.count, 1);
    assert_int_not_equal(pids.items[0], child);
    assert_true(drill_kill_below(0));
}

/* As the kernel shows one. */
static void make_group(const char *name, const char *members)
{
    char path[100];

    assert_int_equal(mkdir(name, 0755), 0);
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", name);
    support_write_text(path, members);
}

static void an_empty_group_that_stays_is_found(void **state)
{
    CLEANUP(drill_before_release) struct drill_before before = {.mounts = {0}};
    struct cage_host host = {.manager = CAGE_MANAGER_V1};
    CLEANUP(drill_residue_release) struct drill_residue residue = {.processes = 0};
    char wanted[CAGE_PATH_BYTES + 64];

    (void)state;
    assert_non_null(getcwd(host.cgroup_parents[CAGE_PIDS], CAGE_PATH_BYTES));
    make_group("fumehood-1", "");
    assert_int_equal(drill_before_take(&host, &before, NULL), 0);
    make_group("fumehood-2", "");
    make_group("fumehood-3", "1\n");
    make_group("other", "");
    drill_residue_look(&host, &before, 0, &residue);
    (void)snprintf(wanted, sizeof(wanted), "a control group was left: %.400s/fumehood-2",
                   host.cgroup_parents[CAGE_PIDS]);
    assert_int_equal(residue.faults.count, 1);
    assert_string_equal(residue.faults.items[0], wanted);
    assert_int_equal(residue.cgroups, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_orphan_is_found_and_killed),
        cmocka_unit_test(what_is_below_another),
        cmocka_unit_test(an_empty_group_that_stays_is_found),
    };
    struct base_err err;

    if (drill_residue_begin(&err) < 0)
        return 77;
    return cmocka_run_group_tests(tests, support_enter, support_leave);
}
