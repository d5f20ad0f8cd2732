/* input.c - what the guest reads, where all of it is known before it starts: a file
 *
 * Theory of operation: the bytes are copied into memory that nobody can change any more (a sealed memfd), and the guest
 * gets a description of it that can only read. So it has the size that fstat() tells, can be sought, mapped and opened
 * again by its names in /dev and /proc, and nothing of the file that it came from can be reached. The copy is charged
 * to the supervisor, who has made it, and never to the guest. What comes from a pipe, what is longer than its limit,
 * and what is too long to be copied, goes through a pipe as it comes (streams.c).
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "warden/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

/* A copy of more would weigh on whoever waits for the start; no guest may read, and nobody write. */
#define INPUT_FILE_MAX_BYTES (UINT64_C(64) << 20)
#define INPUT_MODE           0444
#define DEV_NULL             makedev(1, 3)

/* From where it stands, which stays so. Returns 0 with the count, 1 where there is more than @max, or -errno. */
static int copy_rest(struct warden_source *source, int to_fd, uint64_t max)
{
    off_t from = lseek(source->from_fd, 0, SEEK_CUR);
    ssize_t count;
    int r = from < 0 ? -errno : 0;

    source->from = from;
    source->file_bytes = 0;
    while (r == 0) {
        count = pread(source->from_fd, source->chunk, WARDEN_CHUNK_BYTES, from + (off_t)source->file_bytes);
        if (count == 0)
            return 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return 1; /* who reads it as it comes will be told the same */
        source->file_bytes += (uint64_t)count;
        r = source->file_bytes > max ? 1 : base_file_put_all(to_fd, source->chunk, (size_t)count);
    }
    return r;
}

/* Files that the kernel makes up as they are read say that they are empty, and some of them wait for more. */
static bool is_empty(int fd)
{
    char byte;
    const struct iovec iov = {&byte, sizeof(byte)};

    return preadv2(fd, &iov, 1, -1, RWF_NOWAIT) == 0;
}

/* Whether the guest could have all of it at once. */
static bool is_known(const struct warden_source *source, uint64_t max)
{
    struct stat st;

    if (source->from_fd < 0)
        return source->count <= max;
    if (fstat(source->from_fd, &st) < 0)
        return false;
    if (S_ISCHR(st.st_mode) && st.st_rdev == DEV_NULL)
        return true;
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max)
        return false;
    return st.st_size > 0 || is_empty(source->from_fd);
}

static int fill(struct warden_source *source, int to_fd, uint64_t max)
{
    if (source->from_fd >= 0)
        return copy_rest(source, to_fd, max);
    source->file_bytes = source->count;
    return base_file_put_all(to_fd, source->bytes, source->count);
}

/* A description of its own, which can only read, and our copy of it. */
static int open_again(int fd, int *ret_own)
{
    char path[32];

    if (fchmod(fd, INPUT_MODE) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
        return -errno;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    *ret_own = open(path, O_RDONLY | O_CLOEXEC);
    return *ret_own < 0 ? -errno : 0;
}

static int make_file(struct warden_source *source, uint64_t max)
{
    AUTO_CLOSE int fd = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int r = fd < 0 ? -errno : fill(source, fd, max);

    if (r == -EFBIG)
        return 1; /* our own limit on files: a pipe has none */
    return r == 0 ? open_again(fd, &source->file_fd) : r;
}

int warden_input_file(struct warden_source *source, int *ret_guest_fd, struct base_err *err)
{
    uint64_t max = source->given_max < INPUT_FILE_MAX_BYTES ? source->given_max : INPUT_FILE_MAX_BYTES;
    int r = is_known(source, max) ? make_file(source, max) : 1;

    if (r == 0) {
        *ret_guest_fd = fcntl(source->file_fd, F_DUPFD_CLOEXEC, WARDEN_FIRST_GUEST_FD);
        r = *ret_guest_fd >= 0 ? 0 : errno == EINVAL ? -EMFILE : -errno; /* EINVAL: no number is so high */
    }
    return r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "input", "cannot be handed to the cage") : r;
}

/* Who reads on after us reads on where the guest has stopped, as if it had read the file itself. */
void warden_input_leave(struct warden_source *source)
{
    off_t at = source->file_fd < 0 || source->from_fd < 0 ? -1 : lseek(source->file_fd, 0, SEEK_CUR);

    if (at >= 0)
        (void)lseek(source->from_fd,
                    source->from + ((uint64_t)at < source->file_bytes ? at : (off_t)source->file_bytes), SEEK_SET);
    base_cleanup_close(&source->file_fd);
    source->file_fd = -1;
}
