/* test_place.c - files of ours in folders of users: what is written through, and what is not */
#include "../apart.h"
#include "base/cleanup.h"
#include "base/place.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/xattr.h>

#define OTHER 65533u

static void expect_text(const char *path, const char *wanted)
{
    char text[64];

    support_read(path, text, sizeof(text));
    assert_string_equal(text, wanted);
}

static void expect_written(const char *path, const char *where)
{
    struct base_err err = {0};

    if (base_place_check(path, &err) < 0 || base_place_replace(path, "new", 3, &err) < 0)
        fail_msg("%s: %s: %s", path, err.place, err.what);
    expect_text(where, "new");
}

/* Neither now nor, after the check, at the moment of writing. */
static void expect_refused(const char *path, int code, const char *words)
{
    struct base_err first = {0}, second = {0};

    assert_int_equal(base_place_check(path, &first), code);
    assert_int_equal(base_place_replace(path, "new", 3, &second), code);
    assert_string_equal(first.what, second.what);
    if (!strstr(first.what, words))
        fail_msg("%s: \"%s: %s\" does not say \"%s\"", path, first.place, first.what, words);
    assert_true(code != BASE_E_USAGE || first.remedy[0]);
}

static void one_step(void **state)
{
    (void)state;
    expect_written("f", "f");
    assert_int_equal(chmod("f", 0600), 0);
    expect_written("./f", "f");
    assert_int_equal(mkdir("d", 0755), 0);
    expect_written("d/../d//f", "d/f");
    assert_int_equal(support_count_entries("."), 2); /* no temporary file */
    assert_int_equal(support_count_entries("d"), 1);
}

static void names_that_are_no_files(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755) | mkfifo("fifo", 0600), 0);
    support_write_text("f", "old");
    expect_refused("d", BASE_E_INVALID, "is a directory");
    expect_refused(".", BASE_E_INVALID, "is a directory");
    expect_refused("d/..", BASE_E_INVALID, "is a directory");
    expect_refused("/", BASE_E_INVALID, "is a directory");
    expect_refused("d/", BASE_E_INVALID, "is a directory");
    expect_refused("fifo", BASE_E_INVALID, "is a FIFO");
    expect_refused("/dev/null", BASE_E_INVALID, "is a device");
    expect_refused("f/x", BASE_E_IO, "is not a directory");
    expect_refused("f/", BASE_E_IO, "is not a directory");
    expect_refused("", BASE_E_IO, "No such file");
    expect_refused("absent/f", BASE_E_IO, "No such file");
    expect_text("f", "old");
}

/* Those of /proc lead to what is open, not to a name. */
static void descriptors_are_no_files(void **state)
{
    AUTO_CLOSE int fd = open(".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    char path[64];

    (void)state;
    expect_refused("/dev/stdout", BASE_E_INVALID, "not a regular file");
    expect_refused("/proc/self/fd/1", BASE_E_INVALID, "not a regular file");
    (void)snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    if (fd >= 0)
        expect_refused(path, BASE_E_INVALID, "not a regular file");
    assert_int_equal(support_count_entries("."), 0);
}

/* Nobody but we can have made it. */
static void own_links_are_followed(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkdir("data", 0755) | symlink("data", "results"), 0);
    expect_written("results/f", "data/f");
    support_write_text("real", "old");
    assert_int_equal(symlink("real", "link"), 0);
    expect_written("link", "real");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("data/new", "dangling"), 0);
    expect_written("dangling", "data/new");
    assert_int_equal(symlink("loop", "loop"), 0);
    expect_refused("loop", BASE_E_IO, "Too many levels");
    expect_refused("loop/f", BASE_E_IO, "Too many levels");
}

/* A full disk, in a way that needs no privilege: the kernel cuts the write at the limit. */
static void failed_replace_leaves_the_old_file(void **state)
{
    struct rlimit old, small;
    struct base_err err = {0};
    int r;

    (void)state;
    support_write_text("f", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){4, old.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    r = base_place_replace("f", "0123456789", 10, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(r, BASE_E_IO);
    assert_int_equal(err.sys_errno, EFBIG);
    expect_text("f", "old");
    assert_int_equal(support_count_entries("."), 1);
}

static int make(const char *path, struct base_err *err)
{
    AUTO_CLOSE int fd = -1;

    return base_place_folder(path, BASE_PLACE_MAKE, &fd, err);
}

static void makes_folders(void **state)
{
    struct base_err err = {0};
    struct stat st;

    (void)state;
    assert_int_equal(make("a/b//c/", &err), 0);
    assert_int_equal(make("a/b/c", &err), 0);
    assert_int_equal(stat("a/b/c", &st), 0);
    assert_int_equal(symlink("elsewhere", "a/link"), 0); /* ours, and leads to what is not there yet */
    assert_int_equal(make("a/link/d", &err), 0);
    assert_int_equal(stat("a/elsewhere/d", &st), 0);
    support_write_text("file", "");
    assert_int_equal(make("file", &err), BASE_E_IO);
    assert_string_equal(err.what, "is not a directory");
    assert_int_equal(make("file/x", &err), BASE_E_IO);
    assert_int_equal(make("", &err), BASE_E_IO);
}

/* On the way or at its end, and whatever the name of the file leads to. */
static void folders_that_others_may_write(void **state)
{
    struct base_err err = {0};

    (void)state;
    assert_int_equal(make("open/inner", &err), 0);
    assert_int_equal(symlink("open/f", "way-in"), 0);
    for (mode_t mode = 0757; mode != 0; mode = mode == 0757 ? 0777 : 0) {
        assert_int_equal(chmod("open", mode), 0);
        expect_refused("open/f", BASE_E_USAGE, "others may write");
        expect_refused("open/inner/f", BASE_E_USAGE, "others may write");
        expect_refused("open/inner/../f", BASE_E_USAGE, "others may write");
        expect_refused("way-in", BASE_E_USAGE, "others may write");
        assert_int_equal(make("open/new", &err), BASE_E_USAGE);
        assert_int_equal(support_count_entries("open"), 1);
    }
}

/* There all may make names, and nobody may take those of others. */
static void sticky_folders(void **state)
{
    struct base_err err = {0};

    (void)state;
    assert_int_equal(mkdir("shared", 0755) | chmod("shared", 01777), 0);
    expect_written("shared/f", "shared/f");
    assert_int_equal(make("shared/mine", &err), 0);
    expect_written("shared/mine/f", "shared/mine/f");
    assert_int_equal(make("shared", &err), BASE_E_USAGE); /* what lies there for long would not be ours alone */
    assert_int_equal(symlink("mine/f", "shared/own-link"), 0);
    expect_written("shared/own-link", "shared/mine/f");
    assert_int_equal(linkat(AT_FDCWD, "shared/own-link", AT_FDCWD, "shared/again", 0), 0);
    expect_refused("shared/again", BASE_E_USAGE, "is a link that another user may have put there");
}

static void other_groups_may_write(void **state)
{
    (void)state;
    assert_int_equal(mkdir("g", 0755), 0);
    apart_need(chown("g", (uid_t)-1, OTHER) == 0, "only root can give a folder to another group");
    assert_int_equal(chmod("g", 02775), 0);
    expect_refused("g/f", BASE_E_USAGE, "others may write");
    assert_int_equal(chmod("g", 02755), 0);
    expect_written("g/f", "g/f");
}

/* What a list grants to others seems to be the group's right. */
static void lists_of_rights(void **state)
{
    static const struct {
        uint32_t version;
        struct {
            uint16_t tag, rights;
            uint32_t id;
        } rows[5];
    } list = {2, {{1, 7, ~0u}, {2, 7, OTHER}, {4, 5, ~0u}, {16, 7, ~0u}, {32, 5, ~0u}}};

    (void)state;
    assert_int_equal(mkdir("g", 0755), 0);
    apart_need(setxattr("g", "system.posix_acl_access", &list, sizeof(list), 0) == 0, "no lists of rights here");
    expect_refused("g/f", BASE_E_USAGE, "others may write");
}

/* ---- another user ------------------------------------------------------------------------------------------------ */

static void need_another_user(void)
{
    apart_need(geteuid() == 0, "only root can stage another user's files");
}

static void folders_of_another_user(void **state)
{
    struct base_err err = {0};

    (void)state;
    need_another_user();
    assert_int_equal(make("his/inner", &err) | symlink("his/f", "way-in"), 0);
    assert_int_equal(chown("his", OTHER, OTHER), 0);
    expect_refused("his/f", BASE_E_USAGE, "belongs to another user");
    expect_refused("his/inner/f", BASE_E_USAGE, "belongs to another user");
    expect_refused("way-in", BASE_E_USAGE, "belongs to another user");
    assert_int_equal(make("his/new", &err), BASE_E_USAGE);
    assert_int_equal(chmod("his", 01777), 0); /* its owner may take what is ours */
    expect_refused("his/f", BASE_E_USAGE, "belongs to another user");
    assert_int_equal(support_count_entries("his"), 1);
}

static void links_and_files_of_another_user(void **state)
{
    (void)state;
    need_another_user();
    assert_int_equal(mkdir("shared", 0755) | chmod("shared", 01777) | mkdir("mine", 0755), 0);
    support_write_text("mine/f", "old");
    assert_int_equal(symlink("../mine/f", "shared/link") | symlink("../mine", "shared/way"), 0);
    assert_int_equal(lchown("shared/link", OTHER, OTHER) | lchown("shared/way", OTHER, OTHER), 0);
    expect_refused("shared/link", BASE_E_USAGE, "is a link that another user may have put there");
    expect_refused("shared/way/f", BASE_E_USAGE, "is a link that another user may have put there");
    support_write_text("shared/file", "his");
    assert_int_equal(chown("shared/file", OTHER, OTHER), 0);
    expect_refused("shared/file", BASE_E_USAGE, "is another user's file");
    expect_text("mine/f", "old");
    expect_text("shared/file", "his");
}

/* The other name keeps the old bytes. */
static void a_second_name_is_not_written_through(void **state)
{
    (void)state;
    support_write_text("victim", "old");
    assert_int_equal(link("victim", "f"), 0);
    expect_written("f", "f");
    expect_text("victim", "old");
}

/* ---- what is open for long -----------------------------------------------------------------------------------------
 */

static void opens_files_of_ours_only(void **state)
{
    int fd;

    (void)state;
    fd = base_place_open_at(AT_FDCWD, "f", O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(symlink("f", "link") | mkfifo("fifo", 0600) | mkdir("d", 0755), 0);
    assert_int_equal(base_place_open_at(AT_FDCWD, "link", O_RDWR | O_CREAT, 0600), -ELOOP);
    assert_int_equal(base_place_open_at(AT_FDCWD, "fifo", O_RDWR | O_CREAT, 0600), -ESTALE);
    assert_int_equal(base_place_open_at(AT_FDCWD, "d", O_RDONLY, 0600), -ESTALE);
    assert_int_equal(link("f", "second"), 0);
    assert_int_equal(base_place_open_at(AT_FDCWD, "f", O_RDWR | O_CREAT, 0600), -ESTALE);
}

/* A folder is held, whatever stands under its name later. */
static void an_exchanged_folder_gets_nothing(void **state)
{
    AUTO_CLOSE int fd = -1;
    struct base_err err = {0};

    (void)state;
    assert_int_equal(base_place_folder("out", BASE_PLACE_MAKE, &fd, &err), 0);
    assert_int_equal(rename("out", "moved") | mkdir("victim", 0755) | symlink("victim", "out"), 0);
    assert_int_equal(base_place_replace_at(fd, "f", "out/f", "new", 3, &err), 0);
    expect_text("moved/f", "new");
    assert_int_equal(support_count_entries("victim"), 0);
    assert_int_equal(symlink("../victim/f", "moved/planted"), 0);
    assert_int_equal(base_place_replace_at(fd, "planted", "out/planted", "new", 3, &err), BASE_E_INVALID);
    assert_int_equal(support_count_entries("victim"), 0);
}

static void removes_names_not_targets(void **state)
{
    struct base_err err = {0};

    (void)state;
    support_write_text("f", "");
    assert_int_equal(base_place_remove("f", &err), 0);
    assert_int_equal(base_place_remove("f", &err), 0);
    assert_int_equal(base_place_remove("absent/f", &err), BASE_E_IO);
    assert_int_equal(mkdir("d", 0777) | chmod("d", 0777), 0);
    support_write_text("d/f", "");
    assert_int_equal(base_place_remove("d/f", &err), BASE_E_USAGE);
}

static void scratch_has_a_new_name_and_its_mode(void **state)
{
    char first[32], second[32];
    struct base_err err = {0};
    struct stat st;
    mode_t mask = umask(077);

    (void)state;
    assert_int_equal(base_place_scratch(AT_FDCWD, "s-", 0711, first, sizeof(first), &err), 0);
    assert_int_equal(base_place_scratch(AT_FDCWD, "s-", 0711, second, sizeof(second), &err), 0);
    (void)umask(mask);
    assert_string_not_equal(first, second);
    assert_int_equal(stat(first, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0711);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, support_enter, support_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(one_step),
        ROW(names_that_are_no_files),
        ROW(descriptors_are_no_files),
        ROW(own_links_are_followed),
        ROW(failed_replace_leaves_the_old_file),
        ROW(makes_folders),
        ROW(folders_that_others_may_write),
        ROW(sticky_folders),
        ROW(other_groups_may_write),
        ROW(lists_of_rights),
        ROW(folders_of_another_user),
        ROW(links_and_files_of_another_user),
        ROW(a_second_name_is_not_written_through),
        ROW(opens_files_of_ours_only),
        ROW(an_exchanged_folder_gets_nothing),
        ROW(removes_names_not_targets),
        ROW(scratch_has_a_new_name_and_its_mode),
    };

    return apart_status(cmocka_run_group_tests(tests, NULL, NULL));
}
