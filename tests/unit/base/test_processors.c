/* test_processors.c - which processors a process may use; each case in a process of its own, which may bind itself */
#include "../apart.h"
#include "base/processors.h"

static cpu_set_t own(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    (void)sched_getaffinity(0, sizeof(set), &set);
    return set;
}

/* Each is asked for once, in a row, and then they begin again. */
static void they_are_counted_and_named(void **state)
{
    cpu_set_t set = own(), named;
    unsigned count = base_processors_count();

    (void)state;
    assert_int_equal(count, CPU_COUNT(&set));
    CPU_ZERO(&named);
    for (unsigned i = 0; i < count; i++) {
        assert_true(CPU_ISSET(base_processors_nth(i), &set));
        CPU_SET(base_processors_nth(i), &named);
        assert_int_equal(base_processors_nth(i + count), base_processors_nth(i));
    }
    assert_true(CPU_EQUAL(&set, &named));
    assert_null(base_processors_bound());
}

static void workers_have_one_each_where_none_is_left_over(void **state)
{
    unsigned count = base_processors_count();

    (void)state;
    assert_int_equal(base_processors_of_worker(0, count - 1), -1);
    for (unsigned workers = count; workers < count + 2; workers++)
        for (unsigned i = 0; i < workers; i++)
            assert_int_equal(base_processors_of_worker(i, workers), base_processors_nth(i));
}

static int keep(void *argument)
{
    cpu_set_t had = own(), now;
    int last = base_processors_nth(base_processors_count() - 1);

    (void)argument;
    base_processors_keep_to(last);
    now = own();
    if (CPU_COUNT(&now) != 1 || !CPU_ISSET(last, &now))
        return 1;
    if (base_processors_count() != (unsigned)CPU_COUNT(&had))
        return 2;
    base_processors_keep_to(base_processors_nth(0)); /* only once: what was given stays known */
    if (!base_processors_bound() || !CPU_EQUAL(&base_processors_bound()->bound_to, &now))
        return 3;
    (void)sched_setaffinity(0, sizeof(had), &base_processors_bound()->free);
    now = own();
    return CPU_EQUAL(&now, &had) ? 0 : 4;
}

/* What somebody had narrowed stays narrow. */
static int keep_of_few(void *argument)
{
    cpu_set_t few = own();

    (void)argument;
    CPU_CLR(base_processors_nth(0), &few);
    if (CPU_COUNT(&few) == 0 || sched_setaffinity(0, sizeof(few), &few) < 0)
        return 0; /* there is one only */
    base_processors_keep_to(base_processors_nth(0));
    return base_processors_bound() && CPU_EQUAL(&base_processors_bound()->free, &few) ? 0 : 1;
}

/* One that exists, but is not ours. */
static int keep_to_anothers(void *argument)
{
    cpu_set_t few = own();
    int first = base_processors_nth(0);

    (void)argument;
    CPU_CLR(first, &few);
    if (CPU_COUNT(&few) == 0 || sched_setaffinity(0, sizeof(few), &few) < 0)
        return 0;
    base_processors_keep_to(first);
    return base_processors_bound() ? 1 : 0;
}

static int keep_to_none(void *argument)
{
    static const int wrong[] = {-1, CPU_SETSIZE, CPU_SETSIZE - 1}; /* the last is none that this machine has, or so */
    cpu_set_t had = own(), now;

    (void)argument;
    for (unsigned i = 0; i < 3; i++)
        if (!CPU_ISSET((unsigned)wrong[i] % CPU_SETSIZE, &had))
            base_processors_keep_to(wrong[i]);
    now = own();
    return !CPU_EQUAL(&had, &now) || base_processors_bound() ? 1 : 0;
}

static void a_process_keeps_to_one(void **state)
{
    (void)state;
    assert_int_equal(apart_end(apart_start(keep, NULL)), 0);
    assert_int_equal(apart_end(apart_start(keep_of_few, NULL)), 0);
}

static void what_is_no_processor_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(apart_end(apart_start(keep_to_none, NULL)), 0);
    assert_int_equal(apart_end(apart_start(keep_to_anothers, NULL)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_counted_and_named),
        cmocka_unit_test(workers_have_one_each_where_none_is_left_over),
        cmocka_unit_test(a_process_keeps_to_one),
        cmocka_unit_test(what_is_no_processor_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
