/* file.h - whole files in, without surprises; what is written goes through place.h
 *
 * Regular files only: a FIFO, device, socket or directory is an error before a byte is read, and opening never blocks.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open @path for reading; the caller owns *@ret_fd. BASE_E_NOT_FOUND when it is not there, BASE_E_INVALID when it is
 * not a regular file, BASE_E_IO otherwise (unreadable). *@ret_bytes (may be NULL): its size now. */
int base_file_open(const char *path, int *ret_fd, uint64_t *ret_bytes, struct base_err *err);

/* Open @name in a folder that is open; not what a link leads to. @path names it in errors. */
int base_file_open_in(int dir_fd, const char *name, const char *path, int *ret_fd, struct base_err *err);

/* Append the whole of @path to @buf; BASE_E_TOO_LARGE when it has more than @max_bytes. */
int base_file_read(const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err);

/* The same of @name in a folder that is open. */
int base_file_read_in(int dir_fd, const char *name, const char *path, size_t max_bytes, struct base_buf *buf,
                      struct base_err *err);

/* The start of a small file of the kernel's, such as one below /proc: one read of at most @text_bytes - 1, always ended
 * by NUL. @path is relative to @dir_fd (AT_FDCWD: to the current folder). Returns 0 or -errno, and then the text is
 * empty. */
int base_file_read_start(int dir_fd, const char *path, char *text, size_t text_bytes);

/* Write all of it, through short writes and EINTR. 0 or -errno. */
int base_file_put_all(int fd, const void *bytes, size_t count);

/* The same; @place names the file in the error. */
int base_file_write_all(int fd, const void *bytes, size_t count, const char *place, struct base_err *err);

/* Say that @path is no regular file but what @mode says. Returns BASE_E_INVALID. */
int base_file_not_regular(const char *path, mode_t mode, struct base_err *err);
