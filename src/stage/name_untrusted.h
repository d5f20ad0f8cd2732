/* name_untrusted.h - names of files that come from outside */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STAGE_NAME_BYTES 256

/* A safe name for the last part of @path: [A-Za-z0-9._-] stay, every other byte becomes '_'; never empty, never with
 * '-' or '.' in front, at most 200 bytes, of which a short extension is kept. */
void stage_name_safe(const char *path, char ret_name[STAGE_NAME_BYTES]);

/* The extension of the last part of @path ("py"), or "" ; a name like ".profile" has none. */
const char *stage_name_extension(const char *path);

/* NULL when @path may be a path below /work: relative, printable, no "." or "..", no empty part, fits. Else why not. */
const char *stage_name_path_fault(const char *path);
