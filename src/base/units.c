/* units.c - strict numbers with units
 *
 * The ceilings are far above any machine and far below an overflow in later arithmetic.
 */
#include "base/units.h"
#include "base/cleanup.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct suffix {
    const char *text;
    uint64_t factor;
};

/* What is printed stands before what is only read. */
static const struct suffix count_suffixes[] = {{"", 1}, {NULL, 0}};
static const struct suffix bytes_suffixes[] = {
    {"GiB", 1u << 30},
    {"MiB", 1u << 20},
    {"KiB", 1u << 10},
    {"GB", 1000000000},
    {"MB", 1000000},
    {"kB", 1000},
    {"B", 1},
    {"", 1},
    {"G", 1u << 30},
    {"M", 1u << 20},
    {"K", 1u << 10},
    {"Gi", 1u << 30},
    {"Mi", 1u << 20},
    {"Ki", 1u << 10},
    {"T", UINT64_C(1) << 40},
    {"Ti", UINT64_C(1) << 40},
    {"TiB", UINT64_C(1) << 40},
    {"TB", UINT64_C(1000000000000)},
    {NULL, 0},
};
static const struct suffix ms_suffixes[] = {{"h", 3600000}, {"m", 60000},   {"s", 1000},   {"ms", 1},
                                            {"", 1},        {"min", 60000}, {"sec", 1000}, {NULL, 0}};

static const struct unit_row {
    const struct suffix *suffixes;
    uint64_t max;
    const char *form;
} units[] = {
    [BASE_UNIT_COUNT] = {count_suffixes, 4000000, "a whole number from 1"},
    [BASE_UNIT_BYTES] = {bytes_suffixes, (uint64_t)1 << 53,
                         "a number with B, kB, MB, GB, TB, KiB, MiB, GiB or TiB after it; K, M, G, T and Ki, Mi, Gi, "
                         "Ti are the last four"},
    [BASE_UNIT_MS] = {ms_suffixes, (uint64_t)30 * 24 * 3600 * 1000, "a number with ms, s, m or h after it"},
};

const char *base_units_form(enum base_unit unit)
{
    return units[unit].form;
}

uint64_t base_units_max(enum base_unit unit)
{
    return units[unit].max;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What is wrong with a text that does not start with a digit. */
static const char *why_no_digit(const char *text)
{
    switch (text[0]) {
    case '\0':
        return "is empty";
    case '-':
        return "is negative";
    case '+':
        return "has a sign";
    case ' ':
    case '\t':
        return "starts with a blank";
    default:
        return "is not a number";
    }
}

static const struct suffix *find_suffix(const struct suffix *suffixes, const char *text)
{
    for (; suffixes->text; suffixes++)
        if (strcasecmp(suffixes->text, text) == 0)
            return suffixes;
    return NULL;
}

/* ".5": so many parts of @ret_scale. More than nine digits are finer than any unit. */
static const char *parse_fraction(const char **text, uint64_t *ret_part, uint64_t *ret_scale)
{
    const char *p = *text;

    *ret_part = 0;
    *ret_scale = 1;
    if (*p != '.')
        return NULL;
    if (!is_digit(*++p))
        return "has a fraction without digits";
    for (; is_digit(*p); p++) {
        if (*ret_scale == 1000000000)
            return "has too fine a fraction";
        *ret_part = *ret_part * 10 + (uint64_t)(*p - '0');
        *ret_scale *= 10;
    }
    *text = p;
    return NULL;
}

static const char *why_no_suffix(const struct unit_row *unit, const char *text)
{
    if (*text == ',' || *text == '.')
        return "has a fraction";
    return unit->suffixes == count_suffixes ? "has a unit where a plain count is wanted" : "has an unknown unit";
}

static const char *parse_number(const char *text, const struct unit_row *unit, uint64_t *ret_value)
{
    const struct suffix *suffix;
    const char *p = text, *why;
    uint64_t value = 0, part, scale;

    if (!is_digit(*p))
        return why_no_digit(p);
    for (; is_digit(*p); p++) {
        value = value * 10 + (uint64_t)(*p - '0');
        if (value > unit->max)
            return "is too large";
    }
    if (text[0] == '0' && p - text > 1 && (value > 0 || *p == '.'))
        return "starts with a zero";
    why = parse_fraction(&p, &part, &scale);
    if (why)
        return why;
    suffix = find_suffix(unit->suffixes, p);
    if (!suffix)
        return why_no_suffix(unit, p);
    if (scale > 1 && suffix->factor == 1)
        return "has a fraction";
    if (value == 0 && part == 0)
        return "is zero";
    if (value > unit->max / suffix->factor)
        return "is too large";
    if (unit->suffixes != bytes_suffixes && part * suffix->factor % scale != 0) /* a part of a byte is none */
        return "has too fine a fraction";
    value = value * suffix->factor + part * suffix->factor / scale;
    if (value > unit->max)
        return "is too large";
    if (value == 0)
        return "is zero";
    *ret_value = value;
    return NULL;
}

int base_units_parse(const char *text, enum base_unit unit, uint64_t *ret_value, bool *ret_unlimited,
                     const char **ret_why)
{
    uint64_t value = 0;
    bool unlimited = strcmp(text, "unlimited") == 0;
    const char *why = unlimited ? NULL : parse_number(text, &units[unit], &value);

    if (why) {
        *ret_why = why;
        return -1;
    }
    *ret_value = value;
    *ret_unlimited = unlimited;
    return 0;
}

const char *base_units_text(uint64_t value, enum base_unit unit, char *text, unsigned text_bytes)
{
    const struct suffix *best = NULL;
    char made[32];
    size_t best_length = SIZE_MAX;

    for (const struct suffix *s = units[unit].suffixes; s->text; s++) {
        if (s->text[0] == '\0' && unit != BASE_UNIT_COUNT)
            break; /* from here on they are only read */
        if (value % s->factor != 0)
            continue;
        size_t length =
            (size_t)snprintf(made, sizeof(made), "%llu%s", (unsigned long long)(value / s->factor), s->text);
        if (length < best_length) {
            best = s;
            best_length = length;
        }
    }
    (void)snprintf(text, text_bytes, "%llu%s", (unsigned long long)(value / best->factor), best->text);
    return text;
}
