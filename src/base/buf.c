/* buf.c - a growing byte buffer with a hard ceiling */
#include "base/buf.h"
#include "base/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX    ((size_t)1 << 30)
#define FIRST_CAPACITY 64

int base_buf_reserve(struct base_buf *buf, size_t extra)
{
    size_t max = buf->max ? buf->max : DEFAULT_MAX;
    size_t need, capacity;
    char *bytes;

    if (extra > max || buf->count > max - extra)
        return BASE_E_TOO_LARGE;
    need = buf->count + extra + 1; /* the NUL */
    if (need <= buf->capacity)
        return 0;
    capacity = buf->capacity ? buf->capacity : FIRST_CAPACITY;
    while (capacity < need)
        capacity += capacity / 2 + 1;
    if (capacity > max + 1)
        capacity = max + 1;
    bytes = realloc(buf->bytes, capacity);
    if (!bytes)
        return BASE_E_NOMEM;
    if (!buf->bytes)
        bytes[0] = '\0';
    buf->bytes = bytes;
    buf->capacity = capacity;
    return 0;
}

int base_buf_append(struct base_buf *buf, const void *bytes, size_t count)
{
    int r = base_buf_reserve(buf, count);

    if (r < 0)
        return r;
    if (count > 0)
        memcpy(buf->bytes + buf->count, bytes, count);
    buf->count += count;
    buf->bytes[buf->count] = '\0';
    return 0;
}

int base_buf_text(struct base_buf *buf, const char *text)
{
    return base_buf_append(buf, text, strlen(text));
}

int base_buf_printf(struct base_buf *buf, const char *fmt, ...)
{
    va_list args, again;
    int length, r;

    va_start(args, fmt);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    r = length < 0 ? BASE_E_INTERNAL : base_buf_reserve(buf, (size_t)length);
    if (r == 0) {
        (void)vsnprintf(buf->bytes + buf->count, (size_t)length + 1, fmt, again);
        buf->count += (size_t)length;
    }
    va_end(again);
    va_end(args);
    return r;
}

void base_buf_cut(struct base_buf *buf, size_t count)
{
    if (!buf->bytes || count > buf->count)
        return; /* nothing is behind that */
    buf->count = count;
    buf->bytes[count] = '\0';
}

void base_buf_clear(struct base_buf *buf)
{
    base_buf_cut(buf, 0);
}

void base_buf_release(struct base_buf *buf)
{
    free(buf->bytes);
    *buf = (struct base_buf){.max = buf->max};
}
