/* test_clocks.c - tests of src/warden/clocks.c: the control group is a folder of made-up files, time is moved by hand
 */
#include "cage/child.h"
#include "watched.h"

static uint64_t now_us(void)
{
    return base_clock_us();
}

/* As if the guest had started @ms ago, with a tick due. */
static void started_ago(struct watched *run, uint64_t ms)
{
    run->report.start_us = now_us() - ms * 1000;
    run->watch.started_us = run->watch.active_us = run->report.start_us;
    run->watch.next_tick_us = 0;
}

static void have_group(struct watched *run)
{
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        run->watch.cage.cgroup.dir_fds[c] = open(".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
}

static void used(uint64_t cpu_ms)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%llu000000\n", (unsigned long long)cpu_ms);
    support_write_text("cpuacct.usage", text);
}

/* The kernel has the files from the start; here they may be written only just now. */
static void open_counters(struct cage_cgroup *cgroup)
{
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        cage_cgroup_close_counters(cgroup, (enum cage_controller)c);
    cage_cgroup_open_counters(cgroup, false);
}

static void tick(struct watched *run)
{
    open_counters(&run->watch.cage.cgroup);
    run->watch.next_tick_us = 0;
    warden_clocks_tick(&run->watch);
}

static void expect_stop(const struct watched *run, enum warden_ending ending, enum warden_limit limit)
{
    assert_true(run->watch.stop.wanted);
    assert_int_equal(run->watch.stop.ending, ending);
    assert_int_equal(run->watch.stop.limit, limit);
}

static void the_first_reason_is_the_reason(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    warden_stop(&run->watch, WARDEN_LIMIT, WARDEN_LIMIT_OUTPUT, "stdout");
    warden_stop(&run->watch, WARDEN_CANCELLED, WARDEN_LIMIT_NONE, "signal 15");
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_OUTPUT);
    assert_string_equal(run->watch.stop.detail, "stdout");
    watched_free(run);
}

static void a_long_reason_is_cut(void **state)
{
    struct watched *run = watched_new();
    char text[500];

    (void)state;
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = 0;
    warden_stop(&run->watch, WARDEN_CANCELLED, WARDEN_LIMIT_NONE, text);
    assert_int_equal(strlen(run->watch.stop.detail), sizeof(run->watch.stop.detail) - 1);
    watched_free(run);
}

static void wall(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    watched_set(run, "wall_ms=2s");
    started_ago(run, 1500);
    warden_clocks_tick(&run->watch);
    assert_false(run->watch.stop.wanted);
    started_ago(run, 2000);
    warden_clocks_tick(&run->watch);
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_WALL);
    watched_free(run);
}

/* The end of the time counts at once, not at the next look at the counters. */
static void wall_does_not_wait_for_a_tick(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    watched_set(run, "wall_ms=1s");
    started_ago(run, 1001);
    run->watch.next_tick_us = now_us() + 1000000;
    assert_int_equal(warden_clocks_timeout_ms(&run->watch), 0);
    warden_clocks_tick(&run->watch);
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_WALL);
    assert_in_range(warden_clocks_timeout_ms(&run->watch), 1, 1001); /* and then it waits, and does not spin */
    watched_free(run);
}

/* A slow machine builds the cage slowly: not the guest's time. */
static void building_is_not_the_guests_time(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    watched_set(run, "wall_ms=1s");
    started_ago(run, 5000);
    run->report.start_us = 0;
    warden_clocks_tick(&run->watch);
    assert_false(run->watch.stop.wanted);
    run->watch.started_us = now_us() - 30ull * 1000000;
    tick(run);
    assert_false(run->watch.stop.wanted);
    run->watch.started_us = now_us() - 60ull * 1000000; /* on a machine that booted just now it wraps, and back */
    tick(run);
    expect_stop(run, WARDEN_LOST, WARDEN_LIMIT_NONE);
    assert_true(run->watch.stop.detail[0] != 0);
    watched_free(run);
}

/* Nor is it the guest's idleness, or work. */
static void building_is_not_the_guests_rest(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    have_group(run);
    watched_set(run, "idle_ms=1s");
    watched_set(run, "cpu_ms=1s");
    started_ago(run, 5000);
    run->report.start_us = 0;
    used(2000);
    tick(run);
    assert_false(run->watch.stop.wanted);
    used(0);
    run->report.start_us = now_us();
    tick(run); /* its time begins now */
    assert_false(run->watch.stop.wanted);
    watched_free(run);
}

static void unlimited_time(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    watched_set(run, "wall_ms=unlimited");
    started_ago(run, 1000ull * 3600 * 24 * 30);
    warden_clocks_tick(&run->watch);
    assert_false(run->watch.stop.wanted);
    watched_free(run);
}

static void largest_time(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    watched_set(run, "wall_ms=720h");
    started_ago(run, 10);
    assert_int_equal(warden_clocks_timeout_ms(&run->watch), 0);
    warden_clocks_tick(&run->watch);
    assert_in_range(warden_clocks_timeout_ms(&run->watch), 1, 51);
    assert_false(run->watch.stop.wanted);
    watched_free(run);
}

static void timeouts(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    warden_clocks_start(&run->watch);
    assert_in_range(warden_clocks_timeout_ms(&run->watch), 0, 51); /* the next tick */
    run->report.start_us = now_us();
    watched_set(run, "wall_ms=20ms");
    assert_in_range(warden_clocks_timeout_ms(&run->watch), 0, 21); /* the end comes first */
    run->watch.next_tick_us = 0;
    assert_int_equal(warden_clocks_timeout_ms(&run->watch), 0);
    watched_free(run);
}

static void cpu(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    have_group(run);
    watched_set(run, "cpu_ms=1s");
    started_ago(run, 3000);
    used(999);
    tick(run);
    assert_false(run->watch.stop.wanted);
    used(1000);
    run->watch.next_tick_us = now_us() + 1000000;
    warden_clocks_tick(&run->watch); /* not due: the counters cost something to read */
    assert_false(run->watch.stop.wanted);
    tick(run);
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_CPU);
    watched_free(run);
}

static void idle(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    have_group(run);
    watched_set(run, "idle_ms=1s");
    started_ago(run, 5000);
    used(100);
    tick(run); /* it has worked since the start */
    assert_false(run->watch.stop.wanted);
    run->watch.active_us = now_us() - 400000;
    used(101); /* our own process in the cage uses a little */
    tick(run);
    assert_false(run->watch.stop.wanted);
    run->watch.active_us = now_us() - 1000000;
    tick(run);
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_IDLE);
    watched_free(run);
}

static void work_resets_the_idle_clock(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    have_group(run);
    watched_set(run, "idle_ms=1s");
    started_ago(run, 5000);
    for (uint64_t ms = 100; ms < 1000; ms += 100) {
        used(ms);
        run->watch.active_us = now_us() - 5000000;
        tick(run);
        assert_false(run->watch.stop.wanted);
        assert_true(now_us() - run->watch.active_us < 1000000);
    }
    watched_free(run);
}

static void without_a_group_nothing_is_guessed(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    watched_set(run, "cpu_ms=1s");
    watched_set(run, "idle_ms=1s");
    started_ago(run, 5000);
    tick(run);
    assert_false(run->watch.stop.wanted);
    watched_free(run);
}

static void memory(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    have_group(run);
    started_ago(run, 100);
    support_write_text("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
    tick(run);
    assert_false(run->watch.stop.wanted);
    support_write_text("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    tick(run);
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_MEMORY);
    watched_free(run);
}

/* Meeting the limit is no end; storming it is. */
static void processes(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    have_group(run);
    started_ago(run, 100);
    support_write_text("pids.events", "max 20\n");
    tick(run);
    assert_false(run->watch.stop.wanted);
    support_write_text("pids.events", "max 100000\n");
    tick(run);
    expect_stop(run, WARDEN_LIMIT, WARDEN_LIMIT_PROCESSES);
    assert_true(run->watch.stop.detail[0] != 0);
    watched_free(run);
}

static const char *emergency;
static unsigned asked;

static const char *should_stop(void)
{
    asked++;
    return emergency;
}

static void the_emergency_stop_is_asked_for(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    run->job.should_stop = should_stop;
    started_ago(run, 100);
    emergency = NULL;
    tick(run);
    assert_int_equal(asked, 1);
    assert_false(run->watch.stop.wanted);
    emergency = "the emergency stop was set";
    warden_clocks_tick(&run->watch); /* not due */
    assert_false(run->watch.stop.wanted);
    tick(run);
    expect_stop(run, WARDEN_CANCELLED, WARDEN_LIMIT_NONE);
    assert_string_equal(run->watch.stop.detail, emergency);
    watched_free(run);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_reason_is_the_reason),
        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(wall),
        cmocka_unit_test(wall_does_not_wait_for_a_tick),
        cmocka_unit_test(building_is_not_the_guests_time),
        IN_FOLDER(building_is_not_the_guests_rest),
        cmocka_unit_test(unlimited_time),
        cmocka_unit_test(largest_time),
        cmocka_unit_test(timeouts),
        IN_FOLDER(cpu),
        IN_FOLDER(idle),
        IN_FOLDER(work_resets_the_idle_clock),
        cmocka_unit_test(without_a_group_nothing_is_guessed),
        IN_FOLDER(memory),
        IN_FOLDER(processes),
        cmocka_unit_test(the_emergency_stop_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
