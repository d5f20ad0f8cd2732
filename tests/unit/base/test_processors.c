/* test_processors.c - which processors a process may use; each case in a process of its own, which may bind itself */
#include "../support.h"
#include "base/processors.h"
#include <sys/wait.h>
#include <unistd.h>

static void apart(int (*check)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(check());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

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
    assert_null(base_processors_given());
}

static int keep(void)
{
    cpu_set_t had = own(), now;
    int last = base_processors_nth(base_processors_count() - 1);

    base_processors_keep_to(last);
    now = own();
    if (CPU_COUNT(&now) != 1 || !CPU_ISSET(last, &now))
        return 1;
    if (base_processors_count() != (unsigned)CPU_COUNT(&had))
        return 2;
    base_processors_keep_to(base_processors_nth(0)); /* only once: what was given stays known */
    return !base_processors_given() || !CPU_EQUAL(base_processors_given(), &had) ? 3 : 0;
}

static int keep_to_none(void)
{
    static const int wrong[] = {-1, CPU_SETSIZE, CPU_SETSIZE - 1}; /* the last is none that this machine has, or so */
    cpu_set_t had = own(), now;

    for (unsigned i = 0; i < 3; i++)
        if (!CPU_ISSET((unsigned)wrong[i] % CPU_SETSIZE, &had))
            base_processors_keep_to(wrong[i]);
    now = own();
    return !CPU_EQUAL(&had, &now) || base_processors_given() ? 1 : 0;
}

static void a_process_keeps_to_one(void **state)
{
    (void)state;
    apart(keep);
}

static void what_is_no_processor_changes_nothing(void **state)
{
    (void)state;
    apart(keep_to_none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_counted_and_named),
        cmocka_unit_test(a_process_keeps_to_one),
        cmocka_unit_test(what_is_no_processor_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
