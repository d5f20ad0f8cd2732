/* test_file.c - whole files in */
#include "../support.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

static void reads_the_whole(void **state)
{
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};

    (void)state;
    support_write_text("f", "new");
    assert_int_equal(base_buf_text(&buf, "a"), 0);
    assert_int_equal(base_file_read("f", 3, &buf, &err), 0);
    assert_string_equal(buf.bytes, "anew");
}

/* Of a folder that is ours, what a link leads to is not what is there. */
static void in_a_folder_no_link_is_followed(void **state)
{
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};
    int fd = -1;

    (void)state;
    support_write_text("f", "new");
    assert_int_equal(symlink("f", "link"), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(base_file_read_in(AT_FDCWD, "f", "d/f", 3, &buf, &err), 0);
    assert_string_equal(buf.bytes, "new");
    assert_int_equal(base_file_open_in(AT_FDCWD, "link", "d/link", &fd, &err), BASE_E_INVALID);
    assert_string_equal(err.place, "d/link");
    assert_string_equal(err.what, "is a link, not a regular file");
    assert_int_equal(base_file_read_in(AT_FDCWD, "fifo", "d/fifo", 3, &buf, &err), BASE_E_INVALID);
    assert_int_equal(base_file_read_in(AT_FDCWD, "absent", "d/absent", 3, &buf, &err), BASE_E_NOT_FOUND);
    assert_int_equal(fd, -1);
}

static void too_large_leaves_the_buffer(void **state)
{
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};

    (void)state;
    support_write_text("f", "1234");
    assert_int_equal(base_buf_text(&buf, "old"), 0);
    assert_int_equal(base_file_read("f", 3, &buf, &err), BASE_E_TOO_LARGE);
    assert_string_equal(buf.bytes, "old");
    assert_int_equal(base_file_read("/proc/self/status", 10, &buf, &err), BASE_E_TOO_LARGE); /* says it has 0 bytes */
    assert_string_equal(buf.bytes, "old");
}

static void only_regular_files(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = -1;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(base_file_open("fifo", &fd, NULL, &err), BASE_E_INVALID);
    assert_string_equal(err.what, "is a FIFO, not a regular file");
    assert_int_equal(base_file_open("socket", &fd, NULL, &err), BASE_E_INVALID);
    assert_int_equal(base_file_open(".", &fd, NULL, &err), BASE_E_INVALID);
    assert_string_equal(err.what, "is a directory, not a regular file");
    assert_int_equal(base_file_open("/dev/zero", &fd, NULL, &err), BASE_E_INVALID);
    assert_int_equal(base_file_open("absent", &fd, NULL, &err), BASE_E_NOT_FOUND);
    assert_int_equal(base_file_open("absent/x", &fd, NULL, &err), BASE_E_NOT_FOUND);
    assert_int_equal(fd, -1);
    assert_int_equal(close(listener), 0);
}

static void unreadable_is_io(void **state)
{
    struct base_err err = {0};
    int fd;

    (void)state;
    support_write_text("loop", "");
    assert_int_equal(unlink("loop"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(base_file_open("loop", &fd, NULL, &err), BASE_E_IO);
    assert_int_equal(err.sys_errno, ELOOP);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(reads_the_whole),
        IN_FOLDER(in_a_folder_no_link_is_followed),
        IN_FOLDER(too_large_leaves_the_buffer),
        IN_FOLDER(only_regular_files),
        IN_FOLDER(unreadable_is_io),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
