/* embedded.h - a data file that the build put into the program (cmake/embed.cmake) */
#pragma once

#include <stddef.h>

struct base_embedded {
    const char *name; /* NULL ends a table */
    const unsigned char *bytes;
    size_t count;
};
