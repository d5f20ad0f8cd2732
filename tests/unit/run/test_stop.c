/* test_stop.c - tests of src/run/stop.c, as an ordinary user: root's stop would stop the whole machine */
#include "run/stop.h"
#include "started.h"

#define STOP_FILE "state/fumehood/disabled"

static char here[256];
static bool is_apart; /* from the home of whoever tests: a stop there would end that user's runs, and stay */

static int enter(void **state)
{
    char path[300];

    if (support_enter(state) < 0 || !getcwd(here, sizeof(here)))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/state", here);
    return setenv("XDG_STATE_HOME", path, 1) < 0 || unsetenv("HOME") < 0 ? -1 : 0;
}

static void need_no_machine_stop(void)
{
    apart_need(is_apart, "this user may not make namespaces, and the test would set this user's emergency stop");
    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
}

static void set_and_clear(void **state)
{
    struct base_err err = {0};

    (void)state;
    need_no_machine_stop();
    assert_null(run_stop_reason());
    assert_int_equal(run_check_stop(&err), 0);
    assert_int_equal(run_stop_set("found a hole", &err), 0);
    assert_int_equal(access(STOP_FILE, F_OK), 0);
    assert_non_null(run_stop_reason());
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
    assert_int_equal(base_err_status(err.code), 126);
    assert_non_null(strstr(err.place, STOP_FILE));
    assert_string_equal(err.what, "runs are disabled: found a hole");
    assert_string_equal(err.remedy, "fumehood enable");
    assert_int_equal(run_stop_clear(&err), 0);
    assert_int_equal(access(STOP_FILE, F_OK), -1);
    assert_null(run_stop_reason());
    assert_int_equal(run_check_stop(NULL), 0);
}

static void twice_each(void **state)
{
    struct base_err err = {0};

    (void)state;
    need_no_machine_stop();
    assert_int_equal(run_stop_clear(&err), 0); /* nothing to clear is fine */
    assert_int_equal(run_stop_set("first", &err), 0);
    assert_int_equal(run_stop_set("second", &err), 0);
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
    assert_non_null(strstr(err.what, "second"));
    assert_int_equal(run_stop_clear(&err), 0);
    assert_int_equal(run_stop_clear(&err), 0);
    assert_int_equal(support_count_entries("state/fumehood"), 0); /* no temporary file either */
}

static void whatever_is_in_the_file_it_stops(void **state)
{
    static const struct {
        const char *text, *what;
    } rows[] = {
        {"", "no reason is given"},
        {"\n\n", "runs are disabled: "},
        {"why\n", "runs are disabled: why"},
    };

    (void)state;
    need_no_machine_stop();
    assert_int_equal(run_stop_set("x", NULL), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct base_err err = {0};
        support_write_text(STOP_FILE, rows[i].text);
        assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
        assert_non_null(strstr(err.what, rows[i].what));
        assert_non_null(run_stop_reason());
    }
}

static void a_long_or_odd_reason(void **state)
{
    static char text[10000];
    struct base_err err = {0};
    char line[1100];

    (void)state;
    need_no_machine_stop();
    memset(text, 'y', sizeof(text) - 1);
    assert_int_equal(run_stop_set(text, &err), 0);
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED); /* cut or left out, but it stops */
    assert_int_equal(run_stop_set("\x1b[2J\xff\r", &err), 0);
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
    (void)base_err_text(&err, line, sizeof(line));
    for (const char *c = line; *c; c++)
        assert_true((unsigned char)*c >= 32);
}

/* Something that cannot be read as a reason is a stop all the same. */
static void a_folder_or_a_closed_file_stops_too(void **state)
{
    struct base_err err = {0};

    (void)state;
    need_no_machine_stop();
    assert_int_equal(mkdir("state", 0755) | mkdir("state/fumehood", 0755) | mkdir(STOP_FILE, 0755), 0);
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
    assert_non_null(strstr(err.what, "no reason is given"));
    assert_int_not_equal(run_stop_clear(&err), 0); /* it is not ours to remove: said, not hidden */
    assert_int_equal(rmdir(STOP_FILE), 0);
    support_write_text(STOP_FILE, "secret");
    assert_int_equal(chmod(STOP_FILE, 0), 0);
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
    assert_int_equal(run_stop_clear(&err), 0);
}

static void places(void **state)
{
    struct base_err err = {0};
    char path[300];

    (void)state;
    need_no_machine_stop();
    assert_int_equal(unsetenv("XDG_STATE_HOME"), 0);
    (void)snprintf(path, sizeof(path), "%s/home", here);
    assert_int_equal(setenv("HOME", path, 1), 0);
    assert_int_equal(run_stop_set("x", &err), 0);
    assert_int_equal(access("home/.local/state/fumehood/disabled", F_OK), 0);
    assert_int_equal(setenv("XDG_STATE_HOME", "relative", 1), 0); /* not a place */
    assert_int_equal(run_check_stop(&err), BASE_E_REFUSED);
    assert_int_equal(run_stop_clear(&err), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_int_not_equal(run_stop_set("x", &err), 0); /* the home on record is not there */
    assert_int_equal(run_check_stop(&err), 0);
    assert_int_equal(run_stop_clear(&err), 0);
}

static void a_place_that_cannot_be_written(void **state)
{
    struct base_err err = {0};

    (void)state;
    need_no_machine_stop();
    support_write_text("state", "a file in the way");
    assert_true(run_stop_set("x", &err) < 0);
    assert_true(err.place[0] && err.what[0]);
    assert_int_equal(run_check_stop(&err), 0);
}

/* --- runs --- */

static void a_set_stop_starts_nothing(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    struct warden_outcome outcome;
    struct base_err err = {0};

    (void)state;
    need_no_machine_stop();
    started_program(&program, "p.sh", NULL, "echo ran");
    struct run_request request = started_request(&policy, &program);
    assert_int_equal(run_stop_set("stopped", NULL), 0);
    assert_int_equal(run_execute(&request, &outcome, &err), BASE_E_REFUSED);
    assert_non_null(strstr(err.what, "stopped"));
    assert_int_equal(run_stop_clear(NULL), 0);
    started_exited(&request, &outcome, 0);
    assert_string_equal(outcome.out.kept.bytes, "ran\n");
    warden_outcome_release(&outcome);
}

static int set_soon(void *argument)
{
    (void)argument;
    (void)usleep(800000);
    return run_stop_set("now", NULL) < 0;
}

static void setting_it_ends_a_run(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    pid_t pid;

    (void)state;
    need_no_machine_stop();
    started_program(&program, "p.sh", NULL, "echo before; sleep 100");
    struct run_request request = started_request(&policy, &program);
    pid = apart_start(set_soon, NULL);
    started_run(&request, &outcome);
    assert_int_equal(apart_end(pid), 0);
    assert_int_equal(outcome.ending, WARDEN_CANCELLED);
    assert_non_null(strstr(outcome.detail, "emergency stop"));
    assert_string_equal(outcome.out.kept.bytes, "before\n");
    assert_true(outcome.wall_us < 9000000);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(set_and_clear),
        ROW(twice_each),
        ROW(whatever_is_in_the_file_it_stops),
        ROW(a_long_or_odd_reason),
        ROW(a_folder_or_a_closed_file_stops_too),
        ROW(places),
        ROW(a_place_that_cannot_be_written),
        ROW(a_set_stop_starts_nothing),
        ROW(setting_it_ends_a_run),
    };

    is_apart = geteuid() == 0 || apart_forget_records() == 0;
    if (apart_become_user() < 0)
        return 1;
    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
