/* streams.c - the guest's standard streams and its mark
 *
 * Our ends never block. What the guest writes is counted and hashed in full and kept up to its limit; what is passed on
 * waits for its reader in at most one chunk, and then the guest waits too, as it would without us.
 */
#include "base/cleanup.h"
#include "warden/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe is its maker's, who may be root, and the guest opens its end again by the names in /dev and /proc: so others
 * may use it in its one direction. (A guest that has its starter's id owns it, and could change that: for itself.) The
 * mark has no such name, and stays its maker's. */
#define MODE_READ  0444
#define MODE_WRITE 0222
#define MODE_MARK  0600

static int open_pipe(int *ret_read, int *ret_write, bool guest_reads, mode_t mode, struct base_err *err)
{
    int fds[2], *guest = guest_reads ? &fds[0] : &fds[1], *ours = guest_reads ? &fds[1] : &fds[0];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "pipe", "cannot be made");
    int high = fcntl(*guest, F_DUPFD_CLOEXEC, WARDEN_FIRST_GUEST_FD);
    if (high < 0 || fchmod(*ours, mode) < 0 || fcntl(*ours, F_SETFL, O_NONBLOCK) < 0) {
        int e = high < 0 && errno == EINVAL ? EMFILE : errno; /* so the kernel says that no number is so high */
        base_cleanup_close(&high);
        base_cleanup_close(&fds[0]);
        base_cleanup_close(&fds[1]);
        return base_err_sys(err, BASE_E_SETUP, e, "pipe", "cannot be set up");
    }
    (void)close(*guest);
    *guest = high;
    *ret_read = fds[0];
    *ret_write = fds[1];
    return 0;
}

static const struct policy_limit *limit_of(const struct warden_watch *watch, int sink)
{
    static const enum policy_limit_key keys[WARDEN_SINK_MAX] = {
        [WARDEN_OUT] = POLICY_LIMIT_STDOUT_BYTES,
        [WARDEN_ERR] = POLICY_LIMIT_STDERR_BYTES,
        [WARDEN_MARK] = POLICY_LIMIT_VALUE_BYTES,
    };

    return &watch->job->plan->policy->limits[keys[sink]];
}

/* A value travels in a line, which has a little more than it. */
static uint64_t line_around(int sink)
{
    return sink == WARDEN_MARK ? WARDEN_MARK_LINE_BYTES : 0;
}

static uint64_t keep_max(const struct warden_watch *watch, int sink)
{
    const struct policy_limit *limit = limit_of(watch, sink);
    bool is_cut = limit->unlimited || limit->value > WARDEN_KEEP_MAX_BYTES;

    return (is_cut ? WARDEN_KEEP_MAX_BYTES : limit->value) + line_around(sink);
}

static uint64_t pass_max(const struct warden_watch *watch, int sink)
{
    const struct policy_limit *limit = limit_of(watch, sink);

    return limit->unlimited ? UINT64_MAX : limit->value;
}

bool warden_sink_over(const struct warden_watch *watch, int sink)
{
    uint64_t bytes = watch->sinks[sink].bytes, line = line_around(sink);

    return bytes > line && bytes - line > pass_max(watch, sink);
}

/* The descriptor may not be ours to make non-blocking, but a pipe or a terminal can be opened anew, as a description of
 * our own. Where that is not allowed, a portion that polls writable can still block on a terminal. */
static void open_pass(struct warden_sink *sink, int pass_fd)
{
    struct stat st;
    char path[32];
    int own = -1;

    sink->pass_fd = pass_fd;
    if (pass_fd < 0 || fstat(pass_fd, &st) < 0)
        return;
    sink->pass_socket = S_ISSOCK(st.st_mode);
    if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", pass_fd);
        own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    sink->pass_owned = own >= 0;
    if (own >= 0)
        sink->pass_fd = own;
}

static void init_sink(struct warden_sink *sink, int pass_fd, uint64_t max, struct base_buf *kept)
{
    open_pass(sink, pass_fd);
    sink->keep_max = max;
    sink->kept = kept;
    base_hash_init(&sink->hash);
}

/* There is one run at a time in a process. */
static char chunks[WARDEN_SINK_MAX + 1][WARDEN_CHUNK_BYTES];
static uint64_t turns; /* portions that were passed on */

static void finish_source(struct warden_source *source)
{
    base_cleanup_close(&source->write_fd);
    source->write_fd = -1;
}

int warden_streams_open(struct warden_watch *watch, struct base_err *err)
{
    const struct warden_job *job = watch->job;
    const struct policy_limit *input = &job->plan->policy->limits[POLICY_LIMIT_STDIN_BYTES];
    struct warden_source *source = &watch->source;
    int r;

    init_sink(&watch->sinks[WARDEN_OUT], job->stdout_fd, keep_max(watch, WARDEN_OUT), &watch->outcome->out.kept);
    init_sink(&watch->sinks[WARDEN_ERR], job->stderr_fd, keep_max(watch, WARDEN_ERR), &watch->outcome->err.kept);
    watch->sinks[WARDEN_OUT].pass_left = pass_max(watch, WARDEN_OUT);
    watch->sinks[WARDEN_ERR].pass_left = pass_max(watch, WARDEN_ERR);
    init_sink(&watch->sinks[WARDEN_MARK], -1, keep_max(watch, WARDEN_MARK), &watch->outcome->mark);
    source->from_fd = job->stdin_fd;
    source->bytes = job->stdin_bytes;
    source->count = job->stdin_count;
    for (int i = 0; i < WARDEN_SINK_MAX; i++)
        watch->sinks[i].pending = chunks[i];
    source->chunk = chunks[WARDEN_SINK_MAX];
    source->given_max = input->unlimited ? UINT64_MAX : input->value;

    r = warden_input_file(source, &watch->guest_fds[0], err);
    if (r > 0)
        r = open_pipe(&watch->guest_fds[0], &source->write_fd, true, MODE_READ, err);
    for (int i = 0; i < WARDEN_SINK_MAX && r == 0; i++)
        if (i != WARDEN_MARK || job->mark)
            r = open_pipe(&watch->sinks[i].read_fd, &watch->guest_fds[1 + i], false,
                          i == WARDEN_MARK ? MODE_MARK : MODE_WRITE, err);
    return r;
}

void warden_streams_close(struct warden_watch *watch)
{
    for (int i = 0; i < 4; i++)
        base_cleanup_close(&watch->guest_fds[i]);
    for (int i = 0; i < WARDEN_SINK_MAX; i++) {
        base_cleanup_close(&watch->sinks[i].read_fd);
        base_buf_release(&watch->sinks[i].tail);
        if (watch->sinks[i].pass_owned)
            base_cleanup_close(&watch->sinks[i].pass_fd);
    }
    base_cleanup_close(&watch->source.write_fd);
    warden_input_leave(&watch->source);
}

static int keep(struct warden_sink *sink, const char *bytes, size_t count)
{
    uint64_t room = sink->keep_max - sink->kept->count;

    return base_buf_append(sink->kept, bytes, count < room ? count : (size_t)room);
}

int warden_sink_read(struct warden_sink *sink)
{
    ssize_t count;
    int r;

    if (sink->read_fd < 0 || sink->pending_count > 0)
        return 0;
    count = read(sink->read_fd, sink->pending, WARDEN_CHUNK_BYTES);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (count <= 0) {
        base_cleanup_close(&sink->read_fd);
        sink->read_fd = -1;
        return 0;
    }
    sink->bytes += (uint64_t)count;
    base_hash_update(&sink->hash, sink->pending, (size_t)count);
    r = keep(sink, sink->pending, (size_t)count);
    if (r < 0)
        return r;
    if (sink->pass_fd >= 0 && !sink->pass_broken) {
        sink->pending_from = 0;
        sink->pending_count = (uint64_t)count < sink->pass_left ? (size_t)count : (size_t)sink->pass_left;
        sink->pass_left -= sink->pending_count;
    }
    return 1;
}

/* The descriptors that we are given may not be ours to make non-blocking, so each is asked before it is used. A pipe
 * that polls writable takes PIPE_BUF bytes without blocking. */
static short ready_now(int fd, short events)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};

    return poll(&poll_fd, 1, 0) > 0 ? poll_fd.revents : 0;
}

static bool writable_now(int fd)
{
    return ready_now(fd, POLLOUT) & (POLLOUT | POLLERR | POLLHUP | POLLNVAL);
}

/* Write at most one portion that a reader takes without blocking us. Returns how much, 0 when it takes none now. */
static size_t pass_portion(struct warden_sink *sink, const char *bytes, size_t count)
{
    ssize_t written;

    if (count == 0 || sink->pass_broken || !writable_now(sink->pass_fd))
        return 0;
    count = count < PIPE_BUF ? count : PIPE_BUF;
    written = sink->pass_socket ? send(sink->pass_fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL)
                                : write(sink->pass_fd, bytes, count);
    if (written > 0) {
        sink->passed_turn = ++turns;
        sink->passed_last = bytes[written - 1];
    }
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
        sink->pass_broken = true;
        sink->reader_gone = errno == EPIPE || errno == ECONNRESET;
    }
    return written > 0 ? (size_t)written : 0;
}

void warden_sink_pass(struct warden_sink *sink)
{
    size_t written;

    while ((written = pass_portion(sink, sink->pending + sink->pending_from, sink->pending_count)) > 0) {
        sink->pending_from += written;
        sink->pending_count -= written;
    }
    if (sink->pass_broken)
        sink->pending_count = 0;
}

/* A pipe holds a bounded amount, so this does too. */
int warden_sink_drain(struct warden_sink *sink)
{
    int r;

    do {
        r = base_buf_append(&sink->tail, sink->pending + sink->pending_from, sink->pending_count);
        sink->pending_count = 0;
        if (r == 0)
            r = warden_sink_read(sink);
    } while (r > 0);
    return r;
}

int warden_sink_finish(struct warden_sink *sink)
{
    uint64_t until = sink->bytes;
    int there = 0, r = 1;

    if (sink->read_fd >= 0 && ioctl(sink->read_fd, FIONREAD, &there) == 0 && there > 0)
        until += (uint64_t)there;
    while (r > 0 && sink->bytes < until)
        r = warden_sink_read(sink);
    base_cleanup_close(&sink->read_fd);
    sink->read_fd = -1;
    return r < 0 ? r : 0;
}

bool warden_sink_flush(struct warden_sink *sink)
{
    size_t written = 1;

    while (written > 0 && sink->pending_from < sink->tail.count) {
        written = pass_portion(sink, sink->tail.bytes + sink->pending_from, sink->tail.count - sink->pending_from);
        sink->pending_from += written;
    }
    return sink->pass_broken || sink->pending_from >= sink->tail.count;
}

/* Returns false at the end of what there is to give. */
static bool refill(struct warden_source *source)
{
    ssize_t count;

    source->chunk_from = 0;
    if (source->from_fd < 0) {
        count = (ssize_t)(source->count < WARDEN_CHUNK_BYTES ? source->count : WARDEN_CHUNK_BYTES);
        if (count > 0) {
            memcpy(source->chunk, source->bytes, (size_t)count);
            source->bytes += count;
            source->count -= (size_t)count;
        }
    } else if (!ready_now(source->from_fd, POLLIN)) {
        return true;
    } else {
        count = read(source->from_fd, source->chunk, WARDEN_CHUNK_BYTES);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
    }
    source->chunk_count = count > 0 ? (size_t)count : 0;
    source->given += source->chunk_count;
    return source->chunk_count > 0;
}

bool warden_source_over(const struct warden_source *source)
{
    return source->given > source->given_max;
}

void warden_source_move(struct warden_source *source)
{
    ssize_t written;

    if (source->write_fd < 0)
        return;
    if ((ready_now(source->write_fd, 0) & POLLERR) || /* nobody in the cage can read it any more */
        (source->chunk_count == 0 && !refill(source))) {
        finish_source(source);
        return;
    }
    if (source->chunk_count == 0 || warden_source_over(source))
        return;
    written = write(source->write_fd, source->chunk + source->chunk_from, source->chunk_count);
    if (written < 0) {
        if (errno != EAGAIN && errno != EINTR)
            finish_source(source); /* the guest does not read any more */
        return;
    }
    source->chunk_from += (size_t)written;
    source->chunk_count -= (size_t)written;
}
