/* test_clock.c - time */
#include "../support.h"
#include "base/clock.h"
#include <time.h>

/* time() would be of the coarse clock, which turns a second a few ms late. */
static time_t now_s(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    return now.tv_sec;
}

/* The C library as the reference. */
static void utc_is_what_the_c_library_says(void **state)
{
    char ours[32], theirs[32];
    time_t before, after;
    struct tm tm;

    (void)state;
    do {
        before = now_s();
        (void)base_clock_utc(ours, sizeof(ours));
        after = now_s();
    } while (before != after);
    assert_non_null(gmtime_r(&before, &tm));
    assert_int_equal(strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%S", &tm), 19);
    assert_memory_equal(ours, theirs, 19);
    assert_int_equal(strlen(ours), 24);
    assert_int_equal(ours[19], '.');
    assert_int_equal(ours[23], 'Z');
}

static void monotonic_time_goes_on(void **state)
{
    uint64_t first = base_clock_us();

    (void)state;
    assert_int_equal(usleep(2000), 0);
    assert_true(base_clock_us() >= first + 2000);
}

static void sleep_takes_its_time(void **state)
{
    uint64_t from = base_clock_us();

    (void)state;
    base_clock_sleep_ms(12);
    assert_true(base_clock_us() - from >= 12000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utc_is_what_the_c_library_says),
        cmocka_unit_test(monotonic_time_goes_on),
        cmocka_unit_test(sleep_takes_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
