/* test_environment.c - tests of src/run/environment.c */
#include "started.h"
#include <sys/utsname.h>

static void the_machine(void **state)
{
    AUTO_JSON json_t *environment = run_environment();
    struct utsname names;

    (void)state;
    assert_non_null(environment);
    assert_int_equal(uname(&names), 0);
    assert_string_equal(json_string_value(json_object_get(environment, "kernel")), names.release);
    assert_true(json_string_length(json_object_get(environment, "cpu")) > 2);
    assert_in_range(json_integer_value(json_object_get(environment, "cpus")), 1, 65536);
    assert_true(json_is_real(json_object_get(environment, "load_1min")));
    assert_true(json_real_value(json_object_get(environment, "load_1min")) >= 0);
    assert_int_equal(json_object_size(environment), 4);
}

/* What this process may use, not what the machine has. */
static void only_usable_processors_count(void **state)
{
    cpu_set_t all, one;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        break;
    }
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    AUTO_JSON json_t *environment = run_environment();
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
    assert_int_equal(json_integer_value(json_object_get(environment, "cpus")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine),
        cmocka_unit_test(only_usable_processors_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
