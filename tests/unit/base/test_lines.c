/* test_lines.c - lines of plain and gzip files */
#include "../support.h"
#include "base/lines.h"
#include <zlib.h>

static size_t compress_bytes(const void *bytes, size_t count, unsigned char *out, size_t room)
{
    z_stream zip = {0};

    assert_int_equal(deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zip.next_in = (unsigned char *)(uintptr_t)bytes;
    zip.avail_in = (uInt)count;
    zip.next_out = out;
    zip.avail_out = (uInt)room;
    assert_int_equal(deflate(&zip, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&zip), Z_OK);
    return room - zip.avail_out;
}

static void expect(struct base_lines *lines, const char *wanted, unsigned long number)
{
    AUTO_BUF struct base_buf line = {0};
    struct base_err err = {0};

    assert_int_equal(base_lines_next(lines, &line, &err), wanted != NULL);
    if (wanted)
        assert_string_equal(line.bytes, wanted);
    assert_int_equal(base_lines_number(lines), number);
}

static struct base_lines *open_lines(const char *path, size_t max)
{
    struct base_lines *lines = NULL;
    struct base_err err = {0};

    assert_int_equal(base_lines_open(path, max, &lines, &err), 0);
    return lines;
}

static void plain_lines(void **state)
{
    struct base_lines *lines;

    (void)state;
    support_write_text("f", "one\n\nthree\r\nlast");
    lines = open_lines("f", 100);
    expect(lines, "one", 1);
    expect(lines, "", 2);
    expect(lines, "three\r", 3);
    expect(lines, "last", 4);
    expect(lines, NULL, 4);
    expect(lines, NULL, 4);
    base_lines_close(lines);
    support_write_text("empty", "");
    lines = open_lines("empty", 100);
    expect(lines, NULL, 0);
    base_lines_close(lines);
}

/* Lines that cross the chunk's border, the longest allowed one, and NUL bytes. */
static void long_lines(void **state)
{
    static char text[200000];
    AUTO_BUF struct base_buf line = {0};
    struct base_lines *lines;
    struct base_err err = {0};

    (void)state;
    memset(text, 'x', sizeof(text));
    text[10] = '\0';
    text[150000] = '\n';
    support_write("f", text, sizeof(text));
    lines = open_lines("f", 150000);
    assert_int_equal(base_lines_next(lines, &line, &err), 1);
    assert_int_equal(line.count, 150000);
    assert_memory_equal(line.bytes, text, 150000);
    assert_int_equal(base_lines_next(lines, &line, &err), 1);
    assert_int_equal(line.count, 49999);
    base_lines_close(lines);
    lines = open_lines("f", 149999);
    assert_int_equal(base_lines_next(lines, &line, &err), BASE_E_TOO_LARGE);
    assert_string_equal(err.place, "f:1");
    assert_int_equal(base_lines_next(lines, &line, &err), BASE_E_TOO_LARGE); /* and there is no way on */
    base_lines_close(lines);
}

static void gzip_members(void **state)
{
    unsigned char bytes[4096];
    struct base_lines *lines;
    size_t count;

    (void)state;
    count = compress_bytes("one\ntw", 6, bytes, sizeof(bytes));
    count += compress_bytes("o\nthree", 7, bytes + count, sizeof(bytes) - count);
    support_write("f", bytes, count);
    lines = open_lines("f", 100);
    expect(lines, "one", 1);
    expect(lines, "two", 2);
    expect(lines, "three", 3);
    expect(lines, NULL, 3);
    base_lines_close(lines);
}

static void zeros_behind_a_member_are_padding(void **state)
{
    static unsigned char bytes[400000];
    size_t count = compress_bytes("one\n", 4, bytes, 4096);
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};

    (void)state;
    memset(bytes + count, 0, sizeof(bytes) - count);
    support_write("f", bytes, sizeof(bytes)); /* more than one chunk of them */
    assert_int_equal(base_lines_read_all("f", 100, &buf, &err), 0);
    assert_memory_equal(buf.bytes, "one\n", 4);
    count = 300000 + compress_bytes("two\n", 4, bytes + 300000, 4096);
    support_write("f", bytes, count);
    base_buf_clear(&buf);
    assert_int_equal(base_lines_read_all("f", 100, &buf, &err), 0);
    assert_int_equal(buf.count, 8);
    bytes[299999] = 'x';
    support_write("f", bytes, count);
    base_buf_clear(&buf);
    assert_int_equal(base_lines_read_all("f", 100, &buf, &err), BASE_E_INVALID);
}

static void damaged_gzip_is_an_error(void **state)
{
    unsigned char bytes[4096];
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};
    size_t count = compress_bytes("one\ntwo\n", 8, bytes, sizeof(bytes));

    (void)state;
    for (size_t cut = 2; cut < count; cut++) {
        support_write("f", bytes, cut);
        assert_int_equal(base_lines_read_all("f", 100, &buf, &err), BASE_E_INVALID);
        assert_string_equal(err.what, "the gzip stream ends too early");
        assert_int_equal(buf.count, 0);
    }
    memcpy(bytes + count, "tail", 4);
    support_write("f", bytes, count + 4);
    assert_int_equal(base_lines_read_all("f", 100, &buf, &err), BASE_E_INVALID);
    bytes[count - 8] ^= 1; /* the checksum */
    support_write("f", bytes, count);
    assert_int_equal(base_lines_read_all("f", 100, &buf, &err), BASE_E_INVALID);
    assert_int_equal(buf.count, 0);
}

static void read_all_is_bounded(void **state)
{
    static char zeros[3000000];
    static unsigned char bytes[100000];
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};
    size_t count = compress_bytes(zeros, sizeof(zeros), bytes, sizeof(bytes));

    (void)state;
    support_write("bomb", bytes, count);
    assert_int_equal(base_lines_read_all("bomb", 1000000, &buf, &err), BASE_E_TOO_LARGE);
    assert_int_equal(buf.count, 0);
    assert_int_equal(base_lines_read_all("bomb", sizeof(zeros), &buf, &err), 0);
    assert_int_equal(buf.count, sizeof(zeros));
    base_buf_clear(&buf);
    support_write_text("plain", "a\nb");
    assert_int_equal(base_lines_read_all("plain", 3, &buf, &err), 0);
    assert_string_equal(buf.bytes, "a\nb");
    assert_int_equal(base_lines_read_all("absent", 3, &buf, &err), BASE_E_NOT_FOUND);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

/* A packed file of a few KB that would become more than it can with good reason, as one member and as many. */
static void bombs_are_refused(void **state)
{
    static unsigned char text[1 << 20], packed[4096];
    size_t count, members = 0;
    struct base_err err = {0};
    AUTO_BUF struct base_buf line = {0}, all = {.max = 1 << 20};
    struct base_lines *lines;
    int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), r;

    (void)state;
    memset(text, ' ', sizeof(text));
    text[sizeof(text) - 1] = '\n';
    count = compress_bytes(text, sizeof(text), packed, sizeof(packed));
    for (; members < 80; members++)
        assert_int_equal(write(fd, packed, count), (ssize_t)count);
    assert_int_equal(close(fd), 0);
    lines = open_lines("f", sizeof(text));
    while ((r = base_lines_next(lines, &line, &err)) == 1)
        members--;
    assert_int_equal(r, BASE_E_TOO_LARGE);
    assert_string_equal(err.what, "is more than 100 times as large when it is unpacked");
    assert_true(members > 0 && members <= 80 - 64);
    assert_int_equal(base_lines_next(lines, &line, &err), BASE_E_TOO_LARGE); /* and there is no way on */
    base_lines_close(lines);
    assert_int_equal(base_lines_read_all("f", 1 << 20, &all, &err), BASE_E_TOO_LARGE);
    assert_int_equal(all.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(plain_lines),
        IN_FOLDER(long_lines),
        IN_FOLDER(zeros_behind_a_member_are_padding),
        IN_FOLDER(gzip_members),
        IN_FOLDER(damaged_gzip_is_an_error),
        IN_FOLDER(read_all_is_bounded),
        IN_FOLDER(bombs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
