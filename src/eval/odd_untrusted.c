/* odd_untrusted.c - JSON that Python writes and this project's reader refuses
 *
 * Candidates come from models and task sets from strangers, mostly by way of Python's json module, which writes NaN and
 * halves of surrogate pairs without a word. What is odd is spelled in the text itself, so that the reader stays strict.
 */

#include "base/cleanup.h"
#include "base/json.h"
#include "base/utf8.h"
#include "eval/odd.h"
#include <ctype.h>
#include <string.h>

static const char mark[] = "\xef\xb7\x90"; /* U+FDD0, which is no character and never will be one */
#define MARK_BYTES  3
#define CODE_CHARS  4
#define CODE_MARK   "fdd0"
#define CODE_NUMBER "real" /* the whole string is a number that is not finite */

struct scan {
    const char *at, *end;
    const char *copied; /* everything before it is in out */
    struct base_buf *out;
    bool inside; /* a string */
    bool any;
};

static int spell(struct scan *scan, const char *from, size_t count, unsigned code)
{
    int r = base_buf_append(scan->out, scan->copied, (size_t)(from - scan->copied));

    if (r >= 0)
        r = base_buf_text(scan->out, mark);
    if (r >= 0)
        r = base_buf_printf(scan->out, "%04x", code);
    scan->at = scan->copied = from + count;
    scan->any = true;
    return r;
}

/* Four hexadecimal digits, or -1. */
static long read_code(const char *at)
{
    long code = 0;

    for (int i = 0; i < CODE_CHARS; i++) {
        if (!isxdigit((unsigned char)at[i]))
            return -1;
        code = code * 16 + (isdigit((unsigned char)at[i]) ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
    }
    return code;
}

/* The code of "\uXXXX" at @at, or -1. */
static long escape_at(const char *at, const char *end)
{
    return end - at < 6 || at[0] != '\\' || at[1] != 'u' ? -1 : read_code(at + 2);
}

static int take_escape(struct scan *scan)
{
    long code = escape_at(scan->at, scan->end), next = code < 0 ? -1 : escape_at(scan->at + 6, scan->end);

    if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
        scan->at += 12;
        return 0;
    }
    if ((code >= 0xd800 && code < 0xe000) || code == 0xfdd0)
        return spell(scan, scan->at, 6, (unsigned)code);
    scan->at += scan->end - scan->at > 1 ? 2 : 1;
    return 0;
}

static bool is_plain(char c)
{
    return (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

static int take_byte_of_string(struct scan *scan)
{
    unsigned char c = (unsigned char)*scan->at;
    size_t left = (size_t)(scan->end - scan->at), n;

    if (c == '\\')
        return take_escape(scan);
    if (c < 0x80) {
        scan->inside = c != '"';
        scan->at++;
        while (scan->inside && scan->at < scan->end && is_plain(*scan->at))
            scan->at++;
        return 0;
    }
    n = base_utf8_length((const unsigned char *)scan->at, left);
    if (n == 0)
        return spell(scan, scan->at, 1, c);
    if (n == MARK_BYTES && memcmp(scan->at, mark, n) == 0)
        return spell(scan, scan->at, n, 0xfdd0);
    scan->at += n;
    return 0;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '+' || c == '.';
}

static bool is_not_finite(const char *word, size_t count)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity", "-NaN"};
    json_error_t error;
    json_t *number;
    int r;

    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (count == strlen(words[i]) && memcmp(word, words[i], count) == 0)
            return true;
    if (!memchr(word, 'e', count) && !memchr(word, 'E', count))
        return false;
    number = base_json_load(word, count, JSON_DECODE_ANY, &error, &r);
    json_decref(number);
    return !number && json_error_code(&error) == json_error_numeric_overflow;
}

static int take_outside(struct scan *scan)
{
    const char *word = scan->at;
    int r;

    if (*word == '"') {
        scan->inside = true;
        scan->at++;
        return 0;
    }
    if (!is_word_char(*word)) {
        scan->at++;
        return 0;
    }
    while (scan->at < scan->end && is_word_char(*scan->at))
        scan->at++;
    if (!is_not_finite(word, (size_t)(scan->at - word)))
        return 0;
    r = base_buf_append(scan->out, scan->copied, (size_t)(word - scan->copied));
    scan->copied = scan->at;
    scan->any = true;
    return r < 0 ? r : base_buf_printf(scan->out, "\"%s" CODE_NUMBER "\"", mark);
}

int eval_odd_spell(const char *bytes, size_t count, struct base_buf *out)
{
    struct scan scan = {.at = bytes, .end = bytes + count, .copied = bytes, .out = out};
    int r = 0;

    while (scan.at < scan.end && r >= 0)
        r = scan.inside ? take_byte_of_string(&scan) : take_outside(&scan);
    if (r >= 0 && scan.any)
        r = base_buf_append(out, scan.copied, (size_t)(scan.end - scan.copied));
    return r < 0 ? r : scan.any;
}

/* ---- back ------------------------------------------------------------------------------------------------------ */

static int put_code(struct base_buf *out, long code)
{
    const unsigned char bytes[] = {(unsigned char)(0xe0 | (code >> 12)), (unsigned char)(0x80 | ((code >> 6) & 0x3f)),
                                   (unsigned char)(0x80 | (code & 0x3f))};
    const unsigned char byte = (unsigned char)code;

    return code < 0x100 ? base_buf_append(out, &byte, 1) : base_buf_append(out, bytes, sizeof(bytes));
}

bool eval_odd_is_number(const char *text, size_t count)
{
    return count == MARK_BYTES + CODE_CHARS && memcmp(text, mark, MARK_BYTES) == 0 &&
           memcmp(text + MARK_BYTES, CODE_NUMBER, CODE_CHARS) == 0;
}

int eval_odd_bytes(const char *text, size_t count, struct base_buf *out)
{
    const char *end = text + count, *found;
    int r = 0;

    for (; r >= 0 && (found = memmem(text, (size_t)(end - text), mark, MARK_BYTES)); text = found) {
        r = base_buf_append(out, text, (size_t)(found - text));
        found += MARK_BYTES;
        if (r < 0 || end - found < CODE_CHARS)
            continue;
        if (read_code(found) >= 0)
            r = put_code(out, read_code(found));
        found += CODE_CHARS;
    }
    return r < 0 ? r : base_buf_append(out, text, (size_t)(end - text));
}

static const char *why_odd(const char *code)
{
    if (memcmp(code, CODE_NUMBER, CODE_CHARS) == 0)
        return "a number that is not finite";
    return memcmp(code, "00", 2) == 0 ? "bytes that are not UTF-8" : "half of a surrogate pair";
}

/* The first oddity of a text, or NULL where there is none but U+FDD0. */
static const char *find_odd(const char *text, size_t count)
{
    const char *end = text + count;

    while ((text = memmem(text, (size_t)(end - text), mark, MARK_BYTES)) && end - text >= MARK_BYTES + CODE_CHARS) {
        if (memcmp(text + MARK_BYTES, CODE_MARK, CODE_CHARS) != 0)
            return why_odd(text + MARK_BYTES);
        text += MARK_BYTES + CODE_CHARS;
    }
    return NULL;
}

static int settle_text(json_t *string, const char **ret_why)
{
    AUTO_BUF struct base_buf plain = {0};
    const char *text = json_string_value(string);
    size_t count = json_string_length(string);
    const char *why = find_odd(text, count);

    *ret_why = why ? why : *ret_why;
    if (why || !memmem(text, count, mark, MARK_BYTES))
        return 0;
    if (eval_odd_bytes(text, count, &plain) < 0)
        return BASE_E_NOMEM;
    return json_string_setn(string, plain.bytes, plain.count) < 0 ? BASE_E_NOMEM : 0;
}

/* The depth was bounded when it was read. */
static int settle(json_t *value, const char **ret_why)
{
    const char *key;
    json_t *item;
    size_t i;
    int r = 0;

    if (json_is_string(value))
        return settle_text(value, ret_why);
    json_array_foreach(value, i, item) r = r < 0 ? r : settle(item, ret_why);
    json_object_foreach(value, key, item)
    {
        const char *why = find_odd(key, strlen(key));

        *ret_why = why ? why : *ret_why;
        r = r < 0 ? r : settle(item, ret_why);
    }
    return r;
}

int eval_odd_restore(json_t *value, const char **ret_why)
{
    *ret_why = NULL;
    return settle(value, ret_why);
}

int eval_odd_settle(json_t *object, json_t **ret_odd)
{
    AUTO_JSON json_t *odd = json_object();
    const char *key;
    json_t *value;
    int r = odd ? 0 : BASE_E_NOMEM;

    json_object_foreach(object, key, value)
    {
        const char *why = NULL;

        r = r < 0 ? r : settle(value, &why);
        if (r >= 0 && why && json_object_set_new(odd, key, json_string(why)) < 0)
            r = BASE_E_NOMEM;
    }
    if (r >= 0)
        *ret_odd = TAKE_PTR(odd);
    return r;
}
