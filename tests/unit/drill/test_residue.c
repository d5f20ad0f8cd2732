/* test_residue.c - what a run leaves is found: a process that hid itself, a control group */
#include "../support.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cage/cage.h"
#include "drill/residue.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
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
    drill_residue_processes(0, 0, &residue);
    assert_int_equal(residue.processes, 1);
    assert_int_equal(residue.faults.count, 1);
    assert_string_equal(residue.faults.items[0], "1 process of the run lives");
    drill_residue_release(&residue);
    assert_true(drill_kill_below(0));
    assert_int_equal(kill(orphan, 0), -1);
    drill_residue_processes(0, 0, &residue);
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
    make_group("fumehood-4", "");
    make_group("fumehood-4/run", "1\n");
    make_group("other", "");
    drill_residue_look(&host, &before, 0, DRILL_PATIENCE_US, &residue);
    (void)snprintf(wanted, sizeof(wanted), "a control group was left: %.400s/fumehood-2",
                   host.cgroup_parents[CAGE_PIDS]);
    assert_int_equal(residue.faults.count, 1);
    assert_string_equal(residue.faults.items[0], wanted);
    assert_int_equal(residue.cgroups, 1);
}

/* --- mounts; the machine's own are not touched: what stands for everybody's is a copy of them --- */

static int everybody_fd = -1;
static char gone[4096], kept[4096];

static bool mount_at(const char *name, char path[4096])
{
    char folder[4000];

    if (!getcwd(folder, sizeof(folder)))
        return false;
    (void)snprintf(path, 4096, "%s/%s", folder, name);
    return mkdir(path, 0700) == 0 && mount("none", path, "tmpfs", 0, NULL) == 0;
}

/* Before the drill begins: two mounts that everybody has. */
static void stand_for_everybody(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return; /* not root: skipped below */
    if (mount_at("gone", gone) && mount_at("kept", kept))
        everybody_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
}

static void everybody_unmounts(const char *path)
{
    pid_t child = fork();
    int status = 1;

    assert_true(child >= 0);
    if (child == 0)
        _exit(setns(everybody_fd, 0) < 0 || umount(path) < 0 || rmdir(path) < 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void mounts_of_others_do_not_count(void **state)
{
    CLEANUP(drill_before_release) struct drill_before before = {.mounts = {0}};
    CLEANUP(drill_residue_release) struct drill_residue residue = {.processes = 0};
    struct cage_host host = {.manager = CAGE_MANAGER_V1};
    char fresh[4096], wanted[4200];

    (void)state;
    if (everybody_fd < 0)
        skip();
    assert_int_equal(drill_before_take(&host, &before, NULL), 0);
    everybody_unmounts(gone); /* a person logs out, say; with the folder it leaves our copy too */
    drill_residue_look(&host, &before, 0, 0, &residue);
    assert_int_equal(residue.mounts, 0);
    assert_int_equal(umount(kept), 0);
    assert_true(mount_at("fresh", fresh));
    drill_residue_look(&host, &before, 0, 0, &residue);
    assert_int_equal(umount(fresh), 0);
    assert_int_equal(residue.mounts, 2);
    (void)snprintf(wanted, sizeof(wanted), "a mount appeared: %.180s", fresh);
    assert_string_equal(residue.faults.items[0], wanted);
    (void)snprintf(wanted, sizeof(wanted), "a mount disappeared: %.180s", kept);
    assert_string_equal(residue.faults.items[1], wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_orphan_is_found_and_killed),
        cmocka_unit_test(what_is_below_another),
        cmocka_unit_test(an_empty_group_that_stays_is_found),
        cmocka_unit_test(mounts_of_others_do_not_count),
    };
    struct base_err err;

    stand_for_everybody();
    if (drill_residue_begin(&err) < 0)
        return 77;
    return cmocka_run_group_tests(tests, support_enter, support_leave);
}
