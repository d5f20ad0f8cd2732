/* doc_json_untrusted.c - read a JSON document into a tree
 *
 * The bytes may come from anybody. jansson decides whether they are valid JSON (without NUL characters); the walk below
 * then only has to find the places and the texts, and still never reads past the end.
 */
#include "base/doc_build.h"
#include "base/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const char *next, *end;
    unsigned line, column; /* of *next */
    struct base_doc_source *source;
};

static char peek(const struct walk *walk)
{
    return walk->next < walk->end ? *walk->next : '\0';
}

static void step(struct walk *walk)
{
    if (walk->next == walk->end)
        return;
    if (*walk->next == '\n') {
        walk->line++;
        walk->column = 1;
    } else if (((unsigned char)*walk->next & 0xc0) != 0x80) {
        walk->column++; /* columns count characters, not bytes */
    }
    walk->next++;
}

static void skip_blanks(struct walk *walk)
{
    while (walk->next < walk->end && memchr(" \t\r\n", *walk->next, 4))
        step(walk);
}

/* Step over blanks, then over @c when it stands there. */
static bool take(struct walk *walk, char c)
{
    skip_blanks(walk);
    if (peek(walk) != c)
        return false;
    step(walk);
    return true;
}

static int broken(const struct walk *walk)
{
    return base_doc_source_err(walk->source, walk->line, walk->column, "not valid JSON");
}

static uint32_t hex4(const char *digits)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++)
        value = value << 4 | (uint32_t)(digits[i] <= '9' ? digits[i] - '0' : (digits[i] | 0x20) - 'a' + 10);
    return value;
}

static char *put_utf8(char *out, uint32_t point)
{
    if (point < 0x80) {
        *out++ = (char)point;
    } else if (point < 0x800) {
        *out++ = (char)(0xc0 | point >> 6);
        *out++ = (char)(0x80 | (point & 63));
    } else if (point < 0x10000) {
        *out++ = (char)(0xe0 | point >> 12);
        *out++ = (char)(0x80 | (point >> 6 & 63));
        *out++ = (char)(0x80 | (point & 63));
    } else {
        *out++ = (char)(0xf0 | point >> 18);
        *out++ = (char)(0x80 | (point >> 12 & 63));
        *out++ = (char)(0x80 | (point >> 6 & 63));
        *out++ = (char)(0x80 | (point & 63));
    }
    return out;
}

/* Decode the escape after a backslash at @p; what it stands for is never longer than its spelling. */
static const char *decode_escape(const char *p, const char *end, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *simple = p < end ? memchr(from, *p, sizeof(from) - 1) : NULL;
    uint32_t point;

    if (simple) {
        *(*out)++ = to[simple - from];
        return p + 1;
    }
    if (end - p < 5)
        return end;
    point = hex4(p + 1);
    p += 5;
    if (point >= 0xd800 && point < 0xdc00 && end - p >= 6) {
        point = 0x10000 + ((point - 0xd800) << 10) + (hex4(p + 2) - 0xdc00);
        p += 6;
    }
    *out = put_utf8(*out, point);
    return p;
}

static char *decode_string(const char *p, const char *end)
{
    char *text = malloc((size_t)(end - p) + 1), *out = text;

    if (!text)
        return NULL;
    while (p < end) {
        if (*p == '\\')
            p = decode_escape(p + 1, end, &out);
        else
            *out++ = *p++;
    }
    *out = '\0';
    return text;
}

static int read_string(struct walk *walk, char **ret_text)
{
    const char *first;

    if (!take(walk, '"'))
        return broken(walk);
    first = walk->next;
    while (walk->next < walk->end && *walk->next != '"') {
        if (*walk->next == '\\')
            step(walk);
        step(walk);
    }
    *ret_text = decode_string(first, walk->next);
    step(walk);
    return *ret_text ? 0 : base_err_set(walk->source->err, BASE_E_NOMEM, walk->source->place, "out of memory");
}

static int read_word(struct walk *walk, char **ret_text)
{
    const char *first = walk->next;

    while (walk->next < walk->end && !memchr(",]} \t\r\n", *walk->next, 7))
        step(walk);
    *ret_text = strndup(first, (size_t)(walk->next - first));
    return *ret_text ? 0 : base_err_set(walk->source->err, BASE_E_NOMEM, walk->source->place, "out of memory");
}

static int read_value(struct walk *walk, unsigned depth, struct base_doc **ret_doc);

static int read_member(struct walk *walk, unsigned depth, struct base_doc **tail)
{
    AUTO_FREE char *key = NULL;
    unsigned line, column;
    int r;

    skip_blanks(walk);
    line = walk->line;
    column = walk->column;
    r = read_string(walk, &key);
    if (r < 0)
        return r;
    if (!take(walk, ':'))
        return broken(walk);
    r = read_value(walk, depth, tail);
    if (r < 0)
        return r;
    (*tail)->key = TAKE_PTR(key);
    (*tail)->key_line = line;
    (*tail)->key_column = column;
    return 0;
}

static int read_children(struct walk *walk, unsigned depth, struct base_doc *parent)
{
    bool map = parent->kind == BASE_DOC_MAP;
    char closing = map ? '}' : ']';

    if (take(walk, closing))
        return 0;
    for (struct base_doc **tail = &parent->child;; tail = &(*tail)->next) {
        int r = map ? read_member(walk, depth + 1, tail) : read_value(walk, depth + 1, tail);

        if (r < 0)
            return r;
        if (take(walk, closing))
            return map ? base_doc_unique(walk->source, parent) : 0;
        if (!take(walk, ','))
            return broken(walk);
    }
}

/* *@ret_doc is set only on success. */
static int read_value(struct walk *walk, unsigned depth, struct base_doc **ret_doc)
{
    AUTO_DOC struct base_doc *doc = NULL;
    enum base_doc_kind kind;
    int r;

    skip_blanks(walk);
    kind = peek(walk) == '{' ? BASE_DOC_MAP : peek(walk) == '[' ? BASE_DOC_LIST : BASE_DOC_SCALAR;
    r = base_doc_new(walk->source, kind, depth, walk->line, walk->column, &doc);
    if (r < 0)
        return r;
    if (kind == BASE_DOC_SCALAR) {
        doc->quoted = peek(walk) == '"';
        r = doc->quoted ? read_string(walk, &doc->text) : read_word(walk, &doc->text);
    } else {
        step(walk);
        r = read_children(walk, depth, doc);
    }
    if (r == 0)
        *ret_doc = TAKE_PTR(doc);
    return r;
}

/* The offset of a comma with nothing but blanks between it and the closing token that ends at @end; -1: there is none.
 */
static long comma_before(const struct base_doc_source *source, size_t end)
{
    if (end < 2 || end > source->count || !memchr("]}", source->bytes[end - 1], 2))
        return -1;
    for (size_t at = end - 1; at > 0; at--)
        if (!memchr(" \t\r\n", source->bytes[at - 1], 4))
            return source->bytes[at - 1] == ',' ? (long)(at - 1) : -1;
    return -1;
}

static int syntax_err(const struct base_doc_source *source, const json_error_t *error)
{
    static const struct {
        const char *text, *remedy; /* a part of what jansson says */
    } remedies[] = {
        {"string or '}' expected", "a key is a text in double quotes"},
        {"invalid token", "a text stands in double quotes"},
        {"'}' expected", "entries are parted by commas, and a { needs its }"},
        {"']' expected", "entries are parted by commas, and a [ needs its ]"},
        {"':' expected", "write \"key\": value"},
        {"end of file expected", "one document only"},
    };
    long comma = comma_before(source, error->position > 0 ? (size_t)error->position : 0);
    unsigned line = error->line > 0 ? (unsigned)error->line : 1;
    unsigned column = error->column > 0 ? (unsigned)error->column : 1;

    if (comma >= 0) {
        base_doc_offset(source, (size_t)comma, &line, &column);
        (void)base_doc_source_err(source, line, column, "not valid JSON: a comma after the last entry");
        (void)base_err_remedy(source->err, "take it out");
        return BASE_E_INVALID;
    }
    (void)base_doc_source_err(source, line, column, "not valid JSON: %s", error->text);
    for (size_t i = 0; i < ARRAY_COUNT(remedies); i++)
        if (strstr(error->text, remedies[i].text)) {
            (void)base_err_remedy(source->err, "%s", remedies[i].remedy);
            break;
        }
    return BASE_E_INVALID;
}

static int check_syntax(const struct base_doc_source *source)
{
    json_error_t error;
    int r;
    json_t *json = base_json_load(source->bytes, source->count, 0, &error, &r);

    if (json) {
        json_decref(json);
        return 0;
    }
    if (r == BASE_E_NOMEM)
        return base_err_set(source->err, r, source->place, "out of memory");
    if (r == BASE_E_TOO_LARGE)
        return base_doc_source_err(source, (unsigned)error.line, (unsigned)error.column, "%s", error.text);
    return syntax_err(source, &error);
}

int base_doc_json(struct base_doc_source *source, struct base_doc **ret_doc)
{
    struct walk walk = {source->bytes, source->bytes + source->count, 1, 1, source};
    int r = check_syntax(source);

    return r < 0 ? r : read_value(&walk, 1, ret_doc);
}
