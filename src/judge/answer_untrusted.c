/* answer_untrusted.c - a value that a guest sent
 *
 * Runs outside the cage on bytes that the guest wrote. The encoding is JSON of one shape: null, true, false, numbers
 * and texts stand for themselves, all else is an object with one key, which is its type. No value of a candidate can
 * say such an object: its own dicts travel as {"d":[[key,value],...]}. Depth, number of values and size are bounded;
 * whatever is not of this shape is refused.
 */

#include "base/cleanup.h"
#include "base/json.h"
#include "judge/judge.h"
#include "judge/value.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 256
#define NODES_MAX  (1u << 20)

struct reader {
    const char *bytes, *at, *end;
    struct judge_answer *answer;
    size_t text_count;
    unsigned levels;
    const char *why; /* it is refused; NULL: is no value */
};

static int refuse(struct reader *reader, const char *why)
{
    if (!reader->why)
        reader->why = why;
    return BASE_E_INVALID;
}

static bool take(struct reader *reader, const char *text)
{
    size_t count = strlen(text);

    if ((size_t)(reader->end - reader->at) < count || memcmp(reader->at, text, count) != 0)
        return false;
    reader->at += count;
    return true;
}

static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static int add_node(struct reader *reader, enum judge_type type, uint32_t *ret_index)
{
    struct judge_answer *answer = reader->answer;

    if (answer->count >= NODES_MAX)
        return refuse(reader, "has more than 1048576 values");
    if (answer->count == answer->capacity) {
        size_t capacity = answer->capacity ? 2 * answer->capacity : 16;
        struct judge_node *nodes = reallocarray(answer->nodes, capacity, sizeof(*nodes));
        if (!nodes)
            return BASE_E_NOMEM;
        answer->nodes = nodes;
        answer->capacity = capacity;
    }
    *ret_index = (uint32_t)answer->count;
    answer->nodes[answer->count++] = (struct judge_node){.type = type};
    return 0;
}

static void put_char(struct reader *reader, unsigned c)
{
    reader->answer->text[reader->text_count++] = (char)c;
}

/* ---- texts ----------------------------------------------------------------------------------------------------- */

static int read_hex(struct reader *reader, unsigned *ret_code)
{
    unsigned code = 0;

    for (int i = 0; i < 4; i++) {
        char c = peek(reader);
        if (!isxdigit((unsigned char)c))
            return refuse(reader, NULL);
        code = 16 * code + (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10);
        reader->at++;
    }
    *ret_code = code;
    return 0;
}

static void put_utf8(struct reader *reader, unsigned code)
{
    if (code < 0x80) {
        put_char(reader, code);
    } else if (code < 0x800) {
        put_char(reader, 0xc0 | code >> 6);
        put_char(reader, 0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put_char(reader, 0xe0 | code >> 12);
        put_char(reader, 0x80 | (code >> 6 & 0x3f));
        put_char(reader, 0x80 | (code & 0x3f));
    } else {
        put_char(reader, 0xf0 | code >> 18);
        put_char(reader, 0x80 | (code >> 12 & 0x3f));
        put_char(reader, 0x80 | (code >> 6 & 0x3f));
        put_char(reader, 0x80 | (code & 0x3f));
    }
}

static int read_unicode(struct reader *reader)
{
    unsigned code, low;

    if (read_hex(reader, &code) < 0)
        return BASE_E_INVALID;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take(reader, "\\u") || read_hex(reader, &low) < 0 || low < 0xdc00 || low >= 0xe000)
            return refuse(reader, "has text that is not valid Unicode");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return refuse(reader, "has text that is not valid Unicode");
    }
    put_utf8(reader, code);
    return 0;
}

static int read_escape(struct reader *reader)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = peek(reader);
    const char *at = c ? strchr(names, c) : NULL;

    if (c == 'u') {
        reader->at++;
        return read_unicode(reader);
    }
    if (!at)
        return refuse(reader, NULL);
    reader->at++;
    put_char(reader, (unsigned char)meant[at - names]);
    return 0;
}

/* The quotes leave room for the byte before and the NUL behind; what an escape means is never longer than itself. */
static int read_text(struct reader *reader, uint32_t *ret_index)
{
    struct judge_node *node;
    size_t first;
    int r = add_node(reader, JUDGE_TYPE_TEXT, ret_index);

    if (r < 0 || !take(reader, "\""))
        return r < 0 ? r : refuse(reader, NULL);
    put_char(reader, JUDGE_KEY_BYTE);
    first = reader->text_count;
    while (reader->at < reader->end && *reader->at != '"') {
        if ((unsigned char)*reader->at < ' ')
            return refuse(reader, NULL);
        if (take(reader, "\\"))
            r = read_escape(reader);
        else
            put_char(reader, (unsigned char)*reader->at++);
        if (r < 0)
            return r;
    }
    if (!take(reader, "\""))
        return refuse(reader, NULL);
    node = &reader->answer->nodes[*ret_index];
    node->first = (uint32_t)first;
    node->count = (uint32_t)(reader->text_count - first);
    put_char(reader, '\0');
    return 0;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static size_t skip_digits(struct reader *reader)
{
    const char *from = reader->at;

    while (isdigit((unsigned char)peek(reader)))
        reader->at++;
    return (size_t)(reader->at - from);
}

/* Digits behind an optional part of a real number: 1 there are, 0 there is no such part. */
static int skip_part(struct reader *reader, const char *marks, bool sign)
{
    char c = peek(reader);

    if (!c || !strchr(marks, c))
        return 0;
    reader->at++;
    if (sign && (peek(reader) == '+' || peek(reader) == '-'))
        reader->at++;
    return skip_digits(reader) > 0 ? 1 : refuse(reader, NULL);
}

/* What follows a number leaves room for the NUL. */
static int read_number(struct reader *reader, uint32_t *ret_index)
{
    const char *from = reader->at;
    size_t first = reader->text_count, whole;
    bool negative = take(reader, "-");
    const char *digits = reader->at;
    struct judge_node *node;
    int r = add_node(reader, JUDGE_TYPE_INTEGER, ret_index), point, power;

    if (r < 0)
        return r;
    whole = skip_digits(reader);
    if (whole == 0 || (whole > 1 && *digits == '0'))
        return refuse(reader, NULL);
    point = skip_part(reader, ".", false);
    power = point < 0 ? point : skip_part(reader, "eE", true);
    if (point < 0 || power < 0)
        return BASE_E_INVALID;
    if (negative && whole == 1 && *digits == '0' && point == 0 && power == 0)
        from = digits; /* a whole number has one zero */
    node = &reader->answer->nodes[*ret_index];
    memcpy(reader->answer->text + first, from, (size_t)(reader->at - from));
    reader->text_count += (size_t)(reader->at - from);
    node->first = (uint32_t)first;
    node->count = (uint32_t)(reader->at - from);
    put_char(reader, '\0');
    if (point == 0 && power == 0)
        return 0;
    node->type = JUDGE_TYPE_REAL;
    node->real = judge_real_of(reader->answer->text + first);
    return isfinite(node->real) ? 0 : refuse(reader, "has a number that is not finite");
}

/* ---- all else -------------------------------------------------------------------------------------------------- */

static int read_value(struct reader *reader, uint32_t *ret_index);

/* One element of a list; for a dict "[key,value]", which are two. */
static int read_item(struct reader *reader, enum judge_type type, uint32_t *ret_first, uint32_t *ret_last)
{
    int r;

    if (type != JUDGE_TYPE_DICT) {
        r = read_value(reader, ret_first);
        *ret_last = *ret_first;
        return r;
    }
    if (!take(reader, "["))
        return refuse(reader, NULL);
    r = read_text(reader, ret_first);
    if (r >= 0 && memchr(judge_node_text(reader->answer, &reader->answer->nodes[*ret_first]), '\0',
                         reader->answer->nodes[*ret_first].count))
        r = refuse(reader, "has a key with a NUL");
    if (r >= 0 && !take(reader, ","))
        r = refuse(reader, NULL);
    if (r >= 0)
        r = read_value(reader, ret_last);
    if (r < 0)
        return r;
    reader->answer->nodes[*ret_first].next = *ret_last;
    return take(reader, "]") ? 0 : refuse(reader, NULL);
}

/* What stands in "[...]", as the items of node @index. */
static int read_items(struct reader *reader, uint32_t index)
{
    enum judge_type type = (enum judge_type)reader->answer->nodes[index].type;
    uint32_t first, last, before = 0, count = 0;
    int r;

    if (!take(reader, "["))
        return refuse(reader, NULL);
    while (!take(reader, "]")) {
        if (count > 0 && !take(reader, ","))
            return refuse(reader, NULL);
        r = read_item(reader, type, &first, &last);
        if (r < 0)
            return r;
        if (before)
            reader->answer->nodes[before].next = first;
        else
            reader->answer->nodes[index].first = first;
        before = last;
        count += type == JUDGE_TYPE_DICT ? 2 : 1;
    }
    reader->answer->nodes[index].count = count;
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_keys(struct reader *reader, uint32_t index)
{
    const struct judge_node *nodes = reader->answer->nodes, *dict = &nodes[index];
    size_t count = dict->count / 2, n = 0;
    AUTO_FREE const char **keys = count > 1 ? calloc(count, sizeof(*keys)) : NULL;

    if (count < 2)
        return 0;
    if (!keys)
        return BASE_E_NOMEM;
    for (uint32_t at = dict->first; n < count; at = nodes[nodes[at].next].next)
        keys[n++] = judge_node_text(reader->answer, &nodes[at]);
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (n = 1; n < count; n++)
        if (strcmp(keys[n - 1], keys[n]) == 0)
            return refuse(reader, "has a key twice");
    return 0;
}

/* A further type is a row here, and what reads its content. */
static const struct {
    const char *open; /* with the one key */
    enum judge_type type;
} tags[] = {
    {"{\"l\":", JUDGE_TYPE_LIST},
    {"{\"t\":", JUDGE_TYPE_TUPLE},
    {"{\"d\":", JUDGE_TYPE_DICT},
};

static int read_tagged(struct reader *reader, uint32_t *ret_index)
{
    int r = 0;

    if (++reader->levels > LEVELS_MAX)
        return refuse(reader, "has more than 256 levels");
    for (size_t i = 0; i < ARRAY_COUNT(tags); i++) {
        if (!take(reader, tags[i].open))
            continue;
        r = add_node(reader, tags[i].type, ret_index);
        if (r >= 0)
            r = read_items(reader, *ret_index);
        if (r >= 0 && tags[i].type == JUDGE_TYPE_DICT)
            r = check_keys(reader, *ret_index);
        if (r < 0)
            return r;
        reader->levels--;
        return take(reader, "}") ? 0 : refuse(reader, NULL);
    }
    return refuse(reader, NULL);
}

static int read_value(struct reader *reader, uint32_t *ret_index)
{
    static const struct {
        const char *word;
        enum judge_type type;
    } words[] = {{"null", JUDGE_TYPE_NULL}, {"true", JUDGE_TYPE_TRUE}, {"false", JUDGE_TYPE_FALSE}};
    char c = peek(reader);

    if (c == '{')
        return read_tagged(reader, ret_index);
    if (c == '"')
        return read_text(reader, ret_index);
    if (c == '-' || isdigit((unsigned char)c))
        return read_number(reader, ret_index);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (take(reader, words[i].word))
            return add_node(reader, words[i].type, ret_index);
    return refuse(reader, NULL);
}

void judge_answer_free(struct judge_answer *answer)
{
    if (!answer)
        return;
    free(answer->nodes);
    free(answer->text);
    free(answer);
}

int judge_answer_read(const char *bytes, size_t count, struct judge_answer **ret_answer, struct base_err *err)
{
    AUTO_ANSWER struct judge_answer *answer = calloc(1, sizeof(*answer));
    struct reader reader = {.bytes = bytes, .at = bytes, .end = bytes + count, .answer = answer};
    uint32_t index;
    int r = 0;

    if (count > INT32_MAX)
        return base_err_set(err, BASE_E_INVALID, "value", "is too large");
    if (answer)
        answer->text = malloc(count + 2);
    if (!answer || !answer->text)
        return base_err_set(err, BASE_E_NOMEM, "value", "out of memory");
    if (!base_json_is_utf8(bytes, count))
        return base_err_set(err, BASE_E_INVALID, "value", "has text that is not valid Unicode");
    r = read_value(&reader, &index);
    if (r >= 0 && reader.at < reader.end)
        r = refuse(&reader, NULL);
    if (r == BASE_E_NOMEM)
        return base_err_set(err, r, "value", "out of memory");
    if (r < 0 && reader.why)
        return base_err_set(err, r, "value", "%s", reader.why);
    if (r < 0)
        return base_err_set(err, r, "value", "is none, from its byte %zu on", (size_t)(reader.at - bytes) + 1);
    *ret_answer = TAKE_PTR(answer);
    return 0;
}
