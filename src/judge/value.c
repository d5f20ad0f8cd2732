/* value.c - JSON values, equal or not */

#include "judge/value.h"
#include "judge/judge.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RELATIVE_TOLERANCE 1e-9

const char *judge_value_big(const json_t *value)
{
    const char *digits = json_object_size(value) == 1 ? json_string_value(json_object_get(value, JUDGE_BIG_KEY)) : NULL;
    return digits;
}

static double as_real(const json_t *value)
{
    const char *big = judge_value_big(value);
    return big ? strtod(big, NULL) : json_number_value(value); /* the digits were checked when they were read */
}

static bool reals_equal(double a, double b)
{
    if (a == b)
        return true;
    if (!isfinite(a) || !isfinite(b)) /* a big integer may be beyond all reals */
        return false;
    return fabs(a - b) <= RELATIVE_TOLERANCE * (fabs(a) > fabs(b) ? fabs(a) : fabs(b));
}

static bool is_number(const json_t *value)
{
    return json_is_number(value) || judge_value_big(value);
}

/* A tolerance only where a real number is wanted: a whole one is that number or wrong. */
static bool numbers_equal(const json_t *got, const json_t *want)
{
    const char *big_got = judge_value_big(got), *big_want = judge_value_big(want);

    if (json_is_real(want))
        return reals_equal(as_real(got), as_real(want));
    if (json_is_real(got))
        return as_real(got) == as_real(want) &&
               (big_want || fabs(as_real(got)) >= 9e18 || (json_int_t)as_real(got) == json_integer_value(want));
    if (big_got && big_want)
        return strcmp(big_got, big_want) == 0;
    return !big_got && !big_want && json_integer_value(got) == json_integer_value(want);
}

static bool lists_equal(const json_t *a, const json_t *b)
{
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!judge_value_equal(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static bool objects_equal(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;

    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)a, key, value) /* the macro has no const form; nothing is changed */
    {
        const json_t *other = json_object_get(b, key);
        if (!other || !judge_value_equal(value, other))
            return false;
    }
    return true;
}

bool judge_value_equal(const json_t *got, const json_t *want)
{
    if (is_number(got) || is_number(want))
        return is_number(got) && is_number(want) && numbers_equal(got, want);
    if (json_typeof(got) != json_typeof(want))
        return false;
    if (json_is_array(got))
        return lists_equal(got, want);
    if (json_is_object(got))
        return objects_equal(got, want);
    if (json_is_string(got))
        return json_string_length(got) == json_string_length(want) &&
               memcmp(json_string_value(got), json_string_value(want), json_string_length(got)) == 0;
    return true; /* true, false, null: the type is the value */
}

const char *judge_value_text(const json_t *value, char *text, size_t text_bytes)
{
    const char *big = judge_value_big(value);
    char *dump =
        big ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    const char *whole = big ? big : dump ? dump : "?";
    int cut = (int)text_bytes - 4;

    if (strlen(whole) < text_bytes) {
        (void)snprintf(text, text_bytes, "%s", whole);
    } else {
        while (cut > 0 && ((unsigned char)whole[cut] & 0xc0) == 0x80)
            cut--; /* not in the middle of a character */
        (void)snprintf(text, text_bytes, "%.*s...", cut, whole);
    }
    free(dump);
    return text;
}
