/* buf.h - a growing byte buffer with a hard ceiling
 *
 * The bytes are always followed by one NUL that is not counted, so that text can be used as a string.
 */
#pragma once

#include "base/cleanup.h"
#include <stdbool.h>
#include <stddef.h>

struct base_buf {
    char *bytes; /* NULL until the first append */
    size_t count;
    size_t capacity;
    size_t max; /* appending past this fails; 0 means 1 GiB */
};

/* All return 0, BASE_E_NOMEM, or BASE_E_TOO_LARGE past the ceiling; the buffer is unchanged on failure. */
int base_buf_append(struct base_buf *buf, const void *bytes, size_t count);
int base_buf_text(struct base_buf *buf, const char *text);
int base_buf_printf(struct base_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int base_buf_reserve(struct base_buf *buf, size_t extra);

/* Forget all but the first @count bytes; base_buf_clear() all. The memory is kept. */
void base_buf_cut(struct base_buf *buf, size_t count);
void base_buf_clear(struct base_buf *buf);

/* Free; the buffer is as new. Fit for CLEANUP(). */
void base_buf_release(struct base_buf *buf);

#define AUTO_BUF CLEANUP(base_buf_release)
