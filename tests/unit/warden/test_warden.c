/* test_warden.c - tests of src/warden/warden.c: whole runs of /bin/sh, watched to their ends */
#include "watched.h"
#include <sys/resource.h>

static int run_whole(const struct warden_job *job, struct warden_outcome *ret_outcome, struct base_err *err)
{
    struct warden_rest rest;
    int r = warden_run(job, &rest, ret_outcome, err);

    warden_settle(&rest, ret_outcome);
    return r;
}

static struct cage_host host;
static struct cage_slot slot = {.lock_fd = -1};

static int prepare(void **state)
{
    struct base_err err = {0};

    (void)state;
    cage_host_probe(&host);
    cage_base_take(&host);
    return cage_slot_acquire(&host, &slot, &err);
}

static int clear(void **state)
{
    (void)state;
    cage_slot_release(&slot);
    return 0;
}

/* One run: the script, and limits of which those that this machine cannot enforce are left out. */
struct
try {
    const char *script;
    const char *limits[4];
    enum policy_output output;
    const char *(*should_stop)(void);
    const void *input;
    size_t input_count;
    bool mark;
};

static void run_try(const struct try *try, struct warden_outcome *ret_outcome)
{
    char *argv[] = {(char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)try->script, NULL};
    struct policy policy;
    struct cage_plan plan;
    struct base_err err = {0};

    apart_need_namespaces();
    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    for (size_t i = 0; i < 4 && try->limits[i]; i++)
        assert_int_equal(policy_set_limit(&policy, try->limits[i], NULL), 0);
    policy.output = try->output;
    if (cage_plan_make(&policy, &host, &plan, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    struct warden_job job = {.host = &host,
                             .plan = &plan,
                             .slot = &slot,
                             .argv = argv,
                             .envp = (char *const *)(uintptr_t)cage_environment(),
                             .stdin_fd = -1,
                             .stdin_bytes = try->input,
                             .stdin_count = try->input_count,
                             .mark = try->mark,
                             .stdout_fd = -1,
                             .stderr_fd = -1,
                             .should_stop = try->should_stop};
    if (run_whole(&job, ret_outcome, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    if (ret_outcome->ending == WARDEN_SETUP_ERROR || ret_outcome->ending == WARDEN_LOST)
        fail_msg("%s: %s", ret_outcome->error.place, ret_outcome->error.what);
    assert_int_equal(ret_outcome->teardown.processes_left, 0);
    assert_int_equal(ret_outcome->teardown.cgroups_left, 0);
    assert_int_equal(ret_outcome->teardown.mounts_left, 0);
    assert_int_equal(ret_outcome->teardown.files_left, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* reaped */
    policy_release(&policy);
}

static void a_plain_run(void **state)
{
    struct warden_outcome outcome;

    (void)state;
    run_try(&(struct try){.script = "printf out; printf err >&2; printf mark >&3; exit 3", .mark = true}, &outcome);
    assert_int_equal(outcome.ending, WARDEN_EXITED);
    assert_int_equal(outcome.exit_code, 3);
    assert_string_equal(outcome.out.kept.bytes, "out");
    assert_string_equal(outcome.err.kept.bytes, "err");
    assert_string_equal(outcome.mark.bytes, "mark");
    assert_int_equal(outcome.protections_achieved, outcome.protections_requested);
    assert_int_equal(outcome.protections_requested & outcome.protections_missing, 0);
    assert_int_equal(strlen(outcome.run_id), 32);
    assert_int_equal(strlen(outcome.started_utc), 24);
    assert_in_range(outcome.wall_us, 1, 10000000);
    assert_int_equal(outcome.denial_count, 0);
    assert_int_equal(outcome.error.code, 0);
    warden_outcome_release(&outcome);
}

static void run_ids_differ(void **state)
{
    struct warden_outcome first, second;

    (void)state;
    run_try(&(struct try){.script = ":"}, &first);
    run_try(&(struct try){.script = ":"}, &second);
    assert_string_not_equal(first.run_id, second.run_id);
    warden_outcome_release(&first);
    warden_outcome_release(&second);
}

static void input_arrives_whole(void **state)
{
    static char input[200000];
    struct warden_outcome outcome;

    (void)state;
    for (size_t i = 0; i < sizeof(input); i++)
        input[i] = (char)(i * 13);
    run_try(&(struct try){.script = "cat", .input = input, .input_count = sizeof(input)}, &outcome);
    assert_int_equal(outcome.ending, WARDEN_EXITED);
    assert_int_equal(outcome.out.kept.count, sizeof(input));
    assert_memory_equal(outcome.out.kept.bytes, input, sizeof(input));
    assert_false(outcome.out.truncated);
    warden_outcome_release(&outcome);
}

static void signals_of_the_guest(void **state)
{
    struct warden_outcome outcome;

    (void)state;
    run_try(&(struct try){.script = "kill -ABRT $$"}, &outcome);
    assert_int_equal(outcome.ending, WARDEN_SIGNALED);
    assert_int_equal(outcome.signal, SIGABRT);
    warden_outcome_release(&outcome);
}

static void wall_keeps_what_was_written(void **state)
{
    struct warden_outcome outcome;

    (void)state;
    run_try(&(struct try){.script = "echo before; sleep 100; echo after", .limits = {"wall_ms=600ms"}}, &outcome);
    assert_int_equal(outcome.ending, WARDEN_LIMIT);
    assert_int_equal(outcome.limit, WARDEN_LIMIT_WALL);
    assert_string_equal(outcome.out.kept.bytes, "before\n");
    assert_int_equal(outcome.limits[POLICY_LIMIT_WALL_MS].hits, 1);
    assert_in_range(outcome.wall_us, 590000, 9000000);
    warden_outcome_release(&outcome);
}

/* A grandchild in a session of its own holds the pipes; a stopped one is there too. */
static void nothing_outlives_the_first_process(void **state)
{
    struct warden_outcome outcome;
    uint64_t before_us = base_clock_us();

    (void)state;
    run_try(
        &(struct try){.script =
                          "setsid sleep 1000 & sh -c 'kill -STOP $$; sleep 1000' & (trap '' TERM HUP; sleep 1000) & "
                          "sleep 0.1; echo done; exit 0"},
        &outcome);
    assert_int_equal(outcome.ending, WARDEN_EXITED);
    assert_string_equal(outcome.out.kept.bytes, "done\n");
    assert_true(base_clock_us() - before_us < 9000000);
    warden_outcome_release(&outcome);
}

static void output_ends_it_or_is_cut(void **state)
{
    struct warden_outcome outcome;

    (void)state;
    run_try(&(struct try){.script = "while :; do echo 0123456789; done", .limits = {"stdout_bytes=1000"}}, &outcome);
    assert_int_equal(outcome.limit, WARDEN_LIMIT_OUTPUT);
    assert_string_equal(outcome.detail, "stdout");
    assert_int_equal(outcome.out.kept.count, 1000);
    assert_true(outcome.out.truncated);
    warden_outcome_release(&outcome);

    run_try(&(struct try){.script = "i=0; while [ $i -lt 500 ]; do echo 0123456789; i=$((i+1)); done",
                          .limits = {"stdout_bytes=1000"},
                          .output = POLICY_OUTPUT_TRUNCATE},
            &outcome);
    assert_int_equal(outcome.ending, WARDEN_EXITED);
    assert_int_equal(outcome.out.bytes, 5500);
    assert_int_equal(outcome.out.kept.count, 1000);
    assert_true(outcome.out.truncated);
    assert_int_equal(outcome.limits[POLICY_LIMIT_STDOUT_BYTES].hits, 1);
    warden_outcome_release(&outcome);
}

static int signal_parent(void *argument)
{
    (void)usleep(700000);
    return kill(getppid(), *(int *)argument) < 0;
}

struct when_heard {
    int number, fd;
};

/* The guest has said something, however long that took: nothing is sent before. */
static int signal_parent_when_heard(void *argument)
{
    const struct when_heard *when = argument;
    char byte;

    return read(when->fd, &byte, 1) != 1 || kill(getppid(), when->number) < 0;
}

/* Both clean up: the run ends as cancelled, and the signal is used up. */
static void signals_cancel(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM};

    (void)state;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        int number = signals[i], fds[2];
        struct warden_outcome outcome;
        struct policy policy;
        struct cage_plan plan;
        char *argv[] = {(char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c",
                        (char *)(uintptr_t) "echo started; sleep 100", NULL};
        apart_need_namespaces();
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
        assert_int_equal(cage_plan_make(&policy, &host, &plan, NULL), 0);
        struct warden_job job = {.host = &host,
                                 .plan = &plan,
                                 .slot = &slot,
                                 .argv = argv,
                                 .envp = (char *const *)(uintptr_t)cage_environment(),
                                 .stdin_fd = -1,
                                 .stdin_bytes = "",
                                 .stdout_fd = fds[1],
                                 .stderr_fd = -1};
        sigset_t set, old; /* one that comes early waits */
        (void)sigemptyset(&set);
        (void)sigaddset(&set, number);
        assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
        pid_t pid = apart_start(signal_parent_when_heard, &(struct when_heard){number, fds[0]});
        assert_int_equal(run_whole(&job, &outcome, NULL), 0);
        assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0); /* were it not used up, this would end us */
        assert_int_equal(apart_end(pid), 0);
        assert_int_equal(outcome.ending, WARDEN_CANCELLED);
        assert_int_equal(outcome.signal, number);
        assert_string_equal(outcome.out.kept.bytes, "started\n");
        assert_int_equal(close(fds[0]) | close(fds[1]), 0);
        warden_outcome_release(&outcome);
        policy_release(&policy);
    }
}

/* The guest is long gone, its output still waits for a reader that does not read: a signal ends the wait. */
static void a_reader_that_does_not_read(void **state)
{
    int number = SIGTERM, fds[2];
    char bytes[4096] = {0};
    char *argv[] = {(char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t) "echo waits", NULL};
    struct warden_outcome outcome;
    struct policy policy;
    struct cage_plan plan;
    sigset_t set, old;

    (void)state;
    apart_need_namespaces();
    assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    while (write(fds[1], bytes, sizeof(bytes)) > 0)
        ;
    assert_int_equal(fcntl(fds[1], F_SETFL, 0), 0);
    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    assert_int_equal(cage_plan_make(&policy, &host, &plan, NULL), 0);
    struct warden_job job = {.host = &host,
                             .plan = &plan,
                             .slot = &slot,
                             .argv = argv,
                             .envp = (char *const *)(uintptr_t)cage_environment(),
                             .stdin_fd = -1,
                             .stdin_bytes = "",
                             .stdout_fd = fds[1],
                             .stderr_fd = -1};
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
    pid_t pid = apart_start(signal_parent, &number);
    assert_int_equal(run_whole(&job, &outcome, NULL), 0);
    assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
    assert_int_equal(apart_end(pid), 0);
    assert_int_equal(outcome.ending, WARDEN_CANCELLED);
    assert_int_equal(outcome.signal, SIGTERM);
    assert_string_equal(outcome.out.kept.bytes, "waits\n"); /* nothing of it is lost */
    assert_int_equal(outcome.teardown.processes_left + outcome.teardown.cgroups_left, 0);
    (void)close(fds[0]);
    (void)close(fds[1]);
    warden_outcome_release(&outcome);
    policy_release(&policy);
}

static unsigned asked;

static const char *stop_soon(void)
{
    return ++asked < 4 ? NULL : "enough";
}

static void the_emergency_stop_ends_a_run(void **state)
{
    struct warden_outcome outcome;

    (void)state;
    run_try(&(struct try){.script = "sleep 100", .should_stop = stop_soon}, &outcome);
    assert_int_equal(outcome.ending, WARDEN_CANCELLED);
    assert_string_equal(outcome.detail, "enough");
    assert_int_equal(outcome.signal, 0);
    assert_true(asked >= 4); /* again, where the end takes long */
    warden_outcome_release(&outcome);
}

static void denials_are_named_and_counted(void **state)
{
    struct warden_outcome outcome;

    (void)state;
    run_try(&(struct try){.script = "unshare -U true; unshare -U true; unshare -n true; :"}, &outcome);
    assert_int_equal(outcome.ending, WARDEN_EXITED);
    assert_int_equal(outcome.denial_count, 2);
    assert_string_equal(warden_outcome_denials(&outcome)[0].what, "unshare(CLONE_NEWUSER)");
    assert_string_equal(warden_outcome_denials(&outcome)[0].class_name, "process");
    assert_int_equal(warden_outcome_denials(&outcome)[0].count, 2);
    assert_string_equal(warden_outcome_denials(&outcome)[1].what, "unshare(CLONE_NEWNET)");
    assert_true(warden_outcome_denials(&outcome)[1].first_us >= warden_outcome_denials(&outcome)[0].first_us);
    assert_true(warden_outcome_denials(&outcome)[0].first_us < 10000000);
    assert_int_equal(outcome.denials_unlisted, 0);
    warden_outcome_release(&outcome);
}

/* As many runs as one likes in one process: nothing piles up. */
static void nothing_piles_up(void **state)
{
    struct warden_outcome outcome;
    int before;

    (void)state;
    run_try(&(struct try){.script = ":"}, &outcome);
    warden_outcome_release(&outcome);
    before = support_count_entries("/proc/self/fd");
    for (int i = 0; i < 10; i++) {
        run_try(&(struct try){.script = "sleep 0.01 & exit 0", .mark = i & 1}, &outcome);
        warden_outcome_release(&outcome);
    }
    assert_int_equal(support_count_entries("/proc/self/fd"), before);
}

static void a_program_that_is_not_there(void **state)
{
    char *argv[] = {(char *)(uintptr_t) "/usr/bin/no-such-interpreter", NULL};
    struct warden_outcome outcome;
    struct policy policy;
    struct cage_plan plan;

    (void)state;
    apart_need_namespaces();
    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    assert_int_equal(cage_plan_make(&policy, &host, &plan, NULL), 0);
    struct warden_job job = {.host = &host,
                             .plan = &plan,
                             .slot = &slot,
                             .argv = argv,
                             .envp = (char *const *)(uintptr_t)cage_environment(),
                             .stdin_fd = -1,
                             .stdin_bytes = "",
                             .stdout_fd = -1,
                             .stderr_fd = -1};
    assert_int_equal(run_whole(&job, &outcome, NULL), 0);
    assert_int_equal(outcome.ending, WARDEN_SETUP_ERROR);
    assert_int_equal(outcome.error.code, BASE_E_NOT_FOUND);
    assert_string_equal(outcome.error.place, "exec");
    assert_int_equal(outcome.teardown.processes_left + outcome.teardown.cgroups_left, 0);
    warden_outcome_release(&outcome);
    policy_release(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_run),
        cmocka_unit_test(run_ids_differ),
        cmocka_unit_test(input_arrives_whole),
        cmocka_unit_test(signals_of_the_guest),
        cmocka_unit_test(wall_keeps_what_was_written),
        cmocka_unit_test(nothing_outlives_the_first_process),
        cmocka_unit_test(output_ends_it_or_is_cut),
        cmocka_unit_test(signals_cancel),
        cmocka_unit_test(a_reader_that_does_not_read),
        cmocka_unit_test(the_emergency_stop_ends_a_run),
        cmocka_unit_test(denials_are_named_and_counted),
        cmocka_unit_test(nothing_piles_up),
        cmocka_unit_test(a_program_that_is_not_there),
    };

    return apart_status(cmocka_run_group_tests(tests, prepare, clear));
}
