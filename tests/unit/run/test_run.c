/* test_run.c - tests of src/run/run.c: real runs, from the request to the outcome */
#include "started.h"
#include <sys/stat.h>

static void a_native_program_with_input(void **state)
{
    static const char input[] = "\0bytes\xff\r\n\xc3\x28 to the end\0";
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    started_native(&program, "/usr/bin/cat");
    struct run_request request = started_request(&policy, &program);
    request.stdin_bytes = input;
    request.stdin_count = sizeof(input);
    started_exited(&request, &outcome, 0);
    assert_int_equal(outcome.out.kept.count, sizeof(input));
    assert_memory_equal(outcome.out.kept.bytes, input, sizeof(input));
    assert_int_equal(outcome.err.kept.count, 0);
}

static void input_from_a_file(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    AUTO_CLOSE int fd = -1;

    (void)state;
    support_write_text("input", "from a file\n");
    fd = open("input", O_RDONLY | O_CLOEXEC);
    started_native(&program, "/usr/bin/cat");
    struct run_request request = started_request(&policy, &program);
    request.stdin_fd = fd;
    started_exited(&request, &outcome, 0);
    assert_string_equal(outcome.out.kept.bytes, "from a file\n");
}

static void output_is_passed_on_too(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    AUTO_CLOSE int out = open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    AUTO_CLOSE int err = open("err", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    char text[64];

    (void)state;
    started_program(&program, "p.sh", NULL, "echo one; echo two >&2");
    struct run_request request = started_request(&policy, &program);
    request.stdout_fd = out;
    request.stderr_fd = err;
    started_exited(&request, &outcome, 0);
    support_read("out", text, sizeof(text));
    assert_string_equal(text, "one\n");
    support_read("err", text, sizeof(text));
    assert_string_equal(text, "two\n");
    assert_string_equal(outcome.out.kept.bytes, "one\n");
    assert_string_equal(outcome.err.kept.bytes, "two\n");
}

/* --- environment --- */

static void the_environment_in_its_order(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    assert_int_equal(setenv("FUMEHOOD_UNIT_SECRET", "must not arrive", 1), 0);
    started_native(&program, "/usr/bin/env");
    struct run_request request = started_request(&policy, &program);
    started_exited(&request, &outcome, 0);
    assert_string_equal(
        outcome.out.kept.bytes,
        "PATH=/usr/local/bin:/usr/bin:/bin\nHOME=/work\nLANG=C.UTF-8\nTZ=UTC\nTMPDIR=/tmp\nTERM=dumb\n");
}

/* fixed < runtime < policy; a later one takes the earlier one's place. */
static void later_names_win(void **state)
{
    static const struct stage_runtime runtime = {
        .name = "made-up",
        .command = {(char *)(uintptr_t) "{program}"},
        .command_count = 1,
        .environment = {(char *)(uintptr_t) "LANG=runtime", (char *)(uintptr_t) "MODE=runtime",
                        (char *)(uintptr_t) "TZ=runtime", (char *)(uintptr_t) "PAT=longer names are other names"},
        .environment_count = 4,
    };
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    started_native(&program, "/usr/bin/env");
    program.runtime = &runtime;
    assert_int_equal(policy_add_env(&policy, "TZ=policy", NULL), 0);
    assert_int_equal(policy_add_env(&policy, "MODE=policy=with equals", NULL), 0);
    assert_int_equal(policy_add_env(&policy, "EMPTY=", NULL), 0);
    struct run_request request = started_request(&policy, &program);
    started_exited(&request, &outcome, 0);
    assert_string_equal(
        outcome.out.kept.bytes,
        "PATH=/usr/local/bin:/usr/bin:/bin\nHOME=/work\nLANG=runtime\nTZ=policy\nTMPDIR=/tmp\nTERM=dumb\n"
        "MODE=policy=with equals\nPAT=longer names are other names\nEMPTY=\n");
}

static void every_variable_that_a_policy_may_have(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    unsigned lines = 0;

    (void)state;
    for (int i = 0; i < POLICY_ENV_MAX; i++) {
        char assignment[32];
        (void)snprintf(assignment, sizeof(assignment), "V%d=%d", i, i);
        assert_int_equal(policy_add_env(&policy, assignment, NULL), 0);
    }
    started_native(&program, "/usr/bin/env");
    struct run_request request = started_request(&policy, &program);
    started_exited(&request, &outcome, 0);
    for (const char *at = outcome.out.kept.bytes; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, POLICY_ENV_MAX + 6);
    assert_non_null(strstr(outcome.out.kept.bytes, "\nV63=63\n"));
}

/* --- arguments --- */

static void arguments_arrive_as_they_are(void **state)
{
    static const char *const args[] = {"", "two words", "*", "-n", "\xff\n", "{program}", NULL};
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    started_program(&program, "args.sh", NULL, "echo $0; for a; do printf '<%s>' \"$a\"; done");
    struct run_request request = started_request(&policy, &program);
    request.args = args;
    started_exited(&request, &outcome, 0);
    assert_string_equal(outcome.out.kept.bytes, "/work/args.sh\n<><two words><*><-n><\xff\n><{program}>");
}

static void too_many_arguments(void **state)
{
    static const char *args[1026];
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    struct base_err err = {0};

    (void)state;
    for (int i = 0; i < 1024; i++)
        args[i] = "a";
    started_program(&program, "args.sh", NULL, "echo $#");
    struct run_request request = started_request(&policy, &program);
    request.args = args;
    started_exited(&request, &outcome, 0);
    assert_string_equal(outcome.out.kept.bytes, "1024\n");
    args[1024] = "one more";
    warden_outcome_release(&outcome);
    assert_int_equal(run_execute(&request, &outcome, &err), BASE_E_USAGE);
    assert_string_equal(err.place, "arguments");
    assert_non_null(strstr(err.what, "1024"));
}

/* --- files --- */

static void files_below_work(void **state)
{
    struct stage_file files[] = {
        {.path = "data.bin", .bytes = "\0\xff", .count = 2, .mode = 0644},
        {.path = "a/b/deep.txt", .bytes = "deep", .count = 4, .mode = 0644},
        {.path = "a/tool", .bytes = "#!/bin/sh\necho tool\n", .count = 20, .mode = 0755},
        {.path = "empty", .bytes = "", .count = 0, .mode = 0644},
    };
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    started_program(&program, "p.sh", NULL,
                    "pwd; cat a/b/deep.txt; echo; a/tool; stat -c '%a %s %u %n' data.bin a/tool empty p.sh a/b;"
                    "echo more >>a/b/deep.txt && mkdir a/c && rm data.bin && ls");
    struct run_request request = started_request(&policy, &program);
    request.files = files;
    request.file_count = sizeof(files) / sizeof(files[0]);
    started_run(&request, &outcome);
    assert_non_null(outcome.out.kept.bytes);
    assert_non_null(strstr(outcome.out.kept.bytes, "/work\ndeep\ntool\n644 2 1000 data.bin\n755 20 1000 a/tool\n"
                                                   "644 0 1000 empty\n644 "));
    assert_non_null(strstr(outcome.out.kept.bytes, " 1000 a/b\na\nempty\np.sh\n"));
    assert_int_equal(outcome.exit_code, 0);
}

static void too_many_files(void **state)
{
    static struct stage_file files[257];
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    struct base_err err = {0};

    (void)state;
    for (int i = 0; i < 257; i++) {
        files[i] = (struct stage_file){.bytes = "x", .count = 1, .mode = 0644};
        (void)snprintf(files[i].path, sizeof(files[i].path), "d%d/f", i);
    }
    started_program(&program, "p.sh", NULL, "cat */f | wc -c");
    struct run_request request = started_request(&policy, &program);
    request.files = files;
    request.file_count = 256;
    started_exited(&request, &outcome, 0);
    assert_int_equal(strtol(outcome.out.kept.bytes, NULL, 10), 256);
    warden_outcome_release(&outcome);
    request.file_count = 257;
    assert_int_equal(run_execute(&request, &outcome, &err), BASE_E_USAGE);
    assert_string_equal(err.place, "--input");
    assert_non_null(strstr(err.what, "256"));
}

/* What is staged does not eat into the guest's own share, and does not add to it. */
static void staged_files_come_on_top(void **state)
{
    static char bytes[250 << 10];
    struct stage_file file = {.path = "big", .bytes = bytes, .count = sizeof(bytes), .mode = 0644};
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    assert_int_equal(policy_set_limit(&policy, "scratch_bytes=256KiB", NULL), 0);
    started_program(&program, "p.sh", NULL,
                    "head -c 200000 /dev/zero >/tmp/mine && echo fits;"
                    "head -c 900000 /dev/zero >/tmp/more 2>/dev/null || echo full; exit 0");
    struct run_request request = started_request(&policy, &program);
    request.files = &file;
    request.file_count = 1;
    started_exited(&request, &outcome, 0);
    assert_string_equal(outcome.out.kept.bytes, "fits\nfull\n");
}

/* --- the mark --- */

static void the_mark_is_a_descriptor_of_its_own(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    started_program(&program, "p.sh", NULL, "echo public; echo private >&3; ls /proc/self/fd | wc -l");
    struct run_request request = started_request(&policy, &program);
    request.mark = true;
    started_exited(&request, &outcome, 0);
    assert_string_equal(outcome.mark.bytes, "private\n");
    assert_non_null(strstr(outcome.out.kept.bytes, "public\n"));
    assert_null(strstr(outcome.out.kept.bytes, "private"));
    assert_false(outcome.mark_truncated);
}

static void without_a_mark_there_is_no_descriptor(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};

    (void)state;
    started_program(&program, "p.sh", NULL,
                    "for fd in 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$fd ] && [ $fd != 3 ] && "
                    "echo $fd; done; (echo x >&3) 2>/dev/null || echo closed");
    struct run_request request = started_request(&policy, &program);
    started_exited(&request, &outcome, 0);
    assert_non_null(strstr(outcome.out.kept.bytes, "closed\n"));
    assert_int_equal(outcome.mark.count, 0);
}

/* --- what cannot be run --- */

static void expect_not_found(const struct stage_program *program)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    struct run_request request = started_request(&policy, program);

    started_run(&request, &outcome);
    assert_int_equal(outcome.ending, WARDEN_SETUP_ERROR);
    assert_int_equal(outcome.error.code, BASE_E_NOT_FOUND); /* exit status 127 */
    assert_int_equal(base_err_status(outcome.error.code), 127);
    assert_string_equal(outcome.error.place, "exec");
    assert_true(outcome.detail[0] != 0);
    assert_int_equal(outcome.teardown.processes_left + outcome.teardown.cgroups_left, 0);
}

static void a_missing_interpreter(void **state)
{
    static const struct stage_runtime runtime = {
        .name = "made-up",
        .command = {(char *)(uintptr_t) "/usr/bin/no-such-interpreter", (char *)(uintptr_t) "{program}"},
        .command_count = 2,
    };
    AUTO_PROGRAM struct stage_program program;

    (void)state;
    started_program(&program, "p.sh", NULL, "echo never");
    program.runtime = &runtime;
    expect_not_found(&program);
}

static void a_script_whose_interpreter_is_missing(void **state)
{
    AUTO_PROGRAM struct stage_program program;

    (void)state;
    started_program(&program, "script", "native", "#!/opt/no/such/interpreter\n");
    expect_not_found(&program);
}

static void bytes_that_are_no_program(void **state)
{
    static const struct stage_runtime runtime = {
        .name = "made-up", .command = {(char *)(uintptr_t) "{program}"}, .command_count = 1};
    AUTO_PROGRAM struct stage_program program;

    (void)state;
    started_program(&program, "bytes", "sh", "\x01\x02\x03 nothing that runs");
    program.runtime = &runtime;
    expect_not_found(&program);
}

static void other_tiers_start_nothing(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    struct warden_outcome outcome;
    struct base_err err = {0};

    (void)state;
    policy.tier = POLICY_TIER_MICROVM;
    started_program(&program, "p.sh", NULL, ":");
    struct run_request request = started_request(&policy, &program);
    assert_int_equal(run_execute(&request, &outcome, &err), BASE_E_REFUSED);
    assert_int_equal(base_err_status(err.code), 126);
    assert_non_null(strstr(err.what, "microvm"));
}

/* --- one process after another --- */

static int run_once(void *argument)
{
    struct warden_outcome outcome;
    int r = run_execute(argument, &outcome, NULL);

    return r == 0 && outcome.ending == WARDEN_EXITED ? 0 : 1;
}

/* A fork has a slot of its own, and both go on. */
static void forks_run_side_by_side(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    pid_t pids[3];

    (void)state;
    started_program(&program, "p.sh", NULL, "sleep 0.2");
    struct run_request request = started_request(&policy, &program);
    started_exited(&request, &outcome, 0);
    for (int i = 0; i < 3; i++)
        pids[i] = apart_start(run_once, &request);
    warden_outcome_release(&outcome);
    started_exited(&request, &outcome, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(apart_end(pids[i]), 0);
}

static void runs_see_nothing_of_each_other(void **state)
{
    AUTO_POLICY struct policy policy = started_policy();
    AUTO_PROGRAM struct stage_program program;

    (void)state;
    started_program(&program, "p.sh", NULL,
                    "ls -A /work /tmp /dev/shm; echo left >/tmp/left; echo left >/dev/shm/left; "
                    "echo left >/work/left");
    for (int i = 0; i < 2; i++) {
        AUTO_OUTCOME struct warden_outcome outcome = {0};
        struct run_request request = started_request(&policy, &program);
        started_exited(&request, &outcome, 0);
        assert_null(strstr(outcome.out.kept.bytes, "left"));
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_native_program_with_input),
        IN_FOLDER(input_from_a_file),
        IN_FOLDER(output_is_passed_on_too),
        cmocka_unit_test(the_environment_in_its_order),
        cmocka_unit_test(later_names_win),
        cmocka_unit_test(every_variable_that_a_policy_may_have),
        cmocka_unit_test(arguments_arrive_as_they_are),
        cmocka_unit_test(too_many_arguments),
        cmocka_unit_test(files_below_work),
        cmocka_unit_test(too_many_files),
        cmocka_unit_test(staged_files_come_on_top),
        cmocka_unit_test(the_mark_is_a_descriptor_of_its_own),
        cmocka_unit_test(without_a_mark_there_is_no_descriptor),
        cmocka_unit_test(a_missing_interpreter),
        cmocka_unit_test(a_script_whose_interpreter_is_missing),
        cmocka_unit_test(bytes_that_are_no_program),
        cmocka_unit_test(other_tiers_start_nothing),
        cmocka_unit_test(forks_run_side_by_side),
        cmocka_unit_test(runs_see_nothing_of_each_other),
    };

    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
