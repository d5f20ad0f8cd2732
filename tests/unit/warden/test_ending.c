/* test_ending.c - tests of src/warden/ending.c: from made-up reports and counters to the typed ending */
#include "watched.h"

#define EXIT(code)  ((code) << 8)
#define SIGNAL(sig) (sig)
#define MANY        (1u << 20) /* output */
#define WALL_US     10000000

/* One made-up end. Whatever is not named did not happen; counters that are not named are zero. */
struct row {
    const char *what;
    bool alive;   /* it could not be killed */
    bool unended; /* the guest's end was never reported */
    int wait_status;
    uint64_t oom_kills, refusals;
    bool outer_memory, outer_processes; /* limits of what is around it were met */
    bool memory_taken;                  /* its own limit was taken away */
    uint32_t scratch_full, denied_end, overdue;
    uint64_t end_us; /* the guest began at 1 */
    struct warden_stop stop;
    uint64_t stdout_bytes;
    enum policy_output output;
    /* and what must come of it */
    enum warden_ending ending;
    enum warden_limit limit;
    int exit_code, signal;
};

#define STOP(kind, which)                                                                                              \
    {                                                                                                                  \
        .wanted = true, .ending = WARDEN_##kind, .limit = WARDEN_LIMIT_##which, .detail = "why"                        \
    }

static const struct row rows[] = {
    {"exits with 0", .ending = WARDEN_EXITED},
    {"exits with 7", .wait_status = EXIT(7), .ending = WARDEN_EXITED, .exit_code = 7},
    {"exits with 124", .wait_status = EXIT(124), .ending = WARDEN_EXITED, .exit_code = 124},
    {"exits with 137", .wait_status = EXIT(137), .ending = WARDEN_EXITED, .exit_code = 137},
    {"exits with 255", .wait_status = EXIT(255), .ending = WARDEN_EXITED, .exit_code = 255},
    {"segmentation fault", .wait_status = SIGNAL(SIGSEGV) | 0x80, .ending = WARDEN_SIGNALED, .signal = SIGSEGV},
    {"kills itself", .wait_status = SIGNAL(SIGKILL), .ending = WARDEN_SIGNALED, .signal = SIGKILL},
    {"size signal without a file", .wait_status = SIGNAL(SIGXFSZ), .ending = WARDEN_SIGNALED, .signal = SIGXFSZ},

    {"memory", .wait_status = SIGNAL(SIGKILL), .oom_kills = 1, .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_MEMORY},
    {"memory, and the parent exits", .wait_status = EXIT(0), .oom_kills = 2, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_MEMORY},
    {"memory before wall", .unended = true, .oom_kills = 1, .stop = STOP(LIMIT, WALL), .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_MEMORY},
    {"memory while the cage is built", .unended = true, .oom_kills = 1, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_MEMORY},

    {"refused a process and copes", .refusals = 3, .ending = WARDEN_EXITED},
    {"refused a process and fails", .wait_status = EXIT(1), .refusals = 3, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_PROCESSES},
    {"refused a process and crashes", .wait_status = SIGNAL(SIGABRT), .refusals = 1, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_PROCESSES},
    {"fills the disk and copes", .scratch_full = 1, .ending = WARDEN_EXITED},
    {"fills the disk and fails", .wait_status = EXIT(1), .scratch_full = 1, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_DISK},
    {"uses up the inodes and fails", .wait_status = EXIT(1), .scratch_full = 2, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_DISK},
    {"disk before processes", .wait_status = EXIT(1), .scratch_full = 3, .refusals = 5, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_DISK},

    {"wall", .unended = true, .stop = STOP(LIMIT, WALL), .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_WALL},
    {"wall, but it had just ended", .wait_status = EXIT(3), .stop = STOP(LIMIT, WALL), .ending = WARDEN_EXITED,
     .exit_code = 3},
    {"wall, by the cage's own clock", .unended = true, .overdue = 1, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_WALL},
    {"wall, though it ended by itself", .end_us = WALL_US + 1, .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_WALL},
    {"just in time", .end_us = WALL_US, .ending = WARDEN_EXITED},
    {"cpu", .unended = true, .stop = STOP(LIMIT, CPU), .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_CPU},
    {"cpu, and it ended", .wait_status = EXIT(0), .stop = STOP(LIMIT, CPU), .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_CPU},
    {"idle", .unended = true, .stop = STOP(LIMIT, IDLE), .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_IDLE},
    {"input", .unended = true, .stop = STOP(LIMIT, INPUT), .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_INPUT},
    {"output, stopped", .unended = true, .stop = STOP(LIMIT, OUTPUT), .stdout_bytes = MANY + 1, .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_OUTPUT},
    {"output, seen at the end", .stdout_bytes = MANY + 1, .ending = WARDEN_LIMIT, .limit = WARDEN_LIMIT_OUTPUT},
    {"output, exactly the limit", .stdout_bytes = MANY, .ending = WARDEN_EXITED},
    {"output, cut", .stdout_bytes = 99u << 20, .output = POLICY_OUTPUT_TRUNCATE, .ending = WARDEN_EXITED},
    {"a storm of processes", .unended = true, .refusals = 5000, .stop = STOP(LIMIT, PROCESSES), .ending = WARDEN_LIMIT,
     .limit = WARDEN_LIMIT_PROCESSES},

    {"cancelled", .unended = true, .stop = STOP(CANCELLED, NONE), .ending = WARDEN_CANCELLED},
    {"cancelled by a signal", .unended = true, .wait_status = 0,
     .stop = {.wanted = true, .ending = WARDEN_CANCELLED, .signal = SIGTERM}, .ending = WARDEN_CANCELLED,
     .signal = SIGTERM},
    {"denied, and that ends it", .unended = true, .denied_end = 1, .ending = WARDEN_DENIED},
    {"denied before a wall that came while it died", .unended = true, .denied_end = 1, .stop = STOP(LIMIT, WALL),
     .ending = WARDEN_DENIED},

    {"killed from outside", .unended = true, .ending = WARDEN_LOST},
    {"cannot be killed", .alive = true, .unended = true, .stop = STOP(LIMIT, WALL), .ending = WARDEN_LOST},
    {"cannot be killed, whatever else", .alive = true, .oom_kills = 1, .denied_end = 1, .ending = WARDEN_LOST},
    {"its surroundings ran out of memory", .wait_status = SIGNAL(SIGKILL), .outer_memory = true, .ending = WARDEN_LOST},
    {"its surroundings ran out of memory, and it ended", .outer_memory = true, .ending = WARDEN_LOST},
    {"its surroundings refused a process and it copes", .outer_processes = true, .ending = WARDEN_EXITED},
    {"its surroundings refused a process and it fails", .wait_status = EXIT(1), .outer_processes = true,
     .ending = WARDEN_LOST},
    {"its memory was without a limit", .memory_taken = true, .ending = WARDEN_LOST},
    {"its memory was without a limit, and it crashes", .wait_status = SIGNAL(SIGSEGV), .memory_taken = true,
     .ending = WARDEN_LOST},
    {"its memory was without a limit, and it meets another", .unended = true, .memory_taken = true,
     .stop = STOP(LIMIT, WALL), .ending = WARDEN_LOST},
    {"its memory was without a limit, and it is cancelled", .unended = true, .memory_taken = true,
     .stop = STOP(CANCELLED, NONE), .ending = WARDEN_CANCELLED},
    {"never built", .unended = true, .stop = STOP(LOST, NONE), .ending = WARDEN_LOST},
};

static void decide(struct watched *run, const struct row *row)
{
    run->watch.dead = !row->alive;
    run->report.ended = !row->unended;
    run->report.start_us = 1;
    run->report.wait_status = row->wait_status;
    run->report.scratch_full = row->scratch_full;
    run->report.denied_end = row->denied_end;
    run->report.overdue = row->overdue;
    run->report.end_us = row->end_us;
    run->policy.limits[POLICY_LIMIT_WALL_MS] = (struct policy_limit){.value = WALL_US / 1000};
    run->counters =
        (struct cage_counters){.refusals = {row->oom_kills, row->refusals, row->outer_memory, row->outer_processes}};
    run->watch.taken = row->memory_taken ? CAGE_MEMORY : CAGE_CONTROLLER_MAX;
    run->watch.stop = row->stop;
    run->watch.sinks[WARDEN_OUT].bytes = row->stdout_bytes;
    run->policy.output = row->output;
    warden_ending_decide(&run->watch, &run->counters);
}

static void endings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct watched *run = watched_new();
        decide(run, row);
        const struct warden_outcome *outcome = &run->outcome;
        if (outcome->ending != row->ending || outcome->limit != row->limit)
            fail_msg("%s: %s (%s)", row->what, warden_ending_name(outcome->ending),
                     outcome->limit ? warden_limit_name(outcome->limit) : "no limit");
        if (row->ending == WARDEN_EXITED && outcome->exit_code != row->exit_code)
            fail_msg("%s: exit code %d", row->what, outcome->exit_code);
        if ((row->ending == WARDEN_SIGNALED || row->ending == WARDEN_CANCELLED) && outcome->signal != row->signal)
            fail_msg("%s: signal %d", row->what, outcome->signal);
        /* whose fault: an error of ours exactly where it is not the guest's */
        if ((outcome->error.code != 0) != (row->ending == WARDEN_LOST))
            fail_msg("%s: error %d", row->what, outcome->error.code);
        watched_free(run);
    }
}

static void denied_calls_are_counted_in_words(void **state)
{
    static const struct row denied = {"", .unended = true, .denied_end = 1};
    static const struct {
        uint64_t calls;
        const char *detail;
    } details[] = {
        {1, "at its first denied call"}, {2, "after 2 denied calls"}, {4000000, "after 4000000 denied calls"}};

    (void)state;
    for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
        struct watched *run = watched_new();
        run->report.denied_calls = details[i].calls;
        decide(run, &denied);
        assert_string_equal(run->outcome.detail, details[i].detail);
        watched_free(run);
    }
}

/* That is no end of a guest, and no limit of its. */
static void killed_on_the_way_to_become_a_guest(void **state)
{
    static const struct row killed = {"", .unended = true, .wait_status = SIGNAL(SIGSYS)};
    struct watched *run = watched_new();

    (void)state;
    run->report.failed_step = CAGE_STEP_LANDLOCK;
    decide(run, &killed);
    assert_int_equal(run->outcome.ending, WARDEN_SETUP_ERROR);
    assert_string_equal(run->outcome.error.place, "landlock");
    assert_non_null(strstr(run->outcome.error.what, "was killed (signal 31): a filter of system calls"));
    watched_free(run);
}

/* A filter that ends processes has ended the cage's first one. */
static void a_first_process_that_a_filter_ended(void **state)
{
    static const struct row unended = {"", .unended = true};
    struct watched *run = watched_new();

    (void)state;
    run->watch.status = SIGNAL(SIGSYS);
    decide(run, &unended);
    assert_int_equal(run->outcome.ending, WARDEN_SETUP_ERROR);
    assert_non_null(strstr(run->outcome.error.what, "its first process was killed (signal 31)"));
    watched_free(run);
}

static void the_supervisors_reason_is_kept(void **state)
{
    static const struct row stopped = {"", .unended = true, .stop = STOP(CANCELLED, NONE), .ending = 0};
    struct watched *run = watched_new();

    (void)state;
    decide(run, &stopped);
    assert_string_equal(run->outcome.detail, "why");
    watched_free(run);
}

/* Where nothing counts, nothing is guessed. */
static void unknown_counters_are_not_zero_and_not_many(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    run->watch.dead = true;
    run->report.ended = 1;
    run->report.wait_status = EXIT(1);
    warden_ending_decide(&run->watch, &run->counters);
    assert_int_equal(run->outcome.ending, WARDEN_EXITED);
    assert_int_equal(run->outcome.exit_code, 1);
    watched_free(run);
}

/* SIGXFSZ counts as the disk limit only with a file of that size to show for it. */
static void the_file_size_limit(void **state)
{
    static const struct {
        uint64_t peak;
        bool unlimited;
        enum warden_ending ending;
    } sizes[] = {
        {67108864, false, WARDEN_LIMIT},
        {67108864 - 4096, false, WARDEN_LIMIT}, /* not sampled at the very end */
        {4096, false, WARDEN_SIGNALED},
        {67108864, true, WARDEN_SIGNALED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct watched *run = watched_new();
        run->watch.dead = true;
        run->report.ended = 1;
        run->report.wait_status = SIGNAL(SIGXFSZ);
        run->report.scratch_peak_bytes = sizes[i].peak;
        run->policy.limits[POLICY_LIMIT_FILE_BYTES].unlimited = sizes[i].unlimited;
        warden_ending_decide(&run->watch, &run->counters);
        assert_int_equal(run->outcome.ending, sizes[i].ending);
        if (sizes[i].ending == WARDEN_LIMIT)
            assert_int_equal(run->outcome.limit, WARDEN_LIMIT_DISK);
        watched_free(run);
    }
}

static void stderr_counts_too(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    run->watch.dead = true;
    run->report.ended = 1;
    run->watch.sinks[WARDEN_ERR].bytes = MANY + 1;
    run->watch.sinks[WARDEN_MARK].bytes = 99u << 20; /* the mark has no part in it */
    warden_ending_decide(&run->watch, &run->counters);
    assert_int_equal(run->outcome.limit, WARDEN_LIMIT_OUTPUT);
    run->watch.sinks[WARDEN_ERR].bytes = MANY;
    warden_ending_decide(&run->watch, &run->counters);
    assert_int_equal(run->outcome.ending, WARDEN_EXITED);
    run->watch.sinks[WARDEN_OUT].bytes = MANY + 1;
    run->policy.limits[POLICY_LIMIT_STDOUT_BYTES].unlimited = true;
    warden_ending_decide(&run->watch, &run->counters);
    assert_int_equal(run->outcome.ending, WARDEN_EXITED);
    watched_free(run);
}

static void failed_steps(void **state)
{
    static const struct {
        int step, sys_errno, code;
    } steps[] = {
        {CAGE_AT_EXEC, ENOENT, BASE_E_NOT_FOUND}, /* the toolchain is missing: 127 */
        {CAGE_AT_EXEC, ENOEXEC, BASE_E_NOT_FOUND}, {CAGE_AT_EXEC, EACCES, BASE_E_NOT_FOUND},
        {CAGE_AT_EXEC, EIO, BASE_E_NOT_FOUND},     {CAGE_AT_EXEC, ELOOP, BASE_E_NOT_FOUND},
        {CAGE_AT_EXEC, ENOMEM, BASE_E_SETUP},      {CAGE_AT_INPUTS, ENOENT, BASE_E_SETUP},
        {CAGE_AT_INPUTS, ENOSPC, BASE_E_SETUP},    {CAGE_AT_PROOF, EPERM, BASE_E_SETUP},
        {CAGE_STEP_OWN_ROOT, EPERM, BASE_E_SETUP}, {CAGE_STEP_USER_NS, ENOENT, BASE_E_SETUP},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct watched *run = watched_new();
        run->watch.dead = true;
        run->report.failed_step = steps[i].step;
        run->report.failed_errno = steps[i].sys_errno;
        run->watch.stop = (struct warden_stop)STOP(LIMIT, WALL); /* that it took long is not the guest's fault */
        warden_ending_decide(&run->watch, &run->counters);
        assert_int_equal(run->outcome.ending, WARDEN_SETUP_ERROR);
        assert_int_equal(run->outcome.limit, WARDEN_LIMIT_NONE);
        assert_int_equal(run->outcome.error.code, steps[i].code);
        assert_int_equal(run->outcome.error.sys_errno, steps[i].sys_errno);
        assert_string_equal(run->outcome.error.place, cage_step_name((unsigned)steps[i].step));
        assert_non_null(strstr(run->outcome.error.what, strerror(steps[i].sys_errno)));
        assert_true(run->outcome.detail[0] != 0);
        watched_free(run);
    }
}

static void a_masked_proc_has_a_remedy(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    run->watch.dead = true;
    run->report.failed_step = CAGE_STEP_PROC_MASKED;
    run->report.failed_errno = EPERM;
    warden_ending_decide(&run->watch, &run->counters);
    assert_non_null(strstr(run->outcome.error.remedy, "systempaths=unconfined"));
    watched_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings),
        cmocka_unit_test(denied_calls_are_counted_in_words),
        cmocka_unit_test(killed_on_the_way_to_become_a_guest),
        cmocka_unit_test(a_first_process_that_a_filter_ended),
        cmocka_unit_test(the_supervisors_reason_is_kept),
        cmocka_unit_test(unknown_counters_are_not_zero_and_not_many),
        cmocka_unit_test(the_file_size_limit),
        cmocka_unit_test(stderr_counts_too),
        cmocka_unit_test(failed_steps),
        cmocka_unit_test(a_masked_proc_has_a_remedy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
