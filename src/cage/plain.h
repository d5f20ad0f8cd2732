/* plain.h - memory and text without the C library, for the files that end in _child.c
 *
 * The build includes it first in those files: what the compiler calls by itself to copy or clear memory then goes to
 * plain_child.c too. Safe before the C library has started, between fork and exec, and in any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* As in the library. */
void *memcpy(void *restrict to, const void *restrict from, size_t count) __asm__("cage_plain_copy");
void *memset(void *at, int byte, size_t count) __asm__("cage_plain_fill");
void *memmove(void *to, const void *from, size_t count) __asm__("cage_plain_move");
int memcmp(const void *a, const void *b, size_t count) __asm__("cage_plain_compare");

/* Without the ending NUL; the same text; the first begins with the second. */
size_t cage_text_length(const char *text);
bool cage_text_equal(const char *a, const char *b);
bool cage_text_starts(const char *text, const char *start);
