/* equal.c - is the value that came back the one that was expected, and where is it not */

#include "base/cleanup.h"
#include "judge/judge.h"
#include "judge/value.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct judge_tolerance judge_tolerance_default = {.relative = 1e-9, .absolute = 0, .at_zero = 1e-12};

/* Room for the digits of any double that is a whole number. */
#define WHOLE_BYTES 512

struct comparing {
    const struct judge_answer *answer;
    const struct judge_tolerance *tolerance;
    bool input;      /* it is what an input has become */
    bool one_number; /* whose language does not tell 1 from 1.0 */
    char path[48];
    size_t path_count;
    uint32_t got; /* where they differ first */
    const json_t *want;
};

static const struct judge_node *node_at(const struct comparing *c, uint32_t index)
{
    return &c->answer->nodes[index];
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

static bool reals_close(double got, double want, const struct judge_tolerance *t)
{
    double larger = larger_of(fabs(got), fabs(want));
    double absolute = want == 0 ? larger_of(t->absolute, t->at_zero) : t->absolute;

    if (got == want)
        return true;
    if (!isfinite(got) || !isfinite(want)) /* a big integer may be beyond all reals */
        return false;
    return fabs(got - want) <= larger_of(t->relative * larger, absolute);
}

static bool is_number(const json_t *value)
{
    return json_is_number(value) || judge_value_big(value);
}

/* A whole number is that number: whatever its size, digit by digit. */
static bool is_whole(const struct comparing *c, const struct judge_node *got, const char *want)
{
    char whole[WHOLE_BYTES];

    if (got->type == JUDGE_TYPE_INTEGER)
        return strcmp(judge_node_text(c->answer, got), want) == 0;
    (void)snprintf(whole, sizeof(whole), "%.0f", got->real == 0 ? 0.0 : got->real); /* -0.0 is 0 */
    return judge_real_of(whole) == got->real && strcmp(whole, want) == 0;
}

/* A tolerance only where a real number is wanted. */
static bool numbers_equal(const struct comparing *c, const struct judge_node *got, const json_t *want)
{
    const char *big = judge_value_big(want);
    char digits[32];

    if (json_is_real(want))
        return reals_close(got->type == JUDGE_TYPE_REAL ? got->real : judge_real_of(judge_node_text(c->answer, got)),
                           json_real_value(want), c->tolerance);
    if (big)
        return is_whole(c, got, big);
    (void)snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, json_integer_value(want));
    return is_whole(c, got, digits);
}

/* The same number, of the same type. */
static bool numbers_same(const struct comparing *c, const struct judge_node *got, const json_t *want)
{
    double real = json_real_value(want);

    if (got->type == JUDGE_TYPE_REAL)
        return json_is_real(want) && got->real == real && !signbit(got->real) == !signbit(real);
    if (!json_is_real(want))
        return numbers_equal(c, got, want);
    return c->one_number && judge_real_of(judge_node_text(c->answer, got)) == real && !(real == 0 && signbit(real));
}

/* ---- all values ------------------------------------------------------------------------------------------------ */

static bool differ(struct comparing *c, uint32_t got, const json_t *want)
{
    c->got = got;
    c->want = want;
    return false;
}

static void enter(struct comparing *c, const char *step)
{
    size_t room = sizeof(c->path) - c->path_count, count = strlen(step);

    if (count >= room)
        count = 0, c->path_count = sizeof(c->path); /* too deep to say */
    memcpy(c->path + (count ? c->path_count : 0), step, count);
    c->path_count += count;
}

static bool equal(struct comparing *c, uint32_t index, const json_t *want);

static bool lists_equal(struct comparing *c, uint32_t index, const json_t *want)
{
    size_t before = c->path_count;
    uint32_t item = node_at(c, index)->first;
    char step[32];

    if (node_at(c, index)->count != json_array_size(want))
        return differ(c, index, want);
    for (size_t i = 0; i < json_array_size(want); i++, item = node_at(c, item)->next) {
        (void)snprintf(step, sizeof(step), "[%zu]", i);
        enter(c, step);
        if (!equal(c, item, json_array_get(want, i)))
            return false;
        c->path_count = before;
    }
    return true;
}

static bool dicts_equal(struct comparing *c, uint32_t index, const json_t *want)
{
    size_t before = c->path_count;
    uint32_t key = node_at(c, index)->first;
    char step[32];

    if (node_at(c, index)->count != 2 * json_object_size(want))
        return differ(c, index, want);
    for (size_t i = 0; i < json_object_size(want); i++, key = node_at(c, node_at(c, key)->next)->next) {
        const char *name = judge_node_text(c->answer, node_at(c, key));
        const json_t *other = json_object_get(want, *name == JUDGE_KEY_BYTE ? name - 1 : name);
        if (!other)
            return differ(c, index, want);
        (void)snprintf(step, sizeof(step), ".%.30s", name);
        enter(c, step);
        if (!equal(c, node_at(c, key)->next, other))
            return false;
        c->path_count = before;
    }
    return true;
}

static bool texts_equal(const struct comparing *c, const struct judge_node *got, const json_t *want)
{
    return got->count == json_string_length(want) &&
           memcmp(judge_node_text(c->answer, got), json_string_value(want), got->count) == 0;
}

/* Tuples are lists in JSON; an input has none. */
static bool equal(struct comparing *c, uint32_t index, const json_t *want)
{
    const struct judge_node *got = node_at(c, index);
    bool same = false;

    switch ((enum judge_type)got->type) {
    case JUDGE_TYPE_NULL:
        same = json_is_null(want);
        break;
    case JUDGE_TYPE_FALSE:
        same = json_is_false(want);
        break;
    case JUDGE_TYPE_TRUE:
        same = json_is_true(want);
        break;
    case JUDGE_TYPE_INTEGER:
    case JUDGE_TYPE_REAL:
        same = is_number(want) && (c->input ? numbers_same(c, got, want) : numbers_equal(c, got, want));
        break;
    case JUDGE_TYPE_TEXT:
        same = json_is_string(want) && texts_equal(c, got, want);
        break;
    case JUDGE_TYPE_LIST:
    case JUDGE_TYPE_TUPLE:
        return json_is_array(want) && !(c->input && got->type == JUDGE_TYPE_TUPLE) ? lists_equal(c, index, want)
                                                                                   : differ(c, index, want);
    case JUDGE_TYPE_DICT:
        return json_is_object(want) && !judge_value_big(want) ? dicts_equal(c, index, want) : differ(c, index, want);
    }
    return same || differ(c, index, want);
}

/* ---- how they differ ------------------------------------------------------------------------------------------- */

#define SHOWN_BYTES 72

/* The first byte that two texts do not share. */
static size_t first_difference(const char *a, size_t a_count, const char *b, size_t b_count)
{
    size_t i = 0;

    while (i < a_count && i < b_count && a[i] == b[i])
        i++;
    return i;
}

static void say_pair(const struct comparing *c, const char *got, const char *want, char *text, size_t bytes)
{
    (void)snprintf(text, bytes, "%s %s, %s %s", c->input ? "now" : "got", got, c->input ? "was" : "expected", want);
}

static void describe_leaf(const struct comparing *c, char *text, size_t bytes)
{
    const struct judge_node *got = node_at(c, c->got);
    const char *big = judge_value_big(c->want);
    bool dict = got->type == JUDGE_TYPE_DICT;
    size_t got_count = dict ? got->count / 2 : got->count;
    size_t want_count = dict ? json_object_size(c->want) : json_array_size(c->want);
    char got_text[SHOWN_BYTES], want_text[SHOWN_BYTES];
    bool cut = judge_answer_text(c->answer, c->got, got_text, sizeof(got_text));

    cut = judge_value_text(c->want, want_text, sizeof(want_text)) || cut;
    if (cut && got->type >= JUDGE_TYPE_LIST && want_count > 0 && got_count != want_count)
        (void)snprintf(text, bytes, c->input ? "now %zu elements, was %zu" : "got %zu elements, expected %zu",
                       got_count, want_count);
    else if (cut && got->type == JUDGE_TYPE_TEXT && json_is_string(c->want))
        (void)snprintf(text, bytes, "the text differs from its byte %zu on",
                       1 + first_difference(judge_node_text(c->answer, got), got->count, json_string_value(c->want),
                                            json_string_length(c->want)));
    else if (cut && got->type == JUDGE_TYPE_INTEGER && big)
        (void)snprintf(text, bytes, "the number differs from its digit %zu on",
                       1 + first_difference(judge_node_text(c->answer, got), got->count, big, strlen(big)));
    else
        say_pair(c, got_text, want_text, text, bytes);
}

static void describe(const struct comparing *c, const json_t *want, char *text, size_t bytes)
{
    char got_text[SHOWN_BYTES], want_text[SHOWN_BYTES], leaf[160];
    bool single = c->input && json_array_size(want) == 1 && node_at(c, 0)->count == 1;
    bool cut = judge_answer_text(c->answer, single ? node_at(c, 0)->first : 0, got_text, sizeof(got_text));

    cut = judge_value_text(single ? json_array_get(want, 0) : want, want_text, sizeof(want_text)) || cut;
    if (!cut) {
        say_pair(c, got_text, want_text, text, bytes);
        return;
    }
    describe_leaf(c, leaf, sizeof(leaf));
    if (c->path_count == 0)
        (void)snprintf(text, bytes, "%s", leaf);
    else if (c->path_count < sizeof(c->path))
        (void)snprintf(text, bytes, "at %.*s: %s", (int)c->path_count, c->path, leaf);
    else
        (void)snprintf(text, bytes, "deep inside: %s", leaf);
}

static bool compare(struct comparing *c, const json_t *want, char *text, size_t text_bytes)
{
    bool same = equal(c, 0, want);

    if (same)
        *text = '\0';
    else
        describe(c, want, text, text_bytes);
    return same;
}

bool judge_answer_equal(const struct judge_answer *answer, const json_t *want, const struct judge_tolerance *tolerance,
                        char *text, size_t text_bytes)
{
    struct comparing c = {.answer = answer, .tolerance = tolerance};

    return compare(&c, want, text, text_bytes);
}

bool judge_answer_unchanged(const struct judge_answer *answer, const json_t *args, bool one_number, char *text,
                            size_t text_bytes)
{
    static const struct judge_tolerance none = {0};
    struct comparing c = {.answer = answer, .tolerance = &none, .input = true, .one_number = one_number};

    return compare(&c, args, text, text_bytes);
}
