/* file.c - whole files in; bytes out */
#include "base/file.h"
#include "base/cleanup.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const char *kind_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    case S_IFLNK:
        return "a link";
    default:
        return "no regular file";
    }
}

int base_file_not_regular(const char *path, mode_t mode, struct base_err *err)
{
    return base_err_set(err, BASE_E_INVALID, path, "is %s, not a regular file", kind_name(mode));
}

static int open_failed(const char *path, int sys_errno, struct base_err *err)
{
    if (sys_errno == ENOENT || sys_errno == ENOTDIR)
        return base_err_set(err, BASE_E_NOT_FOUND, path, "no such file");
    return base_err_sys(err, BASE_E_IO, sys_errno, path, "cannot be read");
}

int base_file_open(const char *path, int *ret_fd, uint64_t *ret_bytes, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    struct stat st;

    /* Look before opening: to open a FIFO or a device for a moment already has effects on others. */
    if (stat(path, &st) < 0)
        return open_failed(path, errno, err);
    if (!S_ISREG(st.st_mode))
        return base_file_not_regular(path, st.st_mode, err);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return open_failed(path, errno, err);
    if (!S_ISREG(st.st_mode)) /* exchanged in between */
        return base_file_not_regular(path, st.st_mode, err);
    *ret_fd = TAKE_FD(fd);
    if (ret_bytes)
        *ret_bytes = (uint64_t)st.st_size;
    return 0;
}

int base_file_open_in(int dir_fd, const char *name, const char *path, int *ret_fd, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    struct stat st;

    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return open_failed(path, errno, err);
    if (!S_ISREG(st.st_mode))
        return base_file_not_regular(path, st.st_mode, err);
    fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return open_failed(path, errno, err);
    if (!S_ISREG(st.st_mode)) /* exchanged in between */
        return base_file_not_regular(path, st.st_mode, err);
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static int too_large(const char *path, size_t max_bytes, struct base_err *err)
{
    return base_err_set(err, BASE_E_TOO_LARGE, path, "has more than %zu bytes", max_bytes);
}

static int buf_failed(const char *path, int code, struct base_err *err)
{
    return base_err_set(err, code, path,
                        code == BASE_E_NOMEM ? "cannot be read: out of memory" : "is larger than the room for it");
}

/* Read what fits into the buffer's room; without room, one byte, which grows it. The room was made for the size that
 * the file had, so this happens at its end, or where it grows meanwhile. */
static ssize_t read_some(int fd, struct base_buf *buf, int *ret_code)
{
    size_t room = buf->capacity > buf->count ? buf->capacity - buf->count - 1 : 0;
    ssize_t got;
    char one;

    *ret_code = 0;
    if (room == 0) {
        got = read(fd, &one, 1);
        if (got > 0)
            *ret_code = base_buf_append(buf, &one, 1);
        return got;
    }
    got = read(fd, buf->bytes + buf->count, room);
    if (got > 0) {
        buf->count += (size_t)got;
        buf->bytes[buf->count] = '\0';
    }
    return got;
}

static int read_rest(int fd, const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err)
{
    size_t before = buf->count;

    for (;;) {
        int r;
        ssize_t got = read_some(fd, buf, &r);

        if (r < 0)
            return buf_failed(path, r, err);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return base_err_sys(err, BASE_E_IO, errno, path, "cannot be read");
        if (buf->count - before > max_bytes)
            return too_large(path, max_bytes, err);
        if (got == 0)
            return 0;
    }
}

static int read_whole(int fd, const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err)
{
    size_t before = buf->count;
    struct stat st;
    uint64_t bytes = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    int r;

    if (bytes > max_bytes)
        return too_large(path, max_bytes, err);
    r = base_buf_reserve(buf, (size_t)bytes);
    if (r < 0)
        return buf_failed(path, r, err);
    r = read_rest(fd, path, max_bytes, buf, err);
    if (r < 0) { /* no part of a file may be taken for the whole */
        buf->count = before;
        buf->bytes[before] = '\0';
    }
    return r;
}

int base_file_read(const char *path, size_t max_bytes, struct base_buf *buf, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    int r = base_file_open(path, &fd, NULL, err);

    return r < 0 ? r : read_whole(fd, path, max_bytes, buf, err);
}

int base_file_read_in(int dir_fd, const char *name, const char *path, size_t max_bytes, struct base_buf *buf,
                      struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    int r = base_file_open_in(dir_fd, name, path, &fd, err);

    return r < 0 ? r : read_whole(fd, path, max_bytes, buf, err);
}

int base_file_read_start(int dir_fd, const char *path, char *text, size_t text_bytes)
{
    AUTO_CLOSE int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t count = fd < 0 ? -1 : read(fd, text, text_bytes - 1);
    int sys_errno = errno;

    text[count > 0 ? count : 0] = '\0';
    return count < 0 ? -sys_errno : 0;
}

int base_file_put_all(int fd, const void *bytes, size_t count)
{
    const char *next = bytes;

    while (count > 0) {
        ssize_t done = write(fd, next, count);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -errno;
        next += done;
        count -= (size_t)done;
    }
    return 0;
}

int base_file_write_all(int fd, const void *bytes, size_t count, const char *place, struct base_err *err)
{
    int r = base_file_put_all(fd, bytes, count);

    return r < 0 ? base_err_sys(err, BASE_E_IO, -r, place, "cannot be written") : 0;
}
