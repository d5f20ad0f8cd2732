/* value.c - values as text, for people and for the drivers */

#include "judge/value.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/utf8.h"
#include "judge/judge.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *judge_value_big(const json_t *value)
{
    return json_object_size(value) == 1 ? json_string_value(json_object_get(value, JUDGE_BIG_KEY)) : NULL;
}

double judge_real_of(const char *number)
{
    return strtod(number, NULL);
}

const char *judge_real_text(double real, char text[JUDGE_REAL_BYTES])
{
    int count = 0, digits = 15;

    do
        count = snprintf(text, JUDGE_REAL_BYTES, "%.*g", digits, real);
    while (digits++ < 17 && judge_real_of(text) != real);
    if (!strpbrk(text, ".eni")) /* nor "inf", "nan" */
        (void)snprintf(text + count, (size_t)(JUDGE_REAL_BYTES - count), ".0");
    return text;
}

int judge_put_text(struct base_buf *buf, const char *bytes, size_t count)
{
    size_t from = 0;
    int r = base_buf_text(buf, "\"");

    for (size_t i = 0; i < count && r >= 0; i++) {
        if ((unsigned char)bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != '\\')
            continue;
        r = base_buf_append(buf, bytes + from, i - from);
        if (r >= 0)
            r = base_json_escape(bytes[i]) ? base_buf_text(buf, base_json_escape(bytes[i]))
                                           : base_buf_printf(buf, "\\u%04x", (unsigned char)bytes[i]);
        from = i + 1;
    }
    if (r >= 0 && count > from)
        r = base_buf_append(buf, bytes + from, count - from);
    return r < 0 ? r : base_buf_text(buf, "\"");
}

/* ---- JSON of a task set ---------------------------------------------------------------------------------------- */

/* JavaScript's numbers are exact up to here only. */
#define NODE_INTEGER_MAX 9007199254740991

static int write_integer(struct base_buf *buf, json_int_t number, bool tagged)
{
    bool wide = tagged && (number > NODE_INTEGER_MAX || number < -NODE_INTEGER_MAX);

    return base_buf_printf(buf, wide ? "{\"i\":\"%" JSON_INTEGER_FORMAT "\"}" : "%" JSON_INTEGER_FORMAT, number);
}

static int write_scalar(struct base_buf *buf, const json_t *value, bool tagged)
{
    char text[JUDGE_REAL_BYTES];

    if (json_is_integer(value))
        return write_integer(buf, json_integer_value(value), tagged);
    if (json_is_real(value))
        return base_buf_text(buf, judge_real_text(json_real_value(value), text));
    if (json_is_string(value))
        return judge_put_text(buf, json_string_value(value), json_string_length(value));
    return base_buf_text(buf, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
}

static int write_list(struct base_buf *buf, const json_t *list, bool tagged, size_t max)
{
    int r = base_buf_text(buf, "[");

    for (size_t i = 0; i < json_array_size(list) && r >= 0 && buf->count <= max; i++) {
        if (i > 0)
            r = base_buf_text(buf, ",");
        if (r >= 0)
            r = judge_value_write(buf, json_array_get(list, i), tagged, max);
    }
    return r < 0 ? r : base_buf_text(buf, "]");
}

/* In the order in which it was written: a program may see that. */
static int write_object(struct base_buf *buf, const json_t *object, bool tagged, size_t max)
{
    const char *key, *comma = "";
    json_t *item;
    int r = base_buf_text(buf, tagged ? "{\"d\":{" : "{");

    json_object_foreach((json_t *)object, key, item) /* the macro has no const form; nothing is changed */
    {
        const char *name = *key == JUDGE_KEY_BYTE ? key + 1 : key;
        if (r >= 0)
            r = base_buf_text(buf, comma);
        if (r >= 0)
            r = judge_put_text(buf, name, strlen(name));
        if (r >= 0)
            r = base_buf_text(buf, ":");
        if (r >= 0)
            r = judge_value_write(buf, item, tagged, max);
        if (r < 0 || buf->count > max)
            break;
        comma = ",";
    }
    return r < 0 ? r : base_buf_text(buf, tagged ? "}}" : "}");
}

int judge_value_write(struct base_buf *buf, const json_t *value, bool tagged, size_t max)
{
    const char *big = judge_value_big(value);

    if (big)
        return base_buf_printf(buf, tagged ? "{\"i\":\"%s\"}" : "%s", big);
    if (json_is_array(value))
        return write_list(buf, value, tagged, max);
    if (json_is_object(value))
        return write_object(buf, value, tagged, max);
    return write_scalar(buf, value, tagged);
}

/* What every list and dict has around its items: {"l":[]}. */
#define AROUND_BYTES 8

static size_t least_of_object(const json_t *object)
{
    size_t count = AROUND_BYTES;
    const char *key;
    json_t *item;

    json_object_foreach((json_t *)object, key, item) /* as above */
        count += strlen(key) + strlen("[\"\",],") + judge_value_least(item);
    return json_object_size(object) > 0 ? count - 1 : count;
}

size_t judge_value_least(const json_t *want)
{
    const char *big = judge_value_big(want);
    char digits[32];
    size_t count = AROUND_BYTES;

    if (big)
        return strlen(big);
    if (json_is_object(want))
        return least_of_object(want);
    if (json_is_string(want))
        return json_string_length(want) + 2;
    if (json_is_integer(want))
        return (size_t)snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, json_integer_value(want));
    if (!json_is_array(want))
        return 1;
    for (size_t i = 0; i < json_array_size(want); i++)
        count += judge_value_least(json_array_get(want, i)) + (i > 0);
    return count;
}

/* ---- for people ------------------------------------------------------------------------------------------------ */

static int write_node(struct base_buf *buf, const struct judge_answer *answer, uint32_t index, size_t max)
{
    static const char *const words[] = {"null", "false", "true"};
    const struct judge_node *node = &answer->nodes[index];
    bool dict = node->type == JUDGE_TYPE_DICT, tuple = node->type == JUDGE_TYPE_TUPLE;
    char text[JUDGE_REAL_BYTES];
    uint32_t item = node->first;
    int r;

    if (node->type <= JUDGE_TYPE_TRUE)
        return base_buf_text(buf, words[node->type]);
    if (node->type == JUDGE_TYPE_INTEGER)
        return base_buf_text(buf, judge_node_text(answer, node));
    if (node->type == JUDGE_TYPE_REAL)
        return base_buf_text(buf, judge_real_text(node->real, text));
    if (node->type == JUDGE_TYPE_TEXT)
        return judge_put_text(buf, judge_node_text(answer, node), node->count);
    r = base_buf_text(buf, dict ? "{" : tuple ? "(" : "[");
    for (uint32_t i = 0; i < node->count && r >= 0 && buf->count <= max; i++) {
        if (i > 0)
            r = base_buf_text(buf, dict && i % 2 ? ":" : ",");
        if (r >= 0)
            r = write_node(buf, answer, item, max);
        item = answer->nodes[item].next;
    }
    return r < 0 ? r : base_buf_text(buf, dict ? "}" : tuple ? ")" : "]");
}

/* Cut what was written to the room that there is, but not in the middle of a character. */
static bool cut_text(int code, const struct base_buf *buf, char *text, size_t text_bytes)
{
    if (code < 0 || !buf->bytes || buf->count < text_bytes) {
        (void)snprintf(text, text_bytes, "%s", code < 0 || !buf->bytes ? "?" : buf->bytes);
        return false;
    }
    (void)snprintf(text, text_bytes, "%.*s...", (int)base_utf8_cut(buf->bytes, text_bytes - 4), buf->bytes);
    return true;
}

bool judge_value_text(const json_t *value, char *text, size_t text_bytes)
{
    AUTO_BUF struct base_buf buf = {0};

    return cut_text(judge_value_write(&buf, value, false, text_bytes), &buf, text, text_bytes);
}

bool judge_answer_text(const struct judge_answer *answer, uint32_t index, char *text, size_t text_bytes)
{
    AUTO_BUF struct base_buf buf = {0};

    return cut_text(write_node(&buf, answer, index, text_bytes), &buf, text, text_bytes);
}
