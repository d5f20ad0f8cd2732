/* support.h - cmocka with what it needs, a temporary folder, small files */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make a new folder and go into it: tests then use short relative names. */
static inline int support_enter(void **state)
{
    char *folder = strdup("/tmp/fumehood-unit-XXXXXX");

    if (!folder || !mkdtemp(folder) || chdir(folder) < 0)
        return -1;
    *state = folder;
    return 0;
}

static inline int support_remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline int support_leave(void **state)
{
    int r = chdir("/") < 0 ? -1 : nftw(*state, support_remove_one, 8, FTW_DEPTH | FTW_PHYS);

    free(*state);
    return r;
}

static inline void support_write(const char *path, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), (ssize_t)count);
    assert_int_equal(close(fd), 0);
}

static inline void support_write_text(const char *path, const char *text)
{
    support_write(path, text, strlen(text));
}

static inline void support_read(const char *path, char *text, size_t text_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    assert_true(fd >= 0);
    got = read(fd, text, text_bytes - 1);
    assert_true(got >= 0);
    text[got] = '\0';
    assert_int_equal(close(fd), 0);
}

/* Files and folders in @path, without . and .. */
static inline int support_count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    assert_int_equal(closedir(dir), 0);
    return count;
}
