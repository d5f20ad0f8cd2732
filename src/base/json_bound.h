/* json_bound.h - what reading a JSON text can take, known before it is read
 *
 * A tree of values is up to eighty times as large as its text: {} are two bytes, and 224 as an object. So readers of
 * foreign bytes bound the memory of the tree, and its levels, beside the bytes of the text.
 */
#pragma once

#include "base/err.h"
#include <stddef.h>

/* More than any text that is told from a guest's or a stranger's needs; every walk over a tree is that deep at most. */
#define BASE_JSON_LEVELS_MAX 256

/* Where a reader has no bound of its own. */
#define BASE_JSON_MEMORY_MAX_BYTES ((size_t)160 << 20)

struct base_json_bound {
    size_t memory_bytes; /* at most so much is asked of the allocator at a time, with its own overhead */
    size_t at;           /* the byte with which a bound is passed; the text's length where none is */
    unsigned levels;     /* of lists and objects in each other */
};

/* Count without allocating, whether it is valid JSON or not, up to the byte with which @memory_max_bytes or
 * BASE_JSON_LEVELS_MAX is passed. Returns 0, or BASE_E_TOO_LARGE. Foreign bytes: has a fuzzer. */
int base_json_bound(const char *bytes, size_t count, size_t memory_max_bytes, struct base_json_bound *ret_bound);

/* The same with an error "PLACE:LINE:COLUMN"; the text's first line has the number @line. @ret_memory_bytes (may be
 * NULL): what reading it can take. */
int base_json_check(const char *bytes, size_t count, size_t memory_max_bytes, const char *place, unsigned long line,
                    size_t *ret_memory_bytes, struct base_err *err);

/* Line and column of the byte with which a bound is passed, from 1. */
void base_json_bound_place(const char *bytes, const struct base_json_bound *bound, int *ret_line, int *ret_column);

/* The sentence about it: "more than 256 levels ...". */
const char *base_json_bound_text(const struct base_json_bound *bound, size_t memory_max_bytes, char *text,
                                 size_t text_bytes);
