/* test_doctor_sockets.c - tests of src/front/cli/doctor_sockets.c */
#include "../support.h"
#include "front/cli/doctor_sockets.h"
#include <sys/socket.h>
#include <sys/un.h>

static void make_folders(const char *const *paths)
{
    for (; *paths; paths++)
        assert_int_equal(mkdir(*paths, 0755), 0);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(close(fd), 0);
}

static struct doctor_sockets found(void)
{
    struct doctor_sockets sockets;

    cli_doctor_find_sockets("usr", &sockets);
    return sockets;
}

static void none(void **state)
{
    static const char *const folders[] = {"usr", "usr/lib", "usr/lib/deep", "elsewhere", NULL};

    (void)state;
    make_folders(folders);
    support_write_text("usr/lib/file", "");
    make_socket("elsewhere/socket");
    assert_int_equal(symlink("../elsewhere", "usr/link"), 0);
    assert_int_equal(symlink("../../elsewhere/socket", "usr/lib/link"), 0);
    assert_int_equal(found().count, 0);
    assert_int_equal(found().looked_at, 5);
    assert_false(found().is_cut);
}

static void two_levels_and_local(void **state)
{
    static const char *const folders[] = {"usr",         "usr/lib",       "usr/lib/deep",    "usr/local",
                                          "usr/local/a", "usr/local/a/b", "usr/local/a/b/c", NULL};

    (void)state;
    make_folders(folders);
    make_socket("usr/lib/deep/socket"); /* beyond what is looked at */
    assert_int_equal(found().count, 0);
    make_socket("usr/lib/socket");
    assert_int_equal(found().count, 1);
    assert_string_equal(found().first, "usr/lib/socket");
    make_socket("usr/socket");
    assert_int_equal(found().count, 2);
    make_socket("usr/local/a/b/c/here\033");
    assert_int_equal(found().count, 3);
    assert_string_equal(found().first, "usr/local/a/b/c/here?");
}

/* What is in two of the places is one socket. */
static void none_is_counted_twice(void **state)
{
    static const char *const folders[] = {"usr", "usr/local", NULL};

    (void)state;
    make_folders(folders);
    make_socket("usr/local/socket");
    assert_int_equal(found().count, 1);
}

static void nothing_is_there(void **state)
{
    (void)state;
    assert_int_equal(found().count, 0);
    assert_int_equal(found().looked_at, 0);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {ROW(none), ROW(two_levels_and_local), ROW(none_is_counted_twice),
                                       ROW(nothing_is_there)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
