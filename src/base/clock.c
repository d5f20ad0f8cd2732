/* clock.c - time */
#include "base/clock.h"
#include <stdio.h>
#include <time.h>

uint64_t base_clock_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void base_clock_sleep_ms(unsigned ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

    (void)nanosleep(&time, NULL);
}

/* gmtime_r() would read the time zone file of the host first: needless work on the path of a cold run. */
static void civil_from_days(unsigned days, unsigned *ret_year, unsigned *ret_month, unsigned *ret_day)
{
    unsigned shifted = days + 719468; /* days since 0000-03-01: leap days come last in a year */
    unsigned era = shifted / 146097, of_era = shifted % 146097;
    unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * of_year + 2) / 153;

    *ret_day = of_year - (153 * month + 2) / 5 + 1;
    *ret_month = month < 10 ? month + 3 : month - 9;
    *ret_year = year + era * 400 + (*ret_month <= 2);
}

const char *base_clock_utc(char *text, size_t text_bytes)
{
    struct timespec now;
    unsigned year, month, day, second;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    second = (unsigned)(now.tv_sec % 86400);
    civil_from_days((unsigned)(now.tv_sec / 86400), &year, &month, &day);
    (void)snprintf(text, text_bytes, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", year, month, day, second / 3600,
                   second / 60 % 60, second % 60, (unsigned)(now.tv_nsec / 1000000));
    return text;
}
