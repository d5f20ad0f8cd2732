/* utf8.h - how long is the valid UTF-8 sequence here, and where text may be cut; allocates nothing */
#pragma once

#include <stddef.h>

/* Bytes of the sequence that @bytes starts with, or 0 when it is not valid (overlong forms, surrogates and code points
 * past U+10FFFF are not). @count is at least 1. */
static inline size_t base_utf8_length(const unsigned char *bytes, size_t count)
{
    unsigned char first = bytes[0], low = 0x80, high = 0xbf;
    size_t length;

    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (count < length)
        return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* The end of a part of @bytes that has at most @count of them and no part of a character; @bytes goes on behind it. */
static inline size_t base_utf8_cut(const char *bytes, size_t count)
{
    while (count > 0 && ((unsigned char)bytes[count] & 0xc0) == 0x80)
        count--;
    return count;
}
