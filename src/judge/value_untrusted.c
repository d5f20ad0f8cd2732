/* value_untrusted.c - JSON from a file of a stranger
 *
 * Depth and size are bounded before jansson sees the text; integers that jansson would refuse are rewritten into an
 * object that keeps their digits, and keys that would look like that object's are moved out of the way.
 */

#include "base/json.h"
#include "judge/judge.h"
#include "judge/value.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LEVELS_MAX 256

static const char int64_max[] = "9223372036854775807", int64_min[] = "9223372036854775808";

struct scan {
    const char *at, *end;
    const char *copied; /* everything before it is in out */
    unsigned levels;
    struct base_buf *out; /* stays empty while nothing had to be rewritten */
};

/* Past the string that starts at scan->at; a torn one ends at the end. */
static void skip_string(struct scan *scan)
{
    for (scan->at++; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\\')
            scan->at++;
        else if (*scan->at == '"')
            break;
    }
    scan->at = scan->at < scan->end ? scan->at + 1 : scan->end;
}

static const char escaped_byte[] = "\\u0001";

/* A key that begins with the byte of our own key gets it twice. */
static int take_string(struct scan *scan)
{
    const char *token = scan->at, *next;
    int r;

    skip_string(scan);
    if ((size_t)(scan->end - token) < sizeof(escaped_byte) ||
        memcmp(token + 1, escaped_byte, sizeof(escaped_byte) - 1) != 0)
        return 0;
    for (next = scan->at; next < scan->end && strchr(" \t\r\n", *next) && *next; next++)
        ;
    if (next == scan->end || *next != ':')
        return 0;
    r = base_buf_append(scan->out, scan->copied, (size_t)(token + 1 - scan->copied));
    if (r >= 0)
        r = base_buf_text(scan->out, escaped_byte);
    scan->copied = token + 1;
    return r;
}

static bool is_number_char(char c)
{
    return isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* A plain integer outside 64 bits. */
static bool is_big(const char *token, size_t count)
{
    bool negative = count > 0 && *token == '-';
    const char *digits = token + negative;
    size_t n = count - negative;

    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)digits[i]))
            return false;
    if (n < sizeof(int64_max) - 1 || *digits == '0') /* a leading zero is jansson's to refuse */
        return false;
    return n > sizeof(int64_max) - 1 || memcmp(digits, negative ? int64_min : int64_max, n) > 0;
}

static int take_number(struct scan *scan)
{
    const char *token = scan->at;
    int r;

    while (scan->at < scan->end && is_number_char(*scan->at))
        scan->at++;
    if (!is_big(token, (size_t)(scan->at - token)))
        return 0;
    r = base_buf_append(scan->out, scan->copied, (size_t)(token - scan->copied));
    if (r >= 0)
        r = base_buf_printf(scan->out, "{\"\\u0001int\":\"%.*s\"}", (int)(scan->at - token), token);
    scan->copied = scan->at;
    return r;
}

static int too_large(int code, const char *place, struct base_err *err)
{
    return base_err_set(err, code, place, code == BASE_E_NOMEM ? "out of memory" : "too large to be read");
}

/* Bound the depth and rewrite big integers. Whether the text is JSON at all is jansson's to say. */
static int scan_text(struct scan *scan, struct base_err *err, const char *place)
{
    int r = 0;

    while (scan->at < scan->end && r >= 0) {
        char c = *scan->at;

        if (c == '"') {
            r = take_string(scan);
        } else if (c == '-' || isdigit((unsigned char)c)) {
            r = take_number(scan);
        } else {
            if (c == '[' || c == '{')
                scan->levels++;
            else if ((c == ']' || c == '}') && scan->levels > 0)
                scan->levels--;
            if (scan->levels > LEVELS_MAX)
                return base_err_set(err, BASE_E_INVALID, place, "more than %d levels of lists and objects", LEVELS_MAX);
            scan->at++;
        }
    }
    return r < 0 ? too_large(r, place, err) : 0;
}

static int bad_json(const json_error_t *error, int code, const char *place, unsigned long line, struct base_err *err)
{
    char where[sizeof(err->place)];

    if (code == BASE_E_NOMEM)
        return base_err_set(err, code, place, "out of memory");
    (void)snprintf(where, sizeof(where), "%s:%lu:%d", place,
                   line + (error->line > 0 ? (unsigned long)error->line - 1 : 0),
                   error->column > 0 ? error->column : 1);
    return base_err_set(err, code, where, "%s%s", code == BASE_E_INVALID ? "not valid JSON: " : "", error->text);
}

static int parse(const char *bytes, size_t count, size_t flags, const char *place, unsigned long line,
                 json_t **ret_value, struct base_err *err)
{
    AUTO_BUF struct base_buf out = {0};
    struct scan scan = {.at = bytes, .end = bytes + count, .copied = bytes, .out = &out};
    json_error_t error;
    struct base_err local;
    json_t *value;
    int r = scan_text(&scan, err ? err : &local, place);

    if (r < 0)
        return r;
    if (out.count > 0) {
        r = base_buf_append(&out, scan.copied, (size_t)(scan.end - scan.copied));
        if (r < 0)
            return too_large(r, place, err);
        bytes = out.bytes;
        count = out.count;
    }
    value = base_json_load(bytes, count, flags, &error, &r);
    if (!value)
        return bad_json(&error, r, place, line, err ? err : &local);
    *ret_value = value;
    return 0;
}

int judge_value_parse(const char *bytes, size_t count, const char *place, unsigned long line, json_t **ret_value,
                      struct base_err *err)
{
    return parse(bytes, count, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, place, line, ret_value, err);
}

int judge_value_parse_twice(const char *bytes, size_t count, const char *place, unsigned long line, json_t **ret_value,
                            struct base_err *err)
{
    return parse(bytes, count, JSON_DECODE_ANY | JSON_ALLOW_NUL, place, line, ret_value, err);
}
