/* argv.h - words for a command line */
#pragma once

#include <stdint.h>

/* @text as execve's interface takes it: char *, though nobody writes to it. */
static inline char *base_argv_word(const char *text)
{
    return (char *)(uintptr_t)text;
}
