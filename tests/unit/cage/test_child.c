/* test_child.c - tests of what child.h offers to the first process and to the guest-to-be: descriptors */
#include "../apart.h"
#include "cage/child.h"
#include "cage/kernel.h"

static void low_descriptors_move_up(void **state)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), low = fd, none = -1;

    (void)state;
    assert_in_range(fd, 3, CAGE_HIGH_FD - 1);
    assert_int_equal(cage_fd_high(&fd), 0);
    assert_true(fd >= CAGE_HIGH_FD);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(fcntl(low, F_GETFD), -1); /* moved, not copied */
    low = fd;
    assert_int_equal(cage_fd_high(&fd), 0);
    assert_int_equal(fd, low); /* high already */
    assert_int_equal(cage_fd_high(&none), 0);
    assert_int_equal(none, -1);
    (void)close(fd);
}

static void what_cannot_move_stays(void **state)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), closed = fd; /* whatever the starter has left open */

    (void)state;
    assert_in_range(fd, 3, CAGE_HIGH_FD - 1);
    assert_int_equal(close(fd), 0);
    assert_int_equal(cage_fd_high(&fd), -EBADF);
    assert_int_equal(fd, closed);
}

/* In a process of its own: all of its descriptors go. */
struct keeping {
    int keep[8];
    unsigned count;
};

static int keep_only(void *argument)
{
    const struct keeping *keeping = argument;

    for (int fd = 0; fd < 40; fd++)
        if (dup2(0, fd) < 0)
            return 1;
    if (cage_close_all_but(keeping->keep, keeping->count) < 0)
        return 2;
    for (int fd = 0; fd < 60; fd++) {
        bool wanted = false, open_now = fcntl(fd, F_GETFD) >= 0;
        for (unsigned i = 0; i < keeping->count; i++)
            wanted = wanted || keeping->keep[i] == fd;
        if (open_now != wanted)
            return 100 + fd;
    }
    return 0;
}

static void all_but_the_kept_are_closed(void **state)
{
    static struct keeping rows[] = {
        {{0}, 0},                    /* none */
        {{-1, -1, -1}, 3},           /* none, said with absent ones */
        {{0}, 1},                    /* the first */
        {{39}, 1},                   /* the last */
        {{5, 6, 7}, 3},              /* neighbours */
        {{30, 4, 17, 4}, 4},         /* any order, one twice */
        {{-1, 12, -1, 3, 0, 39}, 6}, /* mixed */
        {{0, 1, 2, 3, 4, 5, 6, 7}, 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(apart_end(apart_start(keep_only, &rows[i])), 0);
}

static void a_report_starts_empty(void **state)
{
    struct cage_shared *shared = kernel_mmap_shared(sizeof(*shared));
    struct cage_report *report = &shared->report;

    (void)state;
    assert_non_null(shared);
    assert_int_equal(report->achieved, 0);
    assert_int_equal(report->started, 0);
    assert_int_equal(report->ended, 0);
    assert_int_equal(report->denial_count, 0);
    cage_shared_free(shared);
    cage_shared_free(NULL);
}

static int write_report(void *argument)
{
    struct cage_report *report = argument;

    report->achieved = 5;
    report->denials[CAGE_DENIALS_MAX - 1].count = 7;
    return 0;
}

static void a_report_is_shared(void **state)
{
    struct cage_shared *shared = kernel_mmap_shared(sizeof(*shared));
    struct cage_report *report = &shared->report;

    (void)state;
    assert_int_equal(apart_end(apart_start(write_report, report)), 0);
    assert_int_equal(report->achieved, 5);
    assert_int_equal(report->denials[CAGE_DENIALS_MAX - 1].count, 7);
    cage_shared_free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_descriptors_move_up),     cmocka_unit_test(what_cannot_move_stays),
        cmocka_unit_test(all_but_the_kept_are_closed), cmocka_unit_test(a_report_starts_empty),
        cmocka_unit_test(a_report_is_shared),
    };

    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
