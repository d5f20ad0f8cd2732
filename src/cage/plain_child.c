/* plain_child.c - memory and text without the C library (plain.h)
 *
 * Runs in: anything of this room that runs without it. Must not: be turned into calls of itself by the compiler, which
 * is why the loops hide what they do from it.
 */
#include "cage/plain.h"
#include <stdint.h>

#define HIDE(value) __asm__ volatile("" : "+r"(value)::"memory")

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    for (; count > 0; count--) {
        *out++ = *in++;
        HIDE(out);
    }
    return to;
}

void *memset(void *at, int byte, size_t count)
{
    unsigned char *out = at;

    for (; count > 0; count--) {
        *out++ = (unsigned char)byte;
        HIDE(out);
    }
    return at;
}

void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    if ((uintptr_t)to <= (uintptr_t)from)
        return memcpy(to, from, count);
    while (count-- > 0) {
        out[count] = in[count];
        HIDE(out);
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t count)
{
    const unsigned char *x = a, *y = b;

    for (; count > 0; count--, x++, y++) {
        if (*x != *y)
            return *x - *y;
        HIDE(x);
    }
    return 0;
}

size_t cage_text_length(const char *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
        HIDE(length);
    }
    return length;
}

bool cage_text_equal(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

bool cage_text_starts(const char *text, const char *start)
{
    for (; *start && *text == *start; text++, start++)
        ;
    return *start == 0;
}
