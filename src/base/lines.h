/* lines.h - a text file, gzip or plain, read line by line in flat memory */
#pragma once

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"

struct base_lines;

/* Open @path (regular files only); gzip is recognised by its first bytes. @max_line_bytes bounds one line. */
int base_lines_open(const char *path, size_t max_line_bytes, struct base_lines **ret_lines, struct base_err *err);

/* The same of @name in a folder that is open, not of what a link leads to. */
int base_lines_open_in(int dir_fd, const char *name, const char *path, size_t max_line_bytes,
                       struct base_lines **ret_lines, struct base_err *err);

/* Put the next line, without its newline, into @line. Returns 1, 0 at the end, or an error (a torn gzip stream, a line
 * that is too long, a read error, a packed file that becomes more than 100 times as large). Foreign bytes: has a
 * fuzzer. */
int base_lines_next(struct base_lines *lines, struct base_buf *line, struct base_err *err);

/* Number of the line that base_lines_next() returned last, from 1. */
unsigned long base_lines_number(const struct base_lines *lines);

/* NULL does nothing. */
void base_lines_close(struct base_lines *lines);
static inline void base_lines_cleanup(struct base_lines **lines)
{
    base_lines_close(*lines);
}
#define AUTO_LINES CLEANUP(base_lines_cleanup)

/* The whole of @path, decompressed, at most @max_bytes. */
int base_lines_read_all(const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err);
