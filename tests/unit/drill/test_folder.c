/* test_folder.c - folders that come and go, whatever was put into them */
#include "../support.h"
#include "base/cleanup.h"
#include "drill/folder.h"
#include <signal.h>
#include <sys/wait.h>

static void removes_what_resists(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkdir("outside", 0755), 0);
    support_write_text("outside/kept", "");
    assert_int_equal(mkdir("tree", 0755), 0);
    assert_int_equal(mkdir("tree/closed", 0755), 0);
    support_write_text("tree/closed/file", "");
    assert_int_equal(mkfifo("tree/fifo", 0600), 0);
    assert_int_equal(mkdir("tree/lock", 0755), 0);
    support_write_text("tree/lock/file", "");
    assert_int_equal(symlink("../outside", "tree/link"), 0);
    assert_int_equal(chmod("tree/closed", 0), 0);
    drill_folder_remove("tree");
    assert_int_equal(lstat("tree", &st), -1);
    assert_int_equal(stat("outside/kept", &st), 0);
    drill_folder_remove("not-there");
}

static void fresh_is_empty(void **state)
{
    struct base_err err = {0};
    struct stat st;

    (void)state;
    (void)umask(077);
    assert_int_equal(drill_folder_fresh(".", "new", 0777, &err), 0);
    support_write_text("new/file", "");
    assert_int_equal(drill_folder_fresh(".", "new", 0711, &err), 0);
    assert_int_equal(stat("new", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0711);
    assert_int_equal(rmdir("new"), 0);
    assert_int_equal(drill_folder_fresh("not-there", "new", 0711, &err), BASE_E_SETUP);
}

static char sought[DRILL_PATH_BYTES];
static unsigned times_found;

static void find(const char *path)
{
    times_found += strcmp(path, sought) == 0;
}

/* Others may be there too, dead and alive: they are nobody's business here. */
static void dead_is_whose_lock_is_free(void **state)
{
    AUTO_CLOSE int lock_fd = -1;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(drill_folder_make(sought, &lock_fd, &err), 0);
    drill_folder_dead(find);
    assert_int_equal(times_found, 0);
    assert_int_equal(close(lock_fd), 0);
    lock_fd = -1;
    drill_folder_dead(find);
    if (times_found == 0) { /* a drill that started just now was quicker */
        assert_int_equal(access(sought, F_OK), -1);
        skip();
    }
    assert_int_equal(times_found, 1);
    drill_folder_remove(sought);
    drill_folder_dead(find);
    assert_int_equal(times_found, 1);
}

/* Of a maker that was killed before it had the lock; what is in use, or not ours to judge, stays. */
static void empty_is_removed(void **state)
{
    char empty[] = "/tmp/fumehood-drill-XXXXXX", full[] = "/tmp/fumehood-drill-XXXXXX";
    char place[DRILL_PATH_BYTES], file[DRILL_PATH_BYTES];
    AUTO_CLOSE int lock_fd = -1;
    struct base_err err = {0};
    struct stat st;

    (void)state;
    assert_int_equal(drill_folder_make(place, &lock_fd, &err), 0);
    assert_non_null(mkdtemp(empty));
    assert_non_null(mkdtemp(full));
    (void)snprintf(file, sizeof(file), "%s/kept", full);
    support_write_text(file, "");
    drill_folder_dead(find);
    assert_int_equal(lstat(empty, &st), -1);
    assert_int_equal(lstat(file, &st), 0);
    assert_int_equal(lstat(place, &st), 0);
    drill_folder_remove(full);
    drill_folder_remove(place);
}

/* Two that begin at once may each take the other's for a dead one's, as long as it has no lock. */
static void makers_do_not_stop_each_other(void **state)
{
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0)
        for (;;)
            drill_folder_dead(find);
    for (int i = 0; i < 300; i++) {
        char place[DRILL_PATH_BYTES];
        struct base_err err = {0};
        int lock_fd = -1;

        assert_int_equal(drill_folder_make(place, &lock_fd, &err), 0);
        (void)close(lock_fd);
        drill_folder_remove(place);
    }
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removes_what_resists),          cmocka_unit_test(fresh_is_empty),
        cmocka_unit_test(dead_is_whose_lock_is_free),    cmocka_unit_test(empty_is_removed),
        cmocka_unit_test(makers_do_not_stop_each_other),
    };
    return cmocka_run_group_tests(tests, support_enter, support_leave);
}
