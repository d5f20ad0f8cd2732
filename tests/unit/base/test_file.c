/* test_file.c - whole files in and out */
#include "../support.h"
#include "base/file.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

static void reads_what_was_written(void **state)
{
    AUTO_BUF struct base_buf buf = {0};
    struct base_err err = {0};

    (void)state;
    assert_int_equal(base_file_replace("f", "a\0b", 3, &err), 0);
    assert_int_equal(base_file_read("f", 3, &buf, &err), 0);
    assert_int_equal(buf.count, 3);
    assert_memory_equal(buf.bytes, "a\0b", 3);
    assert_int_equal(base_file_replace("f", "new", 3, &err), 0);
    assert_int_equal(base_file_read("f", 3, &buf, &err), 0);
    assert_memory_equal(buf.bytes, "a\0bnew", 6);
    assert_int_equal(support_count_entries("."), 1);
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
    assert_int_equal(base_file_replace("/dev/null", "x", 1, &err), BASE_E_INVALID);
    assert_int_equal(base_file_replace("fifo", "x", 1, &err), BASE_E_INVALID);
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

static void replace_follows_a_link(void **state)
{
    struct base_err err = {0};
    struct stat st;
    char text[16];

    (void)state;
    support_write_text("real", "old");
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(base_file_replace("link", "new", 3, &err), 0);
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    support_read("real", text, sizeof(text));
    assert_string_equal(text, "new");
}

/* A full disk, in a way that needs no privilege: the kernel cuts the write at the limit. */
static void failed_replace_leaves_the_old_file(void **state)
{
    struct rlimit old, small;
    struct base_err err = {0};
    char text[16];
    int r;

    (void)state;
    support_write_text("f", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){4, old.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    r = base_file_replace("f", "0123456789", 10, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(r, BASE_E_IO);
    assert_int_equal(err.sys_errno, EFBIG);
    support_read("f", text, sizeof(text));
    assert_string_equal(text, "old");
    assert_int_equal(support_count_entries("."), 1);
}

static void makes_folders(void **state)
{
    struct base_err err = {0};
    struct stat st;

    (void)state;
    assert_int_equal(base_file_mkdirs("a/b//c/", &err), 0);
    assert_int_equal(base_file_mkdirs("a/b/c", &err), 0);
    assert_int_equal(stat("a/b/c", &st), 0);
    assert_int_equal(base_file_mkdirs("/", &err), 0);
    support_write_text("file", "");
    assert_int_equal(base_file_mkdirs("file", &err), BASE_E_IO);
    assert_string_equal(err.what, "is not a directory");
    assert_int_equal(base_file_mkdirs("file/x", &err), BASE_E_IO);
    assert_int_equal(base_file_mkdirs("", &err), BASE_E_IO);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(reads_what_was_written), IN_FOLDER(too_large_leaves_the_buffer),
        IN_FOLDER(only_regular_files),     IN_FOLDER(unreadable_is_io),
        IN_FOLDER(replace_follows_a_link), IN_FOLDER(failed_replace_leaves_the_old_file),
        IN_FOLDER(makes_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
