/* test_lib.c - the library as its users see it: results, errors, threads, wardens that die */
#include "../apart.h"
#include <fumehood/fumehood.h>
#include <pthread.h>
#include <time.h>

#define MACHINE_STOP "/var/lib/fumehood/disabled"
#define THREADS      8
#define RUNS         50

static struct fumehood_pool *pool;

static struct fumehood_pool_options options(unsigned wardens)
{
    return (struct fumehood_pool_options){.size = sizeof(struct fumehood_pool_options),
                                          .wardens = wardens,
                                          .policy = "if-available",
                                          .program = getenv("FUMEHOOD_PROGRAM")};
}

static struct fumehood_program shell(const char *text)
{
    return (struct fumehood_program){
        .size = sizeof(struct fumehood_program), .name = "p.sh", .bytes = text, .count = strlen(text)};
}

static struct fumehood_result *run(const struct fumehood_program *program)
{
    struct fumehood_result *result = NULL;
    struct fumehood_error error;

    if (fumehood_run(pool, program, &result, &error) < 0)
        fail_msg("%s: %s", error.place, error.what);
    return result;
}

static struct fumehood_result *run_shell(const char *text)
{
    const struct fumehood_program program = shell(text);

    return run(&program);
}

/* Whether cages can be made here is asked of a run: the threads of a sanitizer stand in the way of other tries. */
static void open_pool(unsigned wardens)
{
    const struct fumehood_pool_options wanted = options(wardens);
    struct fumehood_error error;
    struct fumehood_result *result;
    bool started;

    apart_need(wanted.program != NULL, "FUMEHOOD_PROGRAM does not say where the program is");
    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    if (fumehood_pool_open(&wanted, &pool, &error) < 0)
        fail_msg("%s: %s", error.place, error.what);
    result = run_shell("exit 0");
    started = fumehood_result_ending(result) == FUMEHOOD_EXITED;
    fumehood_result_free(result);
    if (!started)
        fumehood_pool_close(pool);
    apart_need(started, "this user may not make namespaces");
}

static void expect_output(const struct fumehood_result *result, const char *text)
{
    struct fumehood_output out = fumehood_result_stdout(result);

    assert_int_equal(fumehood_result_ending(result), FUMEHOOD_EXITED);
    assert_int_equal(out.count, strlen(text));
    assert_string_equal(out.bytes, text);
    assert_int_equal(out.truncated, 0);
}

static void all_that_goes_in(void **state)
{
    static const char *const args[] = {"one", "two words", NULL}, *const environment[] = {"COLOUR=deep red", NULL};
    const struct fumehood_file files[] = {{.path = "data/in.txt", .bytes = "file\n", .count = 5},
                                          {.path = "empty", .executable = 1}};
    struct fumehood_program program = shell("cat; cat data/in.txt; echo \"$2 $COLOUR\"; test -x empty && exit 7");
    struct fumehood_result *result;

    (void)state;
    open_pool(1);
    program.args = args;
    program.environment = environment;
    program.stdin_bytes = "input\n";
    program.stdin_count = 6;
    program.files = files;
    program.file_count = 2;
    result = run(&program);
    expect_output(result, "input\nfile\ntwo words deep red\n");
    assert_int_equal(fumehood_result_exit_code(result), 7);
    assert_string_equal(fumehood_result_ending_name(result), "exited");
    assert_int_equal(fumehood_result_signal(result), 0);
    assert_null(fumehood_result_limit(result));
    assert_string_equal(fumehood_result_detail(result), "");
    assert_true(fumehood_result_wall_us(result) > 0 && fumehood_result_wall_us(result) < 10000000);
    fumehood_result_free(result);
    result = run_shell("echo $COLOUR"); /* it was for that run only */
    expect_output(result, "\n");
    fumehood_result_free(result);
    fumehood_pool_close(pool);
}

static void how_it_ends(void **state)
{
    static const char *const limits[] = {"wall_ms=300ms", "stdout_bytes=10", NULL};
    struct fumehood_pool_options wanted = options(1);
    struct fumehood_result *result;

    (void)state;
    open_pool(1);
    fumehood_pool_close(pool);
    wanted.policy = NULL;
    wanted.policy_text = "output_limit: truncate\nlimits:\n  memory_bytes_if_available: 64MiB\n"
                         "  cpus_if_available: 1\n";
    wanted.limits = limits;
    assert_int_equal(fumehood_pool_open(&wanted, &pool, NULL), 0);
    result = run_shell("sleep 10");
    assert_int_equal(fumehood_result_ending(result), FUMEHOOD_LIMIT);
    assert_string_equal(fumehood_result_limit(result), "wall");
    assert_int_equal(fumehood_result_exit_code(result), -1);
    fumehood_result_free(result);
    result = run_shell("kill -9 $$");
    assert_int_equal(fumehood_result_ending(result), FUMEHOOD_SIGNALED);
    assert_int_equal(fumehood_result_signal(result), 9);
    fumehood_result_free(result);
    result = run_shell("echo 0123456789ABCDEF; echo said >&2");
    assert_int_equal(fumehood_result_stdout(result).count, 10);
    assert_int_equal(fumehood_result_stdout(result).written_bytes, 17);
    assert_true(fumehood_result_stdout(result).truncated);
    assert_string_equal(fumehood_result_stderr(result).bytes, "said\n");
    fumehood_result_free(result);
    fumehood_pool_close(pool);
}

static void what_was_denied(void **state)
{
    struct fumehood_result *result;
    struct fumehood_denial denial = {0};

    (void)state;
    open_pool(1);
    result = run_shell("exec 2>/dev/null; mount -t tmpfs none /tmp; exit 0");
    for (size_t i = 0; i < fumehood_result_denial_count(result); i++)
        if (strstr(fumehood_result_denial(result, i).what, "mount"))
            denial = fumehood_result_denial(result, i);
    if (fumehood_result_denial_count(result)) {
        assert_non_null(denial.what);
        assert_non_null(denial.class_name);
        assert_true(denial.count >= 1);
    }
    fumehood_result_free(result);
    fumehood_pool_close(pool);
}

static void a_receipt(void **state)
{
    struct fumehood_result *result, *other;
    const char *json = NULL, *again = NULL;

    (void)state;
    open_pool(1);
    result = run_shell("echo hello");
    other = run_shell("exit 1");
    assert_int_equal(fumehood_result_receipt(result, &json, NULL), 0);
    assert_non_null(strstr(json, "\"schema\":\"fumehood.receipt/1\""));
    assert_non_null(strstr(json, "\"text\":\"hello\\n\""));
    assert_non_null(strstr(json, "\"previous_sha256\":null"));
    assert_true(json[strlen(json) - 1] == '\n');
    assert_int_equal(fumehood_result_receipt(result, &again, NULL), 0);
    assert_ptr_equal(json, again);
    assert_true(fumehood_result_cpu_us(result) > 0);
    fumehood_pool_close(pool);
    assert_int_equal(fumehood_result_receipt(other, &json, NULL), 0); /* it outlives its pool */
    assert_non_null(strstr(json, "\"exit_code\":1"));
    fumehood_result_free(result);
    fumehood_result_free(other);
}

static void every_kind_of_cage(void **state)
{
    static const char *const said[] = {[FUMEHOOD_CAGE_SLOT] = "\"cage\":\"slot\"",
                                       [FUMEHOOD_CAGE_FRESH] = "\"cage\":\"fresh\"",
                                       [FUMEHOOD_CAGE_ZYGOTE] = "\"cage\":\"slot\""};

    (void)state;
    open_pool(1);
    fumehood_pool_close(pool);
    for (unsigned cage = 0; cage < 3; cage++) {
        struct fumehood_pool_options wanted = options(1);
        struct fumehood_result *result;
        const char *json = NULL;

        wanted.cage = (enum fumehood_cage)cage;
        assert_int_equal(fumehood_pool_open(&wanted, &pool, NULL), 0);
        for (int i = 0; i < 3; i++) {
            result = run_shell("echo x");
            expect_output(result, "x\n");
            assert_int_equal(fumehood_result_receipt(result, &json, NULL), 0);
            if (!strstr(json, said[cage]))
                fail_msg("%s", json);
            fumehood_result_free(result);
        }
        fumehood_pool_close(pool);
    }
}

static void a_result_freed_before_it_is_settled(void **state)
{
    (void)state;
    open_pool(2);
    for (int i = 0; i < 20; i++)
        fumehood_result_free(run_shell("echo x"));
    fumehood_pool_close(pool);
}

static void expect_refused(struct fumehood_pool_options wanted, int code, const char *place, const char *what)
{
    struct fumehood_error error = {0};
    char text[1100];

    pool = NULL;
    assert_int_equal(fumehood_pool_open(&wanted, &pool, &error), code);
    assert_null(pool);
    assert_int_equal(error.code, code);
    (void)fumehood_error_text(&error, text, sizeof(text));
    if (!strstr(error.place, place) || !strstr(error.what, what) || strstr(text, "--"))
        fail_msg("%s", text);
    assert_int_equal(fumehood_pool_open(&wanted, &pool, NULL), code);
}

static void wrong_options(void **state)
{
    static const char *const limits[] = {"wall_ms=never", NULL}, *const twice[] = {"wall_ms=1s",
                                                                                   "wall_ms_if_available=2s", NULL};
    struct fumehood_pool_options wanted = options(1);

    (void)state;
    wanted.size--;
    expect_refused(wanted, FUMEHOOD_E_USAGE, "size", "this version");
    wanted = options(1025);
    expect_refused(wanted, FUMEHOOD_E_USAGE, "wardens", "1025");
    wanted = options(1);
    wanted.cage = (enum fumehood_cage)3;
    expect_refused(wanted, FUMEHOOD_E_USAGE, "cage", "no kind of cage");
    wanted = options(1);
    wanted.limits = limits;
    expect_refused(wanted, FUMEHOOD_E_USAGE, "limits wall_ms=never", "wall_ms");
    wanted.limits = twice;
    expect_refused(wanted, FUMEHOOD_E_USAGE, "limits", "wall_ms is given twice");
    wanted.limits = (const char *const[]){"open_files=3", NULL};
    expect_refused(wanted, FUMEHOOD_E_USAGE, "open_files", "no program starts");
    wanted = options(1);
    wanted.policy_text = "limits: {}\n";
    expect_refused(wanted, FUMEHOOD_E_USAGE, "policy_text", "together");
    wanted.policy = NULL;
    wanted.policy_text = "limits:\n  wall_ms: 1s\n  heat_ms: 2s\n";
    expect_refused(wanted, FUMEHOOD_E_INVALID, "policy_text:3", "heat_ms");
    wanted.policy_text = NULL;
    wanted.policy = "/nowhere/policy.yaml";
    expect_refused(wanted, FUMEHOOD_E_NOT_FOUND, "/nowhere/policy.yaml", "no such file");
    wanted.policy = "defalt";
    expect_refused(wanted, FUMEHOOD_E_NOT_FOUND, "policy", "\"defalt\"");
    wanted.policy = "/proc/self/mem"; /* read from its beginning: EIO, for root too */
    expect_refused(wanted, FUMEHOOD_E_IO, "/proc/self/mem", "cannot be read");
}

static void wrong_programs_of_ours(void **state)
{
    struct fumehood_pool_options wanted = options(2);

    (void)state;
    wanted.program = "fumehood";
    expect_refused(wanted, FUMEHOOD_E_USAGE, "program", "absolute");
    wanted.program = "/nowhere/fumehood";
    expect_refused(wanted, FUMEHOOD_E_SETUP, "/nowhere/fumehood", "cannot be started");
    wanted.program = "/bin/true";
    expect_refused(wanted, FUMEHOOD_E_SETUP, "/bin/true", "does not answer as a warden does: it ended with status 0");
    wanted.program = "/etc";
    expect_refused(wanted, FUMEHOOD_E_SETUP, "/etc", "cannot be started as a warden");
}

static void expect_no_run(struct fumehood_program program, int code, const char *place, const char *what)
{
    char text[1100];
    struct fumehood_result *result = NULL;
    struct fumehood_error error = {0};

    assert_int_equal(fumehood_run(pool, &program, &result, &error), code);
    assert_null(result);
    (void)fumehood_error_text(&error, text, sizeof(text));
    if (!strstr(error.place, place) || !strstr(error.what, what) || strstr(text, "--"))
        fail_msg("%s", text);
}

static void wrong_programs(void **state)
{
    static const char *const environment[] = {"no value", NULL}, *const twice[] = {"A=1", "B=1", "A=2", NULL};
    static const char *args[1026];
    const struct fumehood_file outside = {.path = "../out"}, nothing = {.path = "a", .count = 3},
                               same[] = {{.path = "a/b"}, {.path = "a"}}, taken = {.path = "p.sh"};
    struct fumehood_file numbered[257];
    char paths[257][8];
    struct fumehood_program program;

    (void)state;
    open_pool(1);
    program = shell("exit");
    program.size = 1;
    expect_no_run(program, FUMEHOOD_E_USAGE, "size", "this version");
    program = shell("exit");
    program.name = NULL;
    expect_no_run(program, FUMEHOOD_E_USAGE, "name", "is missing");
    program.name = "x/p.sh";
    expect_no_run(program, FUMEHOOD_E_USAGE, "name", "\"x/p.sh\" is a path");
    program.name = "p.unknown";
    expect_no_run(program, FUMEHOOD_E_NOT_FOUND, "p.unknown", "no runtime");
    program = shell("exit");
    program.bytes = NULL;
    expect_no_run(program, FUMEHOOD_E_USAGE, "bytes", "is NULL");
    program = shell("exit");
    program.runtime = "cobol";
    expect_no_run(program, FUMEHOOD_E_NOT_FOUND, "runtime cobol", "no known runtime");
    program = shell("exit");
    program.environment = environment;
    expect_no_run(program, FUMEHOOD_E_USAGE, "environment", "no value");
    program.environment = twice;
    expect_no_run(program, FUMEHOOD_E_USAGE, "environment", "A is given twice");
    program = shell("exit");
    program.args = args;
    for (size_t i = 0; i < 1025; i++)
        args[i] = "x";
    expect_no_run(program, FUMEHOOD_E_USAGE, "args", "more than 1024");
    program = shell("exit");
    program.files = &outside;
    program.file_count = 1;
    expect_no_run(program, FUMEHOOD_E_USAGE, "files", "../out");
    program.files = &nothing;
    expect_no_run(program, FUMEHOOD_E_USAGE, "files", "without its bytes");
    program.files = &taken;
    expect_no_run(program, FUMEHOOD_E_USAGE, "files", "is taken by the program");
    program.files = same;
    program.file_count = 2;
    expect_no_run(program, FUMEHOOD_E_USAGE, "files", "in each other's way");
    for (int i = 0; i < 257; i++) {
        (void)snprintf(paths[i], sizeof(paths[i]), "f%d", i);
        numbered[i] = (struct fumehood_file){.path = paths[i]};
    }
    program.files = numbered;
    program.file_count = 257;
    expect_no_run(program, FUMEHOOD_E_USAGE, "files", "more than 256");
    fumehood_result_free(run_shell("exit 0")); /* the pool is as good as before */
    fumehood_pool_close(pool);
}

/* As `fumehood run` has it, and before anything is sent. */
static void what_goes_in_must_fit(void **state)
{
    static const char *const limits[] = {"scratch_bytes=64KiB", NULL};
    static char bytes[65536];
    const struct fumehood_file large = {.path = "large", .bytes = bytes, .count = sizeof(bytes)},
                               halves[] = {{.path = "one", .bytes = bytes, .count = 32768},
                                           {.path = "two", .bytes = bytes, .count = 32768}};
    struct fumehood_pool_options wanted = options(1);
    struct fumehood_program program = shell("cat one two 2>/dev/null | wc -c");

    (void)state;
    open_pool(1);
    fumehood_pool_close(pool);
    wanted.limits = limits;
    assert_int_equal(fumehood_pool_open(&wanted, &pool, NULL), 0);
    program.files = &large;
    program.file_count = 1;
    expect_no_run(program, FUMEHOOD_E_TOO_LARGE, "files", "\"large\"");
    program.files = halves;
    program.file_count = 2;
    expect_no_run(program, FUMEHOOD_E_TOO_LARGE, "files", "\"two\"");
    program = shell(bytes);
    memset(bytes, '#', sizeof(bytes));
    program.count = sizeof(bytes);
    program.files = halves;
    program.file_count = 1;
    expect_no_run(program, FUMEHOOD_E_TOO_LARGE, "files", "\"one\"");
    program.file_count = 0;
    fumehood_result_free(run(&program)); /* all that there is room for */
    fumehood_pool_close(pool);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static int one_thread_run(unsigned thread, unsigned number)
{
    char text[64], expected[64];
    struct fumehood_program program;
    struct fumehood_result *result = NULL;
    const char *json = NULL;
    int good;

    (void)snprintf(text, sizeof(text), "echo %u-%u; exit %u", thread, number, (thread + number) % 100);
    (void)snprintf(expected, sizeof(expected), "%u-%u\n", thread, number);
    program = shell(text);
    if (fumehood_run(pool, &program, &result, NULL) < 0)
        return 0;
    good = strcmp(fumehood_result_stdout(result).bytes, expected) == 0 &&
           fumehood_result_exit_code(result) == (int)((thread + number) % 100);
    if (good && number % 3 == 0) /* some wait for the rest, some do not */
        good = fumehood_result_receipt(result, &json, NULL) == 0 && strstr(json, "\"processes_left\":0");
    fumehood_result_free(result);
    return good;
}

static void *many_runs(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    uintptr_t good = 0;

    for (unsigned number = 0; number < RUNS; number++)
        good += (uintptr_t)one_thread_run(thread, number);
    return (void *)good;
}

static void many_threads_on_two_wardens(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    open_pool(2);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_runs, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *good = NULL;

        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_int_equal((uintptr_t)good, RUNS);
    }
    fumehood_pool_close(pool);
}

/* ---- deaths ---------------------------------------------------------------------------------------------------- */

static pid_t first_child_of(pid_t pid)
{
    char path[64], text[256] = "";

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    support_read(path, text, sizeof(text));
    return (pid_t)strtol(text, NULL, 10);
}

static void *kill_warden(void *argument)
{
    (void)argument;
    usleep(300000);
    (void)kill(first_child_of(getpid()), SIGKILL);
    return NULL;
}

static void a_killed_warden_loses_its_run_only(void **state)
{
    struct fumehood_result *result;
    const char *json = NULL;
    pthread_t thread;

    (void)state;
    open_pool(1);
    assert_int_equal(pthread_create(&thread, NULL, kill_warden, NULL), 0);
    result = run_shell("sleep 100");
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fumehood_result_ending(result), FUMEHOOD_LOST);
    assert_non_null(strstr(fumehood_result_detail(result), "died"));
    assert_int_equal(fumehood_result_receipt(result, &json, NULL), 0);
    assert_non_null(strstr(json, "\"kind\":\"lost\""));
    fumehood_result_free(result);
    result = run_shell("echo on");
    expect_output(result, "on\n");
    fumehood_result_free(result);
    fumehood_pool_close(pool);
}

/* A run is over, and nobody has asked for the rest: its warden may be dead when the next one begins. */
static void an_idle_warden_that_died_costs_no_run(void **state)
{
    struct fumehood_result *former, *result;
    const char *json = NULL;

    (void)state;
    open_pool(1);
    for (int kept = 0; kept < 2; kept++) {
        former = run_shell("exit 4");
        if (!kept)
            fumehood_result_free(former);
        usleep(300000); /* its cage is cleared away, and the warden has said so */
        assert_int_equal(kill(first_child_of(getpid()), SIGKILL), 0);
        usleep(100000);
        result = run_shell("echo begun");
        expect_output(result, "begun\n");
        fumehood_result_free(result);
        if (!kept)
            continue;
        assert_int_equal(fumehood_result_receipt(former, &json, NULL), 0); /* what it had said is not lost with it */
        assert_non_null(strstr(json, "\"exit_code\":4"));
        fumehood_result_free(former);
    }
    fumehood_pool_close(pool);
}

static void *kill_stopped(void *argument)
{
    usleep(300000);
    (void)kill(*(pid_t *)argument, SIGKILL);
    return NULL;
}

/* The program is on its way to a warden that never reads it. */
static void a_program_that_was_not_taken_is_done_by_the_next(void **state)
{
    struct fumehood_result *former, *result;
    pthread_t thread;
    pid_t warden;

    (void)state;
    open_pool(1);
    for (int settled = 0; settled < 2; settled++) {
        former = run_shell("exit 0");
        if (settled)
            fumehood_result_settle(former);
        warden = first_child_of(getpid());
        assert_int_equal(kill(warden, SIGSTOP), 0);
        assert_int_equal(pthread_create(&thread, NULL, kill_stopped, &warden), 0);
        result = run_shell("echo begun");
        assert_int_equal(pthread_join(thread, NULL), 0);
        expect_output(result, "begun\n");
        fumehood_result_free(result);
        fumehood_result_free(former);
    }
    fumehood_pool_close(pool);
}

static int host_that_runs(void *argument)
{
    const struct fumehood_pool_options wanted = options(1);
    const struct fumehood_program program = shell("sleep 100");
    struct fumehood_result *result;

    (void)argument;
    if (fumehood_pool_open(&wanted, &pool, NULL) < 0)
        return 1;
    return fumehood_run(pool, &program, &result, NULL);
}

static bool is_alive(pid_t pid)
{
    return pid > 0 && kill(pid, 0) == 0;
}

/* The kernel then tells the warden, which ends its cage. */
static void a_killed_host_leaves_nothing(void **state)
{
    pid_t host, warden = 0, first = 0;

    (void)state;
    open_pool(1);
    fumehood_pool_close(pool);
    host = apart_start(host_that_runs, NULL);
    for (int i = 0; i < 500 && first == 0; i++) {
        usleep(10000);
        warden = first_child_of(host);
        first = warden ? first_child_of(warden) : 0;
    }
    usleep(100000);
    assert_true(is_alive(warden) && is_alive(first));
    assert_int_equal(kill(host, SIGKILL), 0);
    (void)apart_end(host);
    for (int i = 0; i < 500 && (is_alive(warden) || is_alive(first)); i++)
        usleep(10000);
    assert_false(is_alive(warden));
    assert_false(is_alive(first));
}

static void a_host_that_ignores_its_children(void **state)
{
    const struct fumehood_pool_options wanted = options(2);

    (void)state;
    open_pool(1);
    fumehood_pool_close(pool);
    assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    assert_int_equal(fumehood_pool_open(&wanted, &pool, NULL), 0);
    fumehood_result_free(run_shell("exit 0"));
    fumehood_pool_close(pool);
    assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_goes_in),
        cmocka_unit_test(how_it_ends),
        cmocka_unit_test(what_was_denied),
        cmocka_unit_test(a_receipt),
        cmocka_unit_test(every_kind_of_cage),
        cmocka_unit_test(a_result_freed_before_it_is_settled),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(wrong_programs_of_ours),
        cmocka_unit_test(wrong_programs),
        cmocka_unit_test(what_goes_in_must_fit),
        cmocka_unit_test(many_threads_on_two_wardens),
        cmocka_unit_test(a_killed_warden_loses_its_run_only),
        cmocka_unit_test(an_idle_warden_that_died_costs_no_run),
        cmocka_unit_test(a_program_that_was_not_taken_is_done_by_the_next),
        cmocka_unit_test(a_killed_host_leaves_nothing),
        cmocka_unit_test(a_host_that_ignores_its_children),
    };
    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
