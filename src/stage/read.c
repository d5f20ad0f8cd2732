/* read.c - a whole file, or all that comes through a pipe: "-", a FIFO, a shell's <(...) */

#include "stage/read.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "stage/stage.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PORTION_BYTES 65536

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool is_pipe(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

bool stage_is_stream(const char *path)
{
    return is_standard_input(path) || is_pipe(path);
}

static int read_all(int fd, const char *place, size_t max_bytes, struct base_buf *buf, struct base_err *err)
{
    char portion[PORTION_BYTES];
    size_t total = 0;

    for (;;) {
        ssize_t count = read(fd, portion, sizeof(portion));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return base_err_sys(err, errno == EISDIR ? BASE_E_INVALID : BASE_E_IO, errno, place, "cannot be read");
        if (count == 0)
            return 0;
        total += (size_t)count;
        if (total > max_bytes)
            return base_err_set(err, BASE_E_TOO_LARGE, place, "has more than %zu bytes", max_bytes);
        if (base_buf_append(buf, portion, (size_t)count) < 0)
            return base_err_set(err, BASE_E_NOMEM, place, "cannot be read: out of memory");
    }
}

#define PIPEFS      0x50495045
#define PATIENCE_MS 5000

static bool has_name(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 && fs.f_type != PIPEFS;
}

/* To open a FIFO as usual waits for a writer, for ever where none comes. One that is there and says nothing yet makes a
 * read fail; without one, it is at an end. */
static int wait_for_writer(int fd, const char *path, struct base_err *err)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char none;

    if (!has_name(fd) || poll(&poll_fd, 1, PATIENCE_MS) > 0)
        return 0;
    return read(fd, &none, 1) == 0 ? base_err_set(err, BASE_E_INVALID, path, "is a FIFO, and nobody writes to it") : 0;
}

int stage_stream_open(const char *path, int *ret_fd, struct base_err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int r;

    if (fd < 0)
        return base_err_sys(err, BASE_E_IO, errno, path, "cannot be read");
    r = wait_for_writer(fd, path, err);
    if (r == 0 && fcntl(fd, F_SETFL, 0) < 0)
        r = base_err_sys(err, BASE_E_IO, errno, path, "cannot be waited for");
    if (r == 0)
        *ret_fd = TAKE_FD(fd);
    return r;
}

int stage_read(const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    int r;

    if (is_standard_input(path))
        return read_all(STDIN_FILENO, "standard input", max_bytes, buf, err);
    if (!is_pipe(path))
        return base_file_read(path, max_bytes, buf, err);
    r = stage_stream_open(path, &fd, err);
    return r < 0 ? r : read_all(fd, path, max_bytes, buf, err);
}
