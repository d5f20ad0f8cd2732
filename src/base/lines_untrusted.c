/* lines_untrusted.c - read a text file, gzip or plain, line by line
 *
 * The bytes may come from anybody. Memory is one chunk in, one chunk out and one line; a gzip stream that ends early or
 * is followed by something else is an error, never a shorter file. What a packed file may become is bounded by its
 * size: the densest task set in use, of rows that are nearly the same, becomes 62 times as large.
 */
#include "base/file.h"
#include "base/lines.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CHUNK_BYTES       65536
#define UNPACKED_MIN      ((uint64_t)64 << 20) /* however small the packed file is */
#define UNPACKED_PER_BYTE 100                  /* and so much more for each of its bytes */

struct base_lines {
    char *path;
    int fd;
    bool gzip, at_end, known, inside; /* known: it is text; inside: between the start and the end of a gzip member */
    int failed;                       /* code of the first error; there is no way on after one */
    size_t max_line_bytes;
    unsigned long number;
    z_stream zip;
    uint64_t packed, unpacked; /* bytes so far */
    const unsigned char *next; /* text that was not given out yet */
    size_t left;
    unsigned char in[CHUNK_BYTES], out[CHUNK_BYTES];
};

/* What a file is that holds no lines of text, by its first bytes; and what to do with it. */
static const struct {
    size_t at, count;
    const char *bytes, *what, *remedy;
} others[] = {
    {0, 4, "\x28\xb5\x2f\xfd", "is compressed with zstd", "unpack it: zstd -d FILE"},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     "is compressed with xz", "unpack it: xz -d FILE"},
    {0, 2, "\x1f\x8b", "is gzip once more", "unpack it: gunzip FILE"},
    {0, 3, "BZh", "is compressed with bzip2", "unpack it: bzip2 -d FILE"},
    {0, 4, "\x04\x22\x4d\x18", "is compressed with lz4", "unpack it: lz4 -d FILE"},
    {0, 4, "PK\3\4", "is a zip archive", "unpack it: unzip FILE"},
    {0, 6, "7z\xbc\xaf\x27\x1c", "is a 7z archive", "unpack it"},
    {257, 5, "ustar", "is a tar archive", "unpack it: tar -xf FILE"},
    {0, 4, "PAR1", "is a Parquet file",
     "write it as JSON lines: pandas.read_parquet(FILE).to_json(OUT, orient='records', "
     "lines=True)"},
    {0, 6, "ARROW1", "is an Arrow file", "write it as JSON lines"},
    {0, 4, "\xff\xff\xff\xff", "is an Arrow stream", "write it as JSON lines"},
    {0, 15, "SQLite format 3", "is an SQLite database", "write it as JSON lines"},
    {0, 8, "\x89HDF\r\n\x1a\n", "is an HDF5 file", "write it as JSON lines"},
    {0, 2, "\xff\xfe", "is UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"},
    {0, 2, "\xfe\xff", "is UTF-16", "write it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE"},
    {0, 1, "\x80", "is a Python pickle", "write it as JSON lines; a pickle runs code when it is read"},
    {0, 14, "version https:", "is a pointer of Git LFS, and not the file itself", "get the file: git lfs pull"},
    {0, 9, "<!DOCTYPE", "is a page of HTML", "get the file itself"},
    {0, 9, "<!doctype", "is a page of HTML", "get the file itself"},
    {0, 5, "<html", "is a page of HTML", "get the file itself"},
};

/* Of the first text that is ready. */
static int check_kind(const struct base_lines *lines, struct base_err *err)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (lines->left < others[i].at + others[i].count ||
            memcmp(lines->next + others[i].at, others[i].bytes, others[i].count) != 0)
            continue;
        (void)base_err_set(err, BASE_E_INVALID, lines->path, "%s%s", lines->gzip ? "within its gzip " : "",
                           others[i].what);
        return base_err_remedy(err, "%s", others[i].remedy);
    }
    return 0;
}

static ssize_t read_chunk(struct base_lines *lines, struct base_err *err)
{
    ssize_t got;

    do
        got = read(lines->fd, lines->in, sizeof(lines->in));
    while (got < 0 && errno == EINTR);
    return got < 0 ? base_err_sys(err, BASE_E_IO, errno, lines->path, "cannot be read") : got;
}

static int refill_plain(struct base_lines *lines, struct base_err *err)
{
    ssize_t got = read_chunk(lines, err);

    if (got < 0)
        return (int)got;
    lines->next = lines->in;
    lines->left = (size_t)got;
    lines->at_end = got == 0;
    return 0;
}

/* Have compressed bytes ready, or at_end set. */
static int refill_input(struct base_lines *lines, struct base_err *err)
{
    ssize_t got;

    if (lines->zip.avail_in > 0)
        return 0;
    got = read_chunk(lines, err);
    if (got < 0)
        return (int)got;
    if (got == 0 && lines->inside)
        return base_err_set(err, BASE_E_INVALID, lines->path, "the gzip stream ends too early");
    lines->zip.next_in = lines->in;
    lines->zip.avail_in = (uInt)got;
    lines->packed += (uint64_t)got;
    lines->at_end = got == 0;
    return 0;
}

static int check_unpacked(struct base_lines *lines, struct base_err *err)
{
    lines->unpacked += lines->left;
    if (lines->unpacked <= UNPACKED_MIN + UNPACKED_PER_BYTE * lines->packed)
        return 0;
    lines->left = 0;
    (void)base_err_set(err, BASE_E_TOO_LARGE, lines->path, "is more than %d times as large when it is unpacked",
                       UNPACKED_PER_BYTE);
    return base_err_remedy(err, "unpack it first, with gunzip, if it is what you expect");
}

/* One step of inflate(). A file may hold several gzip members, one after the other. */
static int inflate_step(struct base_lines *lines, struct base_err *err)
{
    int r;

    if (!lines->inside)
        (void)inflateReset(&lines->zip); /* fails only for a stream that was never set up */
    lines->inside = true;
    lines->zip.next_out = lines->out;
    lines->zip.avail_out = sizeof(lines->out);
    r = inflate(&lines->zip, Z_NO_FLUSH);
    lines->next = lines->out;
    lines->left = sizeof(lines->out) - lines->zip.avail_out;
    if (r == Z_STREAM_END)
        lines->inside = false;
    else if (r == Z_MEM_ERROR)
        return base_err_set(err, BASE_E_NOMEM, lines->path, "out of memory");
    else if (r != Z_OK && r != Z_BUF_ERROR)
        return base_err_set(err, BASE_E_INVALID, lines->path, "the gzip stream is damaged: %s",
                            lines->zip.msg ? lines->zip.msg : "unknown reason");
    return check_unpacked(lines, err);
}

/* Zeros behind a member are padding, as for gunzip; no member begins with one. */
static void skip_padding(struct base_lines *lines)
{
    while (!lines->inside && lines->zip.avail_in > 0 && *lines->zip.next_in == 0) {
        lines->zip.next_in++;
        lines->zip.avail_in--;
    }
}

/* Get more text into next and left; at_end when there is none. */
static int refill(struct base_lines *lines, struct base_err *err)
{
    int r = lines->gzip ? 0 : refill_plain(lines, err);

    while (lines->gzip && r == 0 && lines->left == 0 && !lines->at_end) {
        r = refill_input(lines, err);
        skip_padding(lines);
        if (r == 0 && lines->zip.avail_in > 0)
            r = inflate_step(lines, err);
    }
    if (r < 0 || lines->known)
        return r;
    lines->known = true;
    return check_kind(lines, err);
}

static int start_gzip(struct base_lines *lines, struct base_err *err)
{
    ssize_t got = pread(lines->fd, lines->in, 2, 0);

    if (got < 0)
        return base_err_sys(err, BASE_E_IO, errno, lines->path, "cannot be read");
    if (got < 2 || lines->in[0] != 0x1f || lines->in[1] != 0x8b)
        return 0;
    if (inflateInit2(&lines->zip, 15 + 16) != Z_OK) /* largest window, gzip header */
        return base_err_set(err, BASE_E_NOMEM, lines->path, "out of memory");
    lines->gzip = true;
    return 0;
}

/* Of the file @name in @dir_fd, or of @path where there is no @name. */
static int open_lines(int dir_fd, const char *name, const char *path, size_t max_line_bytes,
                      struct base_lines **ret_lines, struct base_err *err)
{
    AUTO_LINES struct base_lines *lines = calloc(1, sizeof(*lines));
    int r;

    if (!lines)
        return base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    lines->fd = -1;
    lines->max_line_bytes = max_line_bytes;
    lines->path = strdup(path);
    if (!lines->path)
        return base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    r = name ? base_file_open_in(dir_fd, name, path, &lines->fd, err) : base_file_open(path, &lines->fd, NULL, err);
    if (r == 0)
        r = start_gzip(lines, err);
    if (r == 0)
        *ret_lines = TAKE_PTR(lines);
    return r;
}

int base_lines_open(const char *path, size_t max_line_bytes, struct base_lines **ret_lines, struct base_err *err)
{
    return open_lines(-1, NULL, path, max_line_bytes, ret_lines, err);
}

int base_lines_open_in(int dir_fd, const char *name, const char *path, size_t max_line_bytes,
                       struct base_lines **ret_lines, struct base_err *err)
{
    return open_lines(dir_fd, name, path, max_line_bytes, ret_lines, err);
}

static int fail(struct base_lines *lines, int code)
{
    lines->failed = code;
    return code;
}

static int cannot_take(const struct base_lines *lines, int code, struct base_err *err)
{
    char place[256];

    (void)snprintf(place, sizeof(place), "%s:%lu", lines->path, lines->number);
    if (code == BASE_E_TOO_LARGE)
        return base_err_set(err, code, place, "the line has more than %zu bytes", lines->max_line_bytes);
    return base_err_set(err, code, place, "out of memory");
}

/* Move text that is ready to the end of @line. */
static int move_to_line(struct base_lines *lines, struct base_buf *line, size_t count, struct base_err *err)
{
    int r = BASE_E_TOO_LARGE;

    if (line->count + count <= lines->max_line_bytes)
        r = base_buf_append(line, lines->next, count);
    if (r < 0)
        return cannot_take(lines, r, err);
    lines->next += count;
    lines->left -= count;
    return 0;
}

int base_lines_next(struct base_lines *lines, struct base_buf *line, struct base_err *err)
{
    const unsigned char *newline = NULL;
    bool any = false;
    int r = 0;

    base_buf_clear(line);
    if (lines->failed)
        return base_err_set(err, lines->failed, lines->path, "could not be read to its end");
    while (!newline) {
        if (lines->left == 0 && !lines->at_end)
            r = refill(lines, err);
        if (r < 0)
            return fail(lines, r);
        if (lines->left == 0)
            return any; /* the end; a last line without newline counts */
        lines->number += !any;
        any = true;
        newline = memchr(lines->next, '\n', lines->left);
        r = move_to_line(lines, line, newline ? (size_t)(newline - lines->next) : lines->left, err);
        if (r < 0)
            return fail(lines, r);
    }
    lines->next++;
    lines->left--;
    return 1;
}

unsigned long base_lines_number(const struct base_lines *lines)
{
    return lines->number;
}

void base_lines_close(struct base_lines *lines)
{
    if (!lines)
        return;
    if (lines->gzip)
        (void)inflateEnd(&lines->zip); /* says only whether the stream was at its end */
    base_cleanup_close(&lines->fd);
    free(lines->path);
    free(lines);
}

/* Move all text that is ready to the end of @buf. */
static int append_ready(struct base_lines *lines, size_t room, size_t max_bytes, struct base_buf *buf,
                        struct base_err *err)
{
    int r = lines->left > room ? BASE_E_TOO_LARGE : base_buf_append(buf, lines->next, lines->left);

    lines->left = 0;
    if (r == BASE_E_TOO_LARGE)
        return base_err_set(err, r, lines->path, "has more than %zu bytes", max_bytes);
    return r < 0 ? base_err_set(err, r, lines->path, "out of memory") : 0;
}

int base_lines_read_all(const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err)
{
    AUTO_LINES struct base_lines *lines = NULL;
    size_t before = buf->count;
    int r = base_lines_open(path, 0, &lines, err);

    while (r == 0 && !lines->at_end) {
        r = refill(lines, err);
        if (r == 0)
            r = append_ready(lines, max_bytes - (buf->count - before), max_bytes, buf, err);
    }
    if (r < 0 && buf->bytes) { /* no part of a file may be taken for the whole */
        buf->count = before;
        buf->bytes[before] = '\0';
    }
    return r;
}
