/* test_pool.c - workers by exec: what they are, what they get, and what becomes of jobs when they die */
#include "../run/started.h"
#include "base/clock.h"
#include "engine/pool.h"

#define WAIT_MS 30000

static struct policy policy;
static struct engine_pool *pool;

static const char *program_path(void)
{
    const char *path = getenv("FUMEHOOD_PROGRAM");

    apart_need(path != NULL, "FUMEHOOD_PROGRAM does not say where the program is");
    return path;
}

static void start(unsigned jobs)
{
    struct base_err err = {0};

    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    apart_need_namespaces();
    policy = started_policy();
    if (engine_pool_start(jobs, program_path(), &policy, STDERR_FILENO, &pool, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
}

static void stop(void)
{
    engine_pool_stop(pool);
    policy_release(&policy);
}

static void submit(const char *text, void *tag)
{
    CLEANUP(stage_program_release) struct stage_program program = {0};
    struct base_err err = {0};

    started_program(&program, "p.sh", "sh", text);
    const struct run_request request = started_request(&policy, &program);
    if (engine_pool_submit(pool, &request, tag, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
}

static enum engine_pool_event next(struct engine_pool_report *report)
{
    enum engine_pool_event event = engine_pool_wait(pool, WAIT_MS, report);

    if (event == ENGINE_POOL_NOTHING || report->code < 0)
        fail_msg("nothing came: %s", report->error.what);
    return event;
}

/* The only child, or the first. */
static pid_t first_child(void)
{
    char path[64], text[256] = "";

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
    support_read(path, text, sizeof(text));
    return (pid_t)strtol(text, NULL, 10);
}

static void first_the_verdict_then_the_rest(void **state)
{
    struct engine_pool_report report;
    int one;

    (void)state;
    start(1);
    submit("echo said; exit 3", &one);
    assert_int_equal(engine_pool_idle(pool), 0);
    assert_int_equal(next(&report), ENGINE_POOL_VERDICT);
    assert_ptr_equal(report.tag, &one);
    assert_int_equal(report.outcome->exit_code, 3);
    assert_string_equal(report.outcome->out.kept.bytes, "said\n");
    assert_int_equal(engine_pool_idle(pool), 1); /* it may have its next job */
    assert_int_equal(engine_pool_open(pool), 1);
    assert_int_equal(next(&report), ENGINE_POOL_SETTLED);
    assert_ptr_equal(report.tag, &one);
    assert_int_equal(report.outcome->exit_code, 3);
    assert_string_equal(report.outcome->out.kept.bytes, "said\n");
    assert_int_equal(engine_pool_open(pool), 0);
    assert_int_equal(engine_pool_wait(pool, -1, &report), ENGINE_POOL_NOTHING);
    stop();
}

static void the_next_job_before_the_former_is_settled(void **state)
{
    struct engine_pool_report report;
    unsigned verdicts = 0, settled = 0;
    int tags[6];

    (void)state;
    start(2);
    for (unsigned sent = 0; settled < 6;) {
        while (sent < 6 && engine_pool_idle(pool) > 0)
            submit("exit 1", &tags[sent++]);
        if (next(&report) == ENGINE_POOL_VERDICT)
            verdicts++;
        else
            settled++;
    }
    assert_int_equal(verdicts, 6);
    stop();
}

static void a_killed_worker_loses_its_run_only(void **state)
{
    struct engine_pool_report report;
    int one, two;

    (void)state;
    start(1);
    submit("sleep 100", &one);
    usleep(200000);
    assert_int_equal(kill(first_child(), SIGKILL), 0);
    assert_int_equal(engine_pool_wait(pool, WAIT_MS, &report), ENGINE_POOL_SETTLED);
    assert_ptr_equal(report.tag, &one);
    assert_int_equal(report.outcome->ending, WARDEN_LOST);
    submit("exit 0", &two);
    assert_int_equal(next(&report), ENGINE_POOL_VERDICT);
    assert_int_equal(next(&report), ENGINE_POOL_SETTLED);
    assert_int_equal(report.outcome->ending, WARDEN_EXITED);
    stop();
}

static void a_worker_killed_while_idle_is_replaced(void **state)
{
    struct engine_pool_report report;
    int one;

    (void)state;
    start(1);
    assert_int_equal(kill(first_child(), SIGKILL), 0);
    usleep(100000);
    submit("exit 0", &one);
    assert_int_equal(next(&report), ENGINE_POOL_VERDICT);
    assert_int_equal(report.outcome->ending, WARDEN_EXITED);
    stop();
}

static void what_a_dead_worker_said_is_still_told(void **state)
{
    struct engine_pool_report report;
    bool one_settled = false, two_settled = false;
    int one, two;

    (void)state;
    start(1);
    submit("exit 4", &one);
    assert_int_equal(next(&report), ENGINE_POOL_VERDICT);
    usleep(300000);
    assert_int_equal(kill(first_child(), SIGKILL), 0);
    usleep(100000);
    submit("exit 5", &two); /* begun by the next worker */
    while (!one_settled || !two_settled) {
        if (next(&report) != ENGINE_POOL_SETTLED)
            continue;
        assert_int_equal(report.outcome->ending, WARDEN_EXITED);
        assert_int_equal(report.outcome->exit_code, report.tag == &one ? 4 : 5);
        one_settled = one_settled || report.tag == &one;
        two_settled = two_settled || report.tag == &two;
    }
    stop();
}

static void a_job_that_was_not_taken_says_so(void **state)
{
    struct engine_pool_report report;
    int one;

    (void)state;
    start(1);
    assert_int_equal(kill(first_child(), SIGSTOP), 0);
    submit("exit 0", &one);
    assert_int_equal(kill(first_child(), SIGKILL), 0);
    assert_int_equal(engine_pool_wait(pool, WAIT_MS, &report), ENGINE_POOL_SETTLED);
    assert_ptr_equal(report.tag, &one);
    assert_int_equal(report.code, BASE_E_LOST);
    assert_non_null(strstr(report.error.what, "before it took"));
    stop();
}

static void stopping_ends_what_runs(void **state)
{
    uint64_t began_us;
    int one;

    (void)state;
    start(1);
    submit("sleep 100", &one);
    usleep(100000);
    began_us = base_clock_us();
    stop();
    assert_true(base_clock_us() - began_us < 5000000);
    assert_int_equal(first_child(), 0);
}

static bool holds(const char *path, const char *word)
{
    char text[8192];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = read(fd, text, sizeof(text));

    assert_true(count >= 0);
    assert_int_equal(close(fd), 0);
    return memmem(text, (size_t)count, word, strlen(word)) != NULL;
}

static void a_worker_has_nothing_of_its_starter(void **state)
{
    char path[64], target[256];
    int secret = open("/etc/hostname", O_RDONLY); /* on purpose not close-on-exec */
    pid_t pid;

    (void)state;
    assert_true(secret > 2);
    assert_int_equal(setenv("SECRET_TOKEN", "hidden", 1), 0);
    start(1);
    pid = first_child();
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", pid);
    assert_false(holds(path, "SECRET_TOKEN"));
    for (int fd = 3; fd < 64; fd++) {
        ssize_t length;

        (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
        length = readlink(path, target, sizeof(target) - 1);
        assert_true(length < 0 || strncmp(target, "/etc/hostname", (size_t)length) != 0);
    }
    assert_int_equal(getpgid(pid), pid);
    stop();
    (void)close(secret);
}

static void expect_no_worker(const char *path, const char *what)
{
    struct base_err err = {0};
    struct policy any = started_policy();

    assert_int_equal(engine_pool_start(2, path, &any, -1, &pool, &err), BASE_E_SETUP);
    assert_string_equal(err.place, path);
    if (!strstr(err.what, what))
        fail_msg("%s: %s", path, err.what);
    assert_int_equal(first_child(), 0);
    policy_release(&any);
}

static void what_is_no_worker_is_said(void **state)
{
    (void)state;
    expect_no_worker("/nowhere/fumehood", "cannot be started");
    expect_no_worker("/etc", "cannot be started");
    expect_no_worker("/bin/true", "does not answer");
    expect_no_worker("/bin/cat", "does not answer");
    /* It hears our greeting before it ends, else it might be gone before we have greeted. */
    support_write_text("old", "#!/bin/sh\nhead -c 1 <&3 >/dev/null\nprintf 'fumehood warden\\0' >&3\n"
                              "printf '%-128s' 9.8.7 | tr ' ' '\\0' >&3\n");
    assert_int_equal(chmod("old", 0755), 0);
    expect_no_worker("./old", "another build");
    support_write_text("babble", "#!/bin/sh\nyes >&3\n");
    assert_int_equal(chmod("babble", 0755), 0);
    expect_no_worker("./babble", "does not speak");
}

static void too_many_workers(void **state)
{
    struct base_err err = {0};

    (void)state;
    assert_int_equal(engine_pool_start(0, "x", &policy, -1, &pool, &err), BASE_E_USAGE);
    assert_int_equal(engine_pool_start(1025, "x", &policy, -1, &pool, &err), BASE_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_the_verdict_then_the_rest),
        cmocka_unit_test(the_next_job_before_the_former_is_settled),
        cmocka_unit_test(a_killed_worker_loses_its_run_only),
        cmocka_unit_test(a_worker_killed_while_idle_is_replaced),
        cmocka_unit_test(what_a_dead_worker_said_is_still_told),
        cmocka_unit_test(a_job_that_was_not_taken_says_so),
        cmocka_unit_test(stopping_ends_what_runs),
        cmocka_unit_test(a_worker_has_nothing_of_its_starter),
        cmocka_unit_test(what_is_no_worker_is_said),
        cmocka_unit_test(too_many_workers),
    };
    return apart_status(cmocka_run_group_tests(tests, support_enter, support_leave));
}
