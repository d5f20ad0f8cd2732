/* test_settings.c - tests of src/cage/settings_child.c and settings.def */
#include "../support.h"
#include "cage/cage.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Places of /etc and /var that hold secrets, or tell of this machine, its network or its users; whole or in part. */
static const char *const forbidden[] = {
    "/etc/passwd",
    "/etc/group",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudo",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/host",
    "/etc/machine-id",
    "/etc/resolv",
    "/etc/network",
    "/etc/fstab",
    "/etc/crypttab",
    "/etc/krb5",
    "/etc/ldap",
    "/etc/pam",
    "/etc/security",
    "/etc/subuid",
    "/etc/subgid",
    "/etc/cron",
    "/etc/apt",
    "/etc/docker",
    "/etc/kubernetes",
    "/etc/ppp",
    "/etc/NetworkMan",
    "/etc/wireguard",
    "/etc/openvpn",
    "/etc/mysql",
    "/etc/postgresql",
    "/etc/npmrc",
    "/etc/pip",
    "/etc/gitconfig",
    "/etc/wgetrc",
    "/etc/curlrc",
    "/etc/subversion",
    "/etc/mercurial",
    "/etc/environment",
    "/etc/profile",
    "/etc/default",
    "/etc/systemd",
    "/etc/mtab",
    "/etc/motd",
    "/etc/issue",
    "/etc/php/*/fpm",
    "/etc/php/*/apache2",
    "/etc/maven/settings",
    "/etc/ssl/certs/ssl-cert",
    "/etc/python3",
    "/var/log",
    "/var/spool",
    "/var/mail",
    "/var/lib/dpkg",
    "/var/lib/systemd",
    "/var/lib/dbus",
    "/var/run",
    "/var/lib/docker",
    "/var/backups",
};
static const char *const whole[] = {"/",    "/etc",     "/etc/ssl",   "/etc/ssl/certs", "/etc/php",
                                    "/var", "/var/lib", "/etc/maven", "/etc/php/*",     "/var/cache"};

static void no_row_shows_what_is_secret(void **state)
{
    unsigned count = 0;

    (void)state;
    for (const char *path; (path = cage_settings_path(count)); count++) {
        assert_true(strncmp(path, "/etc/", 5) == 0 || strncmp(path, "/var/", 5) == 0);
        assert_null(strstr(path, ".."));
        assert_true(strlen(path) < sizeof(((struct cage_setting *)0)->at));
        for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
            if (strncmp(path, forbidden[i], strlen(forbidden[i])) == 0)
                fail_msg("%s is shown", path);
        for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
            assert_string_not_equal(path, whole[i]);
        for (unsigned other = 0; other < count; other++) { /* each once, and none in another */
            const char *before = cage_settings_path(other);
            size_t length = strlen(before);
            assert_false(strncmp(path, before, length) == 0 && (path[length] == 0 || path[length] == '/'));
            assert_true(strcmp(before, path) < 0 || strncmp(before, "/etc/ImageMagick", 16) == 0);
        }
    }
    assert_true(count > 20 && count <= 64);
}

/* Whatever this machine has: for everybody to read, a file or a folder, and where its row says. */
static int is_for_everybody(const struct cage_setting *setting, void *argument)
{
    const char *path = cage_settings_path(setting->row);
    char link[64], real[PATH_MAX] = "";
    struct stat st;

    assert_non_null(path);
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", setting->fd);
    assert_true(readlink(link, real, sizeof(real) - 1) > 0);
    assert_int_equal(fstat(setting->fd, &st), 0);
    assert_true(S_ISDIR(st.st_mode) ? setting->is_folder : S_ISREG(st.st_mode) && !setting->is_folder);
    assert_true(st.st_mode & S_IROTH);
    assert_int_equal(strncmp(setting->at, path, strcspn(path, "*")), 0);
    assert_true(strcmp(setting->at, real) == 0 || strncmp(real, "/usr/", 5) == 0 || strncmp(real, "/etc/fpc-", 9) == 0);
    ++*(unsigned *)argument;
    return close(setting->fd);
}

/* As the library sees it. */
static unsigned count_by_hand(void)
{
    unsigned count = 0;
    struct stat st;

    for (unsigned row = 0; cage_settings_path(row); row++)
        count += !strchr(cage_settings_path(row), '*') && lstat(cage_settings_path(row), &st) == 0 &&
                 (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode));
    return count;
}

static void what_is_shown_is_for_everybody(void **state)
{
    unsigned count = 0;

    (void)state;
    assert_null(cage_settings_path(cage_settings_look(0, false, is_for_everybody, &count)));
    assert_true(count <= CAGE_SETTINGS_MAX);
    if (getuid() == 0 && access("/etc/services", R_OK) == 0)
        assert_true(count > 0 &&
                    count >= count_by_hand() / 2); /* somebody may have closed a few, or put them elsewhere */
}

static int takes_three(const struct cage_setting *setting, void *argument)
{
    (void)close(setting->fd);
    return ++*(unsigned *)argument > 3 ? -EMFILE : 0;
}

static void it_goes_on_where_it_stopped(void **state)
{
    unsigned all = 0, turns = 0, row = 0;

    (void)state;
    (void)cage_settings_look(0, false, is_for_everybody, &all);
    for (; cage_settings_path(row); turns++) {
        unsigned count = 0, before = row;
        row = cage_settings_look(row, false, takes_three, &count);
        assert_true(row >= before && turns <= all);
        row += row == before;
    }
    assert_true(turns >= all / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_shows_what_is_secret),
        cmocka_unit_test(what_is_shown_is_for_everybody),
        cmocka_unit_test(it_goes_on_where_it_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
