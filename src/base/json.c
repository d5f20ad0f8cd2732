/* json.c - canonical JSON text, and bytes as JSON strings
 *
 * The canonical form is that of the common "sorted keys, compact, no ASCII escapes" writers, so that a receipt can be
 * checked with a few lines of any language: keys in byte order, shortest real number that reads back the same, only
 * control characters, quote and backslash escaped.
 */
#include "base/json.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_FEW 32
#define REAL_BYTES  40
#define FIRST_BYTES 6000 /* a receipt has about that */

static int write_value(const json_t *json, struct base_buf *buf);

/* Most of what is written is a few bytes long, and there is room for it. */
static int put(struct base_buf *buf, const char *bytes, size_t count)
{
    if (buf->capacity - buf->count <= count) /* also without any */
        return base_buf_append(buf, bytes, count);
    memcpy(buf->bytes + buf->count, bytes, count);
    buf->count += count;
    buf->bytes[buf->count] = '\0';
    return 0;
}

const char *base_json_escape(unsigned char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

static int write_escape(unsigned char c, struct base_buf *buf)
{
    const char *text = base_json_escape(c);

    return text ? base_buf_text(buf, text) : base_buf_printf(buf, "\\u%04x", c);
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

/* Whether one of eight bytes is below @n (at most 128). */
static uint64_t has_less(uint64_t eight, unsigned n)
{
    const uint64_t ones = 0x0101010101010101u;

    return (eight - ones * n) & ~eight & ones * 0x80;
}

/* Length of what needs no escape at @text, eight bytes at a time. */
static size_t plain_run(const char *text, size_t count)
{
    const uint64_t ones = 0x0101010101010101u;
    size_t run = 0;
    uint64_t eight;

    for (; count - run >= sizeof(eight); run += sizeof(eight)) {
        memcpy(&eight, text + run, sizeof(eight));
        if (has_less(eight, 0x20) | has_less(eight ^ ones * '"', 1) | has_less(eight ^ ones * '\\', 1))
            break;
    }
    while (run < count && is_plain((unsigned char)text[run]))
        run++;
    return run;
}

/* Most strings need no escape, and there is room for them. */
static bool write_plain(const char *text, size_t count, struct base_buf *buf)
{
    char *to;

    if (buf->capacity - buf->count <= count + 2 || plain_run(text, count) < count)
        return false;
    to = buf->bytes + buf->count;
    to[0] = '"';
    memcpy(to + 1, text, count);
    to[1 + count] = '"';
    to[2 + count] = '\0';
    buf->count += count + 2;
    return true;
}

static int write_string(const char *text, size_t count, struct base_buf *buf)
{
    int r;

    if (write_plain(text, count, buf))
        return 0;
    r = put(buf, "\"", 1);
    for (size_t done = 0; r == 0 && done < count;) {
        size_t run = plain_run(text + done, count - done);

        r = put(buf, text + done, run);
        done += run;
        if (r == 0 && done < count)
            r = write_escape((unsigned char)text[done++], buf);
    }
    return r < 0 ? r : put(buf, "\"", 1);
}

/* Whether @value with @digits behind the point reads back the same. */
static bool reads_back(double value, int digits, char text[REAL_BYTES])
{
    (void)snprintf(text, REAL_BYTES, "%.*e", digits, value);
    return strtod(text, NULL) == value;
}

/* The fewest digits that read back the same; 17 always do. More digits come nearer, so what fewer can do more can: but
 * for powers of two, below which numbers lie closer than above. */
static int write_shortest(double value, char text[REAL_BYTES])
{
    int exponent, low = 0, high = 16;
    double fraction = frexp(value, &exponent);

    if (fraction == 0.5 || fraction == -0.5)
        for (high = 0; high < 16 && !reads_back(value, high, text);)
            low = ++high;
    while (low < high) {
        int middle = (low + high) / 2;

        if (reads_back(value, middle, text))
            high = middle;
        else
            low = middle + 1;
    }
    (void)snprintf(text, REAL_BYTES, "%.*e", high, value);
    return high;
}

static int write_real(double value, struct base_buf *buf)
{
    char text[REAL_BYTES];
    int digits = write_shortest(value, text);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);

    if (exponent < -4 || exponent >= 16)
        return base_buf_text(buf, text);
    digits -= exponent;
    return base_buf_printf(buf, "%.*f", digits < 1 ? 1 : digits, value);
}

static int write_integer(json_int_t value, struct base_buf *buf)
{
    char text[24], *at = text + sizeof(text);
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;

    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        *--at = '-';
    return put(buf, at, (size_t)(text + sizeof(text) - at));
}

static int write_array(const json_t *json, struct base_buf *buf)
{
    size_t count = json_array_size(json);
    int r = put(buf, "[", 1);

    for (size_t i = 0; r == 0 && i < count; i++) {
        r = i > 0 ? put(buf, ",", 1) : 0;
        if (r == 0)
            r = write_value(json_array_get(json, i), buf);
    }
    return r < 0 ? r : put(buf, "]", 1);
}

struct member {
    const char *key;
    const json_t *value;
};

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

/* qsort() asks the allocator; few members are faster put in order one by one. */
static void sort_members(struct member *members, size_t count)
{
    if (count > MEMBERS_FEW) {
        qsort(members, count, sizeof(*members), compare_members);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct member member = members[i];
        size_t at = i;

        for (; at > 0 && strcmp(members[at - 1].key, member.key) > 0; at--)
            members[at] = members[at - 1];
        members[at] = member;
    }
}

static int write_members(const struct member *members, size_t count, struct base_buf *buf)
{
    int r = put(buf, "{", 1);

    for (size_t i = 0; r == 0 && i < count; i++) {
        r = i > 0 ? put(buf, ",", 1) : 0;
        if (r == 0)
            r = write_string(members[i].key, strlen(members[i].key), buf);
        if (r == 0)
            r = put(buf, ":", 1);
        if (r == 0)
            r = write_value(members[i].value, buf);
    }
    return r < 0 ? r : put(buf, "}", 1);
}

static int write_object(const json_t *json, struct base_buf *buf)
{
    struct member few[MEMBERS_FEW];
    AUTO_FREE struct member *many = NULL;
    struct member *members = few;
    json_t *object = (json_t *)json; /* jansson's iteration takes no const, but changes nothing */
    size_t count = 0;
    const char *key;
    json_t *value;

    if (json_object_size(json) > MEMBERS_FEW) {
        members = many = calloc(json_object_size(json), sizeof(*many));
        if (!many)
            return BASE_E_NOMEM;
    }
    json_object_foreach(object, key, value) members[count++] = (struct member){key, value};
    sort_members(members, count);
    return write_members(members, count, buf);
}

static int write_value(const json_t *json, struct base_buf *buf)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return write_object(json, buf);
    case JSON_ARRAY:
        return write_array(json, buf);
    case JSON_STRING:
        return write_string(json_string_value(json), json_string_length(json), buf);
    case JSON_INTEGER:
        return write_integer(json_integer_value(json), buf);
    case JSON_REAL:
        return write_real(json_real_value(json), buf);
    case JSON_TRUE:
        return base_buf_text(buf, "true");
    case JSON_FALSE:
        return base_buf_text(buf, "false");
    case JSON_NULL:
        return base_buf_text(buf, "null");
    }
    return BASE_E_INTERNAL;
}

int base_json_canonical(const json_t *json, struct base_buf *buf)
{
    size_t before = buf->count;
    int r;

    if (!buf->bytes)
        (void)base_buf_reserve(buf, FIRST_BYTES); /* else it grows as it must */
    r = json ? write_value(json, buf) : BASE_E_NOMEM;

    if (r < 0)
        base_buf_cut(buf, before);
    return r;
}

int base_json_hash(const json_t *json, char ret_hex[BASE_HASH_HEX])
{
    AUTO_BUF struct base_buf buf = {0};
    int r = base_json_canonical(json, &buf);

    if (r == 0)
        base_hash_bytes_hex(buf.bytes, buf.count, ret_hex);
    return r;
}

/* Length of the ASCII run at @bytes, eight at a time. */
static size_t ascii_run(const unsigned char *bytes, size_t count)
{
    size_t run = 0;
    uint64_t eight;

    for (; count - run >= sizeof(eight); run += sizeof(eight)) {
        memcpy(&eight, bytes + run, sizeof(eight));
        if (eight & 0x8080808080808080u)
            break;
    }
    while (run < count && bytes[run] < 0x80)
        run++;
    return run;
}

/* Length of the valid UTF-8 run at @bytes. */
static size_t utf8_run(const unsigned char *bytes, size_t count)
{
    size_t run = 0, length;

    for (; run < count; run += length) {
        run += ascii_run(bytes + run, count - run);
        length = run < count ? base_utf8_length(bytes + run, count - run) : 0;
        if (length == 0)
            break;
    }
    return run;
}

bool base_json_is_utf8(const char *bytes, size_t count)
{
    return utf8_run((const unsigned char *)bytes, count) == count;
}

json_t *base_json_text(const char *bytes, size_t count)
{
    AUTO_BUF struct base_buf buf = {.max = SIZE_MAX / 2};
    size_t run = utf8_run((const unsigned char *)bytes, count);
    int r = 0;

    if (run == count)
        return json_stringn_nocheck(count > 0 ? bytes : "", count);
    for (size_t done = 0; r == 0 && done < count; run = utf8_run((const unsigned char *)bytes + done, count - done)) {
        r = base_buf_append(&buf, bytes + done, run);
        done += run;
        if (r == 0 && done < count) {
            r = base_buf_text(&buf, "\xef\xbf\xbd"); /* U+FFFD */
            done++;
        }
    }
    return r < 0 ? NULL : json_stringn_nocheck(buf.bytes, buf.count);
}

/* What one character takes in JSON: that many bytes of room for *@ret_length of the text. */
static size_t room_of(const unsigned char *text, size_t count, size_t *ret_length)
{
    size_t length = *text < 0x80 ? 1 : base_utf8_length(text, count);

    *ret_length = length ? length : 1;
    if (length == 2 && *text == 0xc2 && text[1] < 0xa0)
        return 6; /* a terminal obeys those, so they are escaped for one */
    if (length != 1)
        return length ? length : 3; /* U+FFFD for what is none */
    if (is_plain(*text))
        return *text == 0x7f ? 6 : 1;
    return base_json_escape(*text) ? 2 : 6;
}

/* Length of what takes a byte each at @text, which is ASCII. */
static size_t cheap_run(const char *text, size_t count)
{
    size_t run = 0;

    while (run < count && is_plain((unsigned char)text[run]) && text[run] != 0x7f)
        run++;
    return run;
}

size_t base_json_text_fits(const char *bytes, size_t count, size_t room)
{
    size_t done = 0, ascii_end = 0;

    if (count <= room / 6)
        return count;
    while (done < count) {
        size_t run, length, used;

        if (done >= ascii_end)
            ascii_end = done + ascii_run((const unsigned char *)bytes + done, count - done);
        run = cheap_run(bytes + done, ascii_end - done);
        if (run > room)
            return done + room;
        done += run;
        room -= run;
        if (done == count)
            break;
        used = room_of((const unsigned char *)bytes + done, count - done, &length);
        if (used > room)
            break;
        done += length;
        room -= used;
    }
    return done;
}

static void give_up(json_t **json)
{
    json_decref(*json);
    *json = NULL;
}

void base_json_add(json_t **list, json_t *value)
{
    if (json_array_append_new(*list, value) < 0)
        give_up(list);
}

void base_json_put(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) < 0)
        give_up(object);
}

json_t *base_json_base64(const void *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = bytes;
    size_t length = (count + 2) / 3 * 4;
    AUTO_FREE char *text = malloc(length + 1);
    char *out = text;

    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i += 3) {
        unsigned group = (unsigned)p[i] << 16 | (i + 1 < count ? (unsigned)p[i + 1] << 8 : 0) |
                         (i + 2 < count ? (unsigned)p[i + 2] : 0);

        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = i + 1 < count ? digits[group >> 6 & 63] : '=';
        *out++ = i + 2 < count ? digits[group & 63] : '=';
    }
    return json_stringn_nocheck(text, length);
}
