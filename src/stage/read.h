/* read.h - a whole file, or all that comes through a pipe */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Append it to @buf, as base_file_read() does; of "-" and of a pipe, until its end. */
int stage_read(const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err);
