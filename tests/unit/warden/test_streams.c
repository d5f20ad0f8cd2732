/* test_streams.c - tests of src/warden/streams.c: real pipes, the test plays the guest */
#include "watched.h"
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

static void open_streams(struct watched *run)
{
    struct base_err err = {0};

    if (warden_streams_open(&run->watch, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
}

/* As the guest: write to its stdout (1), stderr (2) or mark (3). */
static void guest_writes(struct watched *run, int number, const void *bytes, size_t count)
{
    assert_int_equal(write(run->watch.guest_fds[number], bytes, count), (ssize_t)count);
}

static void guest_closes(struct watched *run, int number)
{
    base_cleanup_close(&run->watch.guest_fds[number]);
    run->watch.guest_fds[number] = -1;
}

static void hash_of(const void *bytes, size_t count, const struct warden_sink *sink)
{
    char wanted[BASE_HASH_HEX], got[BASE_HASH_HEX];

    base_hash_bytes_hex(bytes, count, wanted);
    base_hash_hex(&sink->hash, got);
    assert_string_equal(got, wanted);
}

/* --- opening and closing --- */

static void ends_are_where_they_must_be(void **state)
{
    struct watched *run = watched_new();
    int input[2], before;

    (void)state;
    assert_int_equal(pipe2(input, O_CLOEXEC), 0);
    before = support_count_entries("/proc/self/fd");
    run->job.mark = true;
    run->job.stdin_fd = input[0];
    open_streams(run);
    for (int i = 0; i < 4; i++) {
        const mode_t mode = i == 0 ? 0444 : i < 3 ? 0222 : 0600; /* each in its direction, whoever has made it */
        struct stat st;
        assert_true(run->watch.guest_fds[i] >= 10); /* not in the way of 0 to 3 */
        assert_int_equal(fstat(run->watch.guest_fds[i], &st), 0);
        assert_int_equal(st.st_mode, S_IFIFO | mode);
        assert_true(fcntl(run->watch.guest_fds[i], F_GETFD) & FD_CLOEXEC);
        assert_false(fcntl(run->watch.guest_fds[i], F_GETFL) & O_NONBLOCK); /* a guest expects to wait */
    }
    for (int i = 0; i < WARDEN_SINK_MAX; i++) {
        assert_true(fcntl(run->watch.sinks[i].read_fd, F_GETFD) & FD_CLOEXEC);
        assert_true(fcntl(run->watch.sinks[i].read_fd, F_GETFL) & O_NONBLOCK);
    }
    assert_true(fcntl(run->watch.source.write_fd, F_GETFL) & O_NONBLOCK);
    assert_int_equal(support_count_entries("/proc/self/fd"), before + 8);
    warden_streams_close(&run->watch);
    assert_int_equal(support_count_entries("/proc/self/fd"), before);
    for (int i = 0; i < 4; i++)
        run->watch.guest_fds[i] = -1;
    for (int i = 0; i < WARDEN_SINK_MAX; i++)
        run->watch.sinks[i].read_fd = -1;
    run->watch.source.write_fd = -1;
    watched_free(run);
    assert_int_equal(close(input[0]), 0);
    assert_int_equal(close(input[1]), 0);
}

static void without_a_mark(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    open_streams(run);
    assert_int_equal(run->watch.guest_fds[3], -1);
    assert_int_equal(run->watch.sinks[WARDEN_MARK].read_fd, -1);
    assert_int_equal(warden_sink_read(&run->watch.sinks[WARDEN_MARK]), 0);
    watched_free(run);
}

static int open_with_no_descriptors(void *argument)
{
    struct watched *run = argument;
    struct base_err err = {0};
    int before = support_count_entries("/proc/self/fd"), r;

    while (dup(0) >= 0)
        ;
    for (int i = 0; i < 5; i++)
        (void)close(900 + i); /* enough for two pipes, not for three */
    r = warden_streams_open(&run->watch, &err);
    warden_streams_close(&run->watch);
    (void)before;
    return r == BASE_E_SETUP && err.code == BASE_E_SETUP && err.sys_errno == EMFILE ? 0 : 1;
}

static void running_out_of_descriptors(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    assert_int_equal(apart_end(apart_start(open_with_no_descriptors, run)), 0);
    watched_free(run);
}

/* --- what the guest writes --- */

static void bytes_are_bytes(void **state)
{
    static const char bytes[] = "\0\xff\xfe\x1b[31m\r\n\0tail\xc3";
    struct watched *run = watched_new();
    struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];

    (void)state;
    open_streams(run);
    assert_int_equal(warden_sink_read(sink), 0); /* nothing yet, and no waiting */
    guest_writes(run, 1, bytes, sizeof(bytes));
    assert_int_equal(warden_sink_read(sink), 1);
    assert_int_equal(warden_sink_read(sink), 0);
    assert_int_equal(sink->bytes, sizeof(bytes));
    assert_int_equal(run->outcome.out.kept.count, sizeof(bytes));
    assert_memory_equal(run->outcome.out.kept.bytes, bytes, sizeof(bytes));
    hash_of(bytes, sizeof(bytes), sink);
    guest_closes(run, 1);
    assert_int_equal(warden_sink_read(sink), 0);
    assert_int_equal(sink->read_fd, -1); /* seen its end */
    assert_int_equal(warden_sink_read(sink), 0);
    watched_free(run);
}

static void streams_do_not_mix(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    run->job.mark = true;
    open_streams(run);
    guest_writes(run, 1, "out", 3);
    guest_writes(run, 2, "error", 5);
    guest_writes(run, 3, "mark", 4);
    for (int i = 0; i < WARDEN_SINK_MAX; i++)
        assert_int_equal(warden_sink_read(&run->watch.sinks[i]), 1);
    assert_string_equal(run->outcome.out.kept.bytes, "out");
    assert_string_equal(run->outcome.err.kept.bytes, "error");
    assert_string_equal(run->outcome.mark.bytes, "mark");
    watched_free(run);
}

/* Kept up to the limit, counted and hashed past it. */
static void the_limit_cuts_what_is_kept(void **state)
{
    static const struct {
        const char *limit;
        size_t written, kept;
    } sizes[] = {
        {"stdout_bytes=10", 9, 9},
        {"stdout_bytes=10", 10, 10},
        {"stdout_bytes=10", 11, 10},
        {"stdout_bytes=1", 5000, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct watched *run = watched_new();
        struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];
        char bytes[5000];
        for (size_t b = 0; b < sizeof(bytes); b++)
            bytes[b] = (char)b;
        watched_set(run, sizes[i].limit);
        open_streams(run);
        for (size_t at = 0; at < sizes[i].written; at += 4) { /* in small pieces */
            size_t count = sizes[i].written - at < 4 ? sizes[i].written - at : 4;
            guest_writes(run, 1, bytes + at, count);
            assert_int_equal(warden_sink_read(sink), 1);
        }
        assert_int_equal(sink->bytes, sizes[i].written);
        assert_int_equal(run->outcome.out.kept.count, sizes[i].kept);
        assert_memory_equal(run->outcome.out.kept.bytes, bytes, sizes[i].kept);
        hash_of(bytes, sizes[i].written, sink);
        watched_free(run);
    }
}

static void a_mark_has_a_limit_of_its_own(void **state)
{
    struct watched *run = watched_new();
    struct warden_sink *sink = &run->watch.sinks[WARDEN_MARK];
    char bytes[32768] = {0};

    (void)state;
    run->job.mark = true;
    open_streams(run);
    for (int i = 0; i < 40; i++) { /* 1.25 MiB */
        guest_writes(run, 3, bytes, sizeof(bytes));
        assert_int_equal(warden_sink_read(sink), 1);
    }
    assert_int_equal(sink->bytes, 40 * sizeof(bytes));
    assert_int_equal(run->outcome.mark.count, (1 << 20) + WARDEN_MARK_LINE_BYTES);
    assert_true(warden_sink_over(&run->watch, WARDEN_MARK));
    watched_free(run);
}

/* Counted without end, or up to a large limit, and kept within reason; what is not kept is over no limit. */
static void much_output_does_not_fill_our_memory(void **state)
{
    static const char *const limits[] = {"stdout_bytes=unlimited", "stdout_bytes=64MiB"};
    char bytes[65536] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct watched *run = watched_new();
        struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];

        watched_set(run, limits[i]);
        open_streams(run);
        for (int k = 0; k < 320; k++) { /* 20 MiB */
            guest_writes(run, 1, bytes, sizeof(bytes));
            while (warden_sink_read(sink) > 0)
                ;
        }
        assert_int_equal(sink->bytes, 320 * sizeof(bytes));
        assert_int_equal(run->outcome.out.kept.count, WARDEN_KEEP_MAX_BYTES);
        assert_false(warden_sink_over(&run->watch, WARDEN_OUT));
        watched_free(run);
    }
}

/* --- passing on --- */

static void what_is_read_is_passed_on(void **state)
{
    static const struct {
        const char *limit;
        const char *written[2];
        size_t passed;
    } sizes[] = {
        {"stdout_bytes=unlimited", {"hello", "world"}, 10}, {"stdout_bytes=10", {"hello", "world"}, 10},
        {"stdout_bytes=7", {"hello", "world"}, 7},          {"stdout_bytes=5", {"hello", "world"}, 5},
        {"stdout_bytes=4", {"hello", "world"}, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct watched *run = watched_new();
        struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];
        char got[64];
        int fds[2];
        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        run->job.stdout_fd = fds[1];
        watched_set(run, sizes[i].limit);
        open_streams(run);
        for (int piece = 0; piece < 2; piece++) {
            guest_writes(run, 1, sizes[i].written[piece], 5);
            assert_int_equal(warden_sink_read(sink), 1);
            warden_sink_pass(sink);
            assert_int_equal(sink->pending_count, 0);
        }
        assert_int_equal(read(fds[0], got, sizeof(got)), sizes[i].passed);
        assert_memory_equal(got, "helloworld", sizes[i].passed);
        assert_int_equal(sink->bytes, 10); /* counted in full */
        (void)close(fds[0]);
        (void)close(fds[1]);
        watched_free(run);
    }
}

static void fill_pipe(int fd)
{
    char bytes[4096] = {0};

    assert_true(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
    while (write(fd, bytes, sizeof(bytes)) > 0)
        ;
    assert_true(fcntl(fd, F_SETFL, 0) == 0);
}

/* A reader that does not read holds up the guest, never the supervisor. */
static void a_slow_reader(void **state)
{
    struct watched *run = watched_new();
    struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];
    char got[4096];
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    fill_pipe(fds[1]);
    run->job.stdout_fd = fds[1];
    open_streams(run);
    guest_writes(run, 1, "one", 3);
    assert_int_equal(warden_sink_read(sink), 1);
    warden_sink_pass(sink); /* returns */
    assert_int_equal(sink->pending_count, 3);
    guest_writes(run, 1, "two", 3);
    assert_int_equal(warden_sink_read(sink), 0); /* one chunk waits, no second is taken */
    assert_int_equal(sink->bytes, 3);
    while (read(fds[0], got, sizeof(got)) == sizeof(got) && sink->pending_count > 0)
        warden_sink_pass(sink);
    assert_int_equal(sink->pending_count, 0);
    assert_int_equal(warden_sink_read(sink), 1);
    assert_string_equal(run->outcome.out.kept.bytes, "onetwo");
    (void)close(fds[0]);
    (void)close(fds[1]);
    watched_free(run);
}

static void a_reader_that_went_away(void **state)
{
    struct watched *run = watched_new();
    struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];
    int fds[2];

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    (void)close(fds[0]);
    run->job.stdout_fd = fds[1];
    open_streams(run);
    guest_writes(run, 1, "one", 3);
    assert_int_equal(warden_sink_read(sink), 1);
    warden_sink_pass(sink);
    assert_true(sink->pass_broken);
    assert_true(sink->reader_gone);
    assert_int_equal(sink->pending_count, 0);
    guest_writes(run, 1, "two", 3); /* goes on being read and kept */
    assert_int_equal(warden_sink_read(sink), 1);
    assert_int_equal(sink->pending_count, 0);
    assert_string_equal(run->outcome.out.kept.bytes, "onetwo");
    (void)close(fds[1]);
    watched_free(run);
}

/* After the guest's end: what is in the pipe is taken at once, and goes out as its reader takes it. */
static void the_rest_is_passed_on_too(void **state)
{
    struct watched *run = watched_new();
    struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];
    static char bytes[60000], got[120000];
    size_t count = 0;
    int fds[2];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 11);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_true(fcntl(fds[1], F_SETPIPE_SZ, 4096) > 0);
    run->job.stdout_fd = fds[1];
    open_streams(run);
    guest_writes(run, 1, bytes, sizeof(bytes));
    assert_int_equal(warden_sink_read(sink), 1); /* a first chunk waits */
    guest_writes(run, 1, bytes, sizeof(bytes));  /* a second is in the pipe */
    guest_closes(run, 1);
    assert_int_equal(warden_sink_drain(sink), 0);
    assert_int_equal(sink->bytes, 2 * sizeof(bytes));
    assert_int_equal(sink->pending_count, 0);
    assert_int_equal(sink->tail.count, 2 * sizeof(bytes));
    sink->pending_from = 0;
    while (!warden_sink_flush(sink)) { /* returns where the reader takes no more */
        ssize_t r = read(fds[0], got + count, sizeof(got) - count);
        assert_true(r > 0);
        count += (size_t)r;
    }
    while (count < sizeof(got)) {
        ssize_t r = read(fds[0], got + count, sizeof(got) - count);
        assert_true(r > 0);
        count += (size_t)r;
    }
    assert_memory_equal(got, bytes, sizeof(bytes));
    assert_memory_equal(got + sizeof(bytes), bytes, sizeof(bytes));
    assert_true(warden_sink_flush(sink));
    (void)close(fds[0]);
    (void)close(fds[1]);
    watched_free(run);
}

static void the_rest_when_nobody_reads_it(void **state)
{
    struct watched *run = watched_new();
    struct warden_sink *sink = &run->watch.sinks[WARDEN_OUT];
    int fds[2];

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    run->job.stdout_fd = fds[1];
    open_streams(run);
    guest_writes(run, 1, "rest", 4);
    guest_closes(run, 1);
    assert_int_equal(warden_sink_drain(sink), 0);
    (void)close(fds[0]);
    assert_true(warden_sink_flush(sink)); /* there is nobody to wait for */
    assert_true(sink->pass_broken);
    assert_true(sink->reader_gone);
    assert_string_equal(run->outcome.out.kept.bytes, "rest");
    (void)close(fds[1]);
    watched_free(run);
}

static void no_rest(void **state)
{
    struct watched *run = watched_new();

    (void)state;
    run->job.mark = true;
    open_streams(run);
    for (int i = 0; i < WARDEN_SINK_MAX; i++) {
        guest_closes(run, 1 + i);
        assert_int_equal(warden_sink_drain(&run->watch.sinks[i]), 0);
        assert_true(warden_sink_flush(&run->watch.sinks[i]));
    }
    watched_free(run);
}

/* --- what the guest reads --- */

static size_t guest_reads(struct watched *run, char *bytes, size_t bytes_max)
{
    ssize_t count = read(run->watch.guest_fds[0], bytes, bytes_max);

    assert_true(count >= 0);
    return (size_t)count;
}

/* What a guest may not do with its input. */
static void expect_sealed(int fd)
{
    char path[32];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    assert_int_equal(write(fd, "x", 1), -1);
    assert_int_equal(ftruncate(fd, 1), -1);
    assert_ptr_equal(mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    int again = open(path, O_RDWR | O_CLOEXEC); /* who owns it may open it, and can change nothing all the same */
    assert_int_equal(again < 0 ? -1 : (int)write(again, "x", 1), -1);
    if (again >= 0)
        assert_int_equal(close(again), 0);
}

static void expect_file(struct watched *run, const char *bytes, size_t count)
{
    int fd = run->watch.guest_fds[0];
    char path[32], got[16] = {0};
    struct stat st;

    assert_int_equal(run->watch.source.write_fd, -1);
    assert_true(fd >= 10);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode, S_IFREG | 0444);
    assert_int_equal(st.st_size, (off_t)count);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
    assert_int_equal(pread(fd, got, sizeof(got), 0), (ssize_t)count);
    assert_memory_equal(got, bytes, count);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int again = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(again >= 0);
    assert_int_equal(read(again, got, 1), count > 0);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 0); /* which is another's description */
    assert_int_equal(close(again), 0);
    expect_sealed(fd);
    assert_false(warden_source_over(&run->watch.source));
}

static void known_bytes_are_a_file(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
    } rows[] = {{"", 0}, {"a\0b", 3}, {"0123456789", 10}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct watched *run = watched_new();
        watched_set(run, "stdin_bytes=10");
        run->job.stdin_bytes = rows[i].bytes;
        run->job.stdin_count = rows[i].count;
        open_streams(run);
        expect_file(run, rows[i].bytes, rows[i].count);
        watched_free(run);
    }
}

static int file_of(const char *bytes)
{
    int fd = memfd_create("own", MFD_CLOEXEC);

    assert_int_equal(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    return fd;
}

/* From where it stands, and its owner reads on where the guest has stopped: never behind the end. */
static void a_file_is_copied(void **state)
{
    static const struct {
        off_t guest_at, left_at;
    } rows[] = {{0, 2}, {3, 5}, {8, 10}, {900, 10}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct watched *run = watched_new();
        int fd = file_of("0123456789");
        assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
        run->job.stdin_fd = fd;
        open_streams(run);
        expect_file(run, "23456789", 8);
        assert_int_equal(lseek(fd, 0, SEEK_CUR), 2);
        assert_int_equal(lseek(run->watch.guest_fds[0], rows[i].guest_at, SEEK_SET), rows[i].guest_at);
        watched_free(run);
        assert_int_equal(lseek(fd, 0, SEEK_CUR), rows[i].left_at);
        assert_int_equal(pwrite(fd, "x", 1, 0), 1); /* it is its own */
        assert_int_equal(close(fd), 0);
    }
}

/* More than its limit, and what the kernel makes up as it is read, comes through a pipe. */
static void what_is_no_known_file(void **state)
{
    int fds[] = {file_of("0123456789"), open("/proc/self/status", O_RDONLY | O_CLOEXEC)};

    (void)state;
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        struct watched *run = watched_new();
        watched_set(run, "stdin_bytes=9");
        run->job.stdin_fd = fds[i];
        assert_int_equal(lseek(fds[i], 0, SEEK_SET), 0);
        open_streams(run);
        assert_true(run->watch.source.write_fd >= 0);
        warden_source_move(&run->watch.source);
        assert_true(warden_source_over(&run->watch.source));
        watched_free(run);
        assert_int_equal(close(fds[i]), 0);
    }
}

static void no_input_is_an_end_at_once(void **state)
{
    struct watched *run = watched_new();
    char got[8];

    (void)state;
    run->job.stdin_bytes = NULL;
    open_streams(run);
    warden_source_move(&run->watch.source);
    assert_int_equal(run->watch.source.write_fd, -1);
    assert_int_equal(guest_reads(run, got, sizeof(got)), 0);
    warden_source_move(&run->watch.source);
    watched_free(run);
}

static void input_from_a_descriptor(void **state)
{
    struct watched *run = watched_new();
    char got[64];
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    run->job.stdin_fd = fds[0];
    open_streams(run);
    warden_source_move(&run->watch.source); /* nothing there: returns, and keeps the way open */
    assert_true(run->watch.source.write_fd >= 0);
    assert_int_equal(write(fds[1], "a\0b", 3), 3);
    warden_source_move(&run->watch.source);
    assert_int_equal(guest_reads(run, got, sizeof(got)), 3);
    assert_memory_equal(got, "a\0b", 3);
    (void)close(fds[1]);
    warden_source_move(&run->watch.source);
    assert_int_equal(run->watch.source.write_fd, -1);
    assert_int_equal(guest_reads(run, got, sizeof(got)), 0);
    (void)close(fds[0]);
    watched_free(run);
}

/* A guest that closes its input must not make us wait for ours. */
static void a_guest_that_does_not_read(void **state)
{
    struct watched *run = watched_new();
    int fds[2];

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    run->job.stdin_fd = fds[0];
    open_streams(run);
    guest_closes(run, 0);
    warden_source_move(&run->watch.source); /* fds[1] is open and silent */
    assert_int_equal(run->watch.source.write_fd, -1);
    (void)close(fds[0]);
    (void)close(fds[1]);
    watched_free(run);
}

static void the_input_limit(void **state)
{
    static const struct {
        size_t count;
        bool over;
    } sizes[] = {{9, false}, {10, false}, {11, true}, {5000, true}};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int from_memory = 0; from_memory < 2; from_memory++) {
            struct watched *run = watched_new();
            char bytes[5000] = {0};
            int fds[2];
            assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
            assert_int_equal(write(fds[1], bytes, sizes[i].count), (ssize_t)sizes[i].count);
            (void)close(fds[1]);
            watched_set(run, "stdin_bytes=10");
            run->job.stdin_fd = from_memory ? -1 : fds[0];
            run->job.stdin_bytes = bytes;
            run->job.stdin_count = from_memory ? sizes[i].count : 0;
            open_streams(run);
            for (int move = 0; move < 5; move++)
                warden_source_move(&run->watch.source);
            assert_int_equal(warden_source_over(&run->watch.source), sizes[i].over);
            (void)close(fds[0]);
            watched_free(run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_where_they_must_be),
        cmocka_unit_test(without_a_mark),
        cmocka_unit_test(running_out_of_descriptors),
        cmocka_unit_test(bytes_are_bytes),
        cmocka_unit_test(streams_do_not_mix),
        cmocka_unit_test(the_limit_cuts_what_is_kept),
        cmocka_unit_test(a_mark_has_a_limit_of_its_own),
        cmocka_unit_test(much_output_does_not_fill_our_memory),
        cmocka_unit_test(what_is_read_is_passed_on),
        cmocka_unit_test(a_slow_reader),
        cmocka_unit_test(a_reader_that_went_away),
        cmocka_unit_test(the_rest_is_passed_on_too),
        cmocka_unit_test(the_rest_when_nobody_reads_it),
        cmocka_unit_test(no_rest),
        cmocka_unit_test(no_input_is_an_end_at_once),
        cmocka_unit_test(known_bytes_are_a_file),
        cmocka_unit_test(a_file_is_copied),
        cmocka_unit_test(what_is_no_known_file),
        cmocka_unit_test(input_from_a_descriptor),
        cmocka_unit_test(a_guest_that_does_not_read),
        cmocka_unit_test(the_input_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
