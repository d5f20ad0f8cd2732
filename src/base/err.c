/* err.c - the error object
 *
 * Nothing here allocates or takes a lock, so that it also works between fork and exec.
 */
#include "base/err.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct error_row {
    int code, status;
    const char *name;
};

static const struct error_row rows[] = {
#define BASE_ERROR(name, number, status, json) {-(number), status, json},
#include "base/errors.def"
#undef BASE_ERROR
};

/* What the kernel says where our starter, or the machine, gave us too little; the same wherever it is met. */
static const struct {
    int sys_errno;
    const char *remedy;
} shortages[] = {
    {EMFILE, "fumehood was given too few open files: raise ulimit -n, to 256 or more"},
    {ENFILE, "the machine has too few open files: raise sysctl fs.file-max"},
    {EFBIG, "fumehood was given too small a limit on files: raise ulimit -f"},
    {EAGAIN, "fumehood was given too few processes: raise ulimit -u, or end some of this user's"},
};

static const char *remedy_of(int sys_errno)
{
    for (size_t i = 0; i < ARRAY_COUNT(shortages); i++)
        if (shortages[i].sys_errno == sys_errno)
            return shortages[i].remedy;
    return "";
}

static const struct error_row *find_row(int code)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

static enum base_fault fault_of(int code)
{
    switch (code) {
    case BASE_E_USAGE:
    case BASE_E_INVALID:
    case BASE_E_NOT_FOUND:
    case BASE_E_REFUSED:
        return BASE_FAULT_USER;
    case BASE_E_INTERNAL:
        return BASE_FAULT_INTERNAL;
    default:
        return BASE_FAULT_HOST;
    }
}

/* The arguments may point into *err (a caller that wraps an error), so it is written last. */
__attribute__((format(printf, 5, 0))) static int fill(struct base_err *err, int code, int sys_errno, const char *place,
                                                      const char *fmt, va_list args)
{
    struct base_err made = {.code = code, .fault = fault_of(code), .sys_errno = sys_errno};
    const char *reason;
    size_t used;

    if (!err)
        return code;
    (void)snprintf(made.place, sizeof(made.place), "%s", place ? place : "");
    (void)vsnprintf(made.what, sizeof(made.what), fmt, args); /* a cut clause is better than none */
    if (sys_errno != 0) {
        used = strlen(made.what);
        reason = strerrordesc_np(sys_errno);
        if (reason)
            (void)snprintf(made.what + used, sizeof(made.what) - used, ": %s", reason);
        else
            (void)snprintf(made.what + used, sizeof(made.what) - used, ": error %d", sys_errno);
        (void)snprintf(made.remedy, sizeof(made.remedy), "%s", remedy_of(sys_errno));
    }
    *err = made;
    return code;
}

int base_err_set(struct base_err *err, int code, const char *place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    code = fill(err, code, 0, place, fmt, args);
    va_end(args);
    return code;
}

int base_err_sys(struct base_err *err, int code, int sys_errno, const char *place, const char *fmt, ...)
{
    va_list args;

    if (sys_errno == ENOMEM && fault_of(code) == BASE_FAULT_USER)
        code = BASE_E_NOMEM; /* whatever the caller took it for */
    va_start(args, fmt);
    code = fill(err, code, sys_errno, place, fmt, args);
    va_end(args);
    return code;
}

int base_err_remedy(struct base_err *err, const char *fmt, ...)
{
    char made[sizeof(err->remedy)];
    va_list args;

    if (!err)
        return BASE_E_INTERNAL; /* nobody to tell; the code is the caller's to keep */
    va_start(args, fmt);
    (void)vsnprintf(made, sizeof(made), fmt, args);
    va_end(args);
    memcpy(err->remedy, made, sizeof(made));
    return err->code;
}

/* Where base_err_text() writes; keeps one byte for the NUL. */
struct sink {
    char *next, *end;
};

static void put_raw(struct sink *sink, const char *bytes, size_t count)
{
    if ((size_t)(sink->end - sink->next) < count) {
        sink->end = sink->next; /* full: no later, shorter piece may follow a lost one */
        return;
    }
    memcpy(sink->next, bytes, count);
    sink->next += count;
}

static void put_text(struct sink *sink, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = (const unsigned char *)text;
    size_t left = strlen(text);

    while (left > 0) {
        size_t length = base_utf8_length(p, left);
        bool control = length == 1 ? (p[0] < 0x20 || p[0] == 0x7f) : (length == 2 && p[0] == 0xc2 && p[1] < 0xa0);

        if (length > 0 && !control) {
            put_raw(sink, (const char *)p, length);
        } else {
            if (length == 0)
                length = 1;
            for (size_t i = 0; i < length; i++)
                put_raw(sink, (const char[]){'\\', 'x', hex[p[i] >> 4], hex[p[i] & 15]}, 4);
        }
        p += length;
        left -= length;
    }
}

const char *base_err_text(const struct base_err *err, char *text, uint64_t text_bytes)
{
    struct sink sink = {text, text + text_bytes - 1};

    if (text_bytes == 0)
        return text;
    if (err->place[0] != '\0') {
        put_text(&sink, err->place);
        put_raw(&sink, ": ", 2);
    }
    put_text(&sink, err->what);
    if (err->remedy[0] != '\0') {
        put_raw(&sink, " (", 2);
        put_text(&sink, err->remedy);
        put_raw(&sink, ")", 1);
    }
    *sink.next = '\0';
    return text;
}

int base_err_status(int code)
{
    const struct error_row *row = find_row(code);

    return row ? row->status : 125;
}

const char *base_err_name(int code)
{
    const struct error_row *row = find_row(code);

    return row ? row->name : "internal";
}
