/* place.c - files of ours in folders of users: the one part that makes, replaces and removes them */
#include "base/place.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define LINKS_MAX        40
#define RECORD_MAX_BYTES (4u << 20)
#define NOBODY           65534u /* what an owner seems to be who has no id in our user namespace */
#define FOLDER_MODE      0755
#define FILE_MODE        0644

/* ---- who may write there --------------------------------------------------------------------------------------- */

/* In a user namespace without root, root's folders are nobody's, and so is the top of all; but so are those of
 * everybody else. */
static bool may_be_roots(const struct stat *st)
{
    struct stat top;

    return st->st_uid == NOBODY && geteuid() != NOBODY && stat("/", &top) == 0 && top.st_uid == NOBODY;
}

static bool is_ours(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

/* The next field of a line of /etc/passwd or /etc/group; "" after the last. */
static const char *next_field(char **rest)
{
    const char *field = strsep(rest, ":");

    return field ? field : "";
}

static bool is_number(const char *text, unsigned number)
{
    char wanted[16];

    (void)snprintf(wanted, sizeof(wanted), "%u", number);
    return strcmp(text, wanted) == 0;
}

/* Go through the lines of /etc/passwd: put our name into @ret_name ("" where we have none). False where another user
 * than we and root has @gid as his own group. */
static bool is_nobodys_own(gid_t gid, char *lines, char *ret_name, size_t name_bytes)
{
    bool alone = true;

    *ret_name = '\0';
    for (char *line; (line = strsep(&lines, "\n"));) {
        const char *name = next_field(&line), *uid, *group;

        (void)next_field(&line); /* the password */
        uid = next_field(&line);
        group = next_field(&line);
        if (is_number(uid, geteuid()))
            (void)snprintf(ret_name, name_bytes, "%s", name);
        else if (is_number(group, gid) && !is_number(uid, 0))
            alone = false;
    }
    return alone;
}

/* Whether the line of @gid in /etc/group is there, and has no members but @own and root. */
static bool has_no_others(gid_t gid, char *lines, const char *own)
{
    for (char *line; (line = strsep(&lines, "\n"));) {
        char *members;
        const char *number;

        (void)next_field(&line);
        (void)next_field(&line);
        number = next_field(&line);
        members = line;
        if (!is_number(number, gid))
            continue;
        for (const char *member; (member = strsep(&members, ","));)
            if (*member && strcmp(member, "root") != 0 && strcmp(member, own) != 0)
                return false;
        return true;
    }
    return false;
}

/* Many systems give each user a group of his own, and folders that it may write to. What this machine's files do not
 * know is taken for somebody else's. */
static bool is_group_ours_alone(gid_t gid)
{
    AUTO_BUF struct base_buf passwd = {0}, group = {0};
    char own[64];

    if (base_file_read("/etc/passwd", RECORD_MAX_BYTES, &passwd, NULL) < 0 ||
        base_file_read("/etc/group", RECORD_MAX_BYTES, &group, NULL) < 0 || !passwd.bytes || !group.bytes)
        return false;
    return is_nobodys_own(gid, passwd.bytes, own, sizeof(own)) && has_no_others(gid, group.bytes, own);
}

/* Where a list names users and groups, what seems to be the group's right is all of theirs. */
static bool has_list(int fd)
{
    char path[32];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return getxattr(path, "system.posix_acl_access", NULL, 0) >= 0 || (errno != ENODATA && errno != EOPNOTSUPP);
}

static bool may_others_write(int fd, const struct stat *st)
{
    if (st->st_mode & S_IWOTH)
        return true;
    return (st->st_mode & S_IWGRP) && (has_list(fd) || !is_group_ours_alone(st->st_gid));
}

/* ---- the way ---------------------------------------------------------------------------------------------------- */

struct walk {
    const char *path;
    unsigned flags;
    struct base_err *err;
    int fd;      /* where we are, judged */
    bool shared; /* others may make names there */
    unsigned links;
    char *rest; /* what is still to go, in text */
    char text[PATH_MAX];
};

/* Name a folder as the kernel does, or as the user did. */
static const char *name_of(int fd, const char *path, char *text, size_t text_bytes)
{
    char link[32];
    ssize_t count;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    count = readlink(link, text, text_bytes - 1);
    if (count <= 0 || *text != '/')
        return path;
    text[count] = '\0';
    return text;
}

/* The root's name ends with a slash already. */
static void join(char *text, size_t text_bytes, const char *folder, const char *name)
{
    (void)snprintf(text, text_bytes, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", name);
}

static int refuse_owner(int fd, const char *path, struct base_err *err)
{
    char text[PATH_MAX];

    (void)base_err_set(err, BASE_E_USAGE, name_of(fd, path, text, sizeof(text)),
                       "belongs to another user, so nothing is written there");
    return base_err_remedy(err, "give a folder of your own, or start as the user whose it is");
}

static int refuse_mode(int fd, const char *path, struct base_err *err)
{
    char text[PATH_MAX];
    const char *name = name_of(fd, path, text, sizeof(text));

    (void)base_err_set(err, BASE_E_USAGE, name, "is a folder that others may write to, so nothing is written there");
    return base_err_remedy(err, "chmod go-w it, or give a folder that only you may write to");
}

/* May we go through this folder, or, where it is the @last, write to it? */
static int judge(int fd, const char *path, unsigned flags, bool last, bool *ret_shared, struct base_err *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return base_err_sys(err, BASE_E_IO, errno, path, "cannot be looked at");
    *ret_shared = may_others_write(fd, &st);
    if (last && (flags & BASE_PLACE_OWN) && st.st_uid != geteuid())
        return refuse_owner(fd, path, err);
    if (!is_ours(&st) && ((last && !*ret_shared) || !may_be_roots(&st)))
        return refuse_owner(fd, path, err);
    if (*ret_shared && (!(st.st_mode & S_ISVTX) || (last && !(flags & BASE_PLACE_SHARED))))
        return refuse_mode(fd, path, err);
    return 0;
}

static int judge_here(struct walk *walk, bool last)
{
    return judge(walk->fd, walk->path, walk->flags, last, &walk->shared, walk->err);
}

static void move_to(struct walk *walk, int fd)
{
    (void)close(walk->fd);
    walk->fd = fd;
}

/* One step to a folder that is no link; mounts that come when they are asked for do. Returns a descriptor or -errno. */
static int step_into(int dir_fd, const char *name)
{
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    char below[NAME_MAX + 3];
    int fd;

    if (snprintf(below, sizeof(below), "%s/.", name) >= (int)sizeof(below))
        return -ENAMETOOLONG;
    fd = (int)syscall(SYS_openat2, dir_fd, below, &how, sizeof(how));
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* an older kernel, or a filter that knows only those */
        fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* The same; it is made where it is missing and that is asked for. Whoever was faster is looked at all the same. */
static int step_or_make(int dir_fd, const char *name, unsigned flags)
{
    int fd = step_into(dir_fd, name);

    if (fd != -ENOENT || !(flags & BASE_PLACE_MAKE))
        return fd;
    if (mkdirat(dir_fd, name, FOLDER_MODE) < 0 && errno != EEXIST)
        return -errno;
    return step_into(dir_fd, name);
}

/* What others made, or moved there, leads where they want. Also a link of ours may have got there by them, under
 * another name. */
static bool is_link_ours(const struct walk *walk, const struct stat *st)
{
    return walk->shared ? st->st_uid == geteuid() && st->st_nlink == 1 : is_ours(st) || may_be_roots(st);
}

static int refuse_link(const struct walk *walk, const char *name)
{
    char text[PATH_MAX], place[2 * PATH_MAX];

    join(place, sizeof(place), name_of(walk->fd, ".", text, sizeof(text)), name);
    (void)base_err_set(walk->err, BASE_E_USAGE, place, "is a link that another user may have put there");
    return base_err_remedy(walk->err, "remove it, or give the name of what it should lead to");
}

/* Links of /proc are no text: they lead to what is open somewhere. */
static bool is_in_proc(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Put what the link @name says before the rest of the way. 1; 0: it is no link; or an error. */
static int follow(struct walk *walk, const char *name)
{
    AUTO_CLOSE int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    char text[PATH_MAX], joined[PATH_MAX];
    struct stat st;
    ssize_t count;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISLNK(st.st_mode))
        return 0;
    if (!is_link_ours(walk, &st))
        return refuse_link(walk, name);
    count = readlinkat(fd, "", text, sizeof(text) - 1);
    if (count <= 0 || ++walk->links > LINKS_MAX)
        return base_err_sys(walk->err, BASE_E_IO, count < 0 ? errno : ELOOP, walk->path, "cannot be opened");
    text[count] = '\0';
    if (snprintf(joined, sizeof(joined), "%s%s%s", text, walk->rest ? "/" : "", walk->rest ? walk->rest : "") >=
        (int)sizeof(joined))
        return base_err_sys(walk->err, BASE_E_IO, ENAMETOOLONG, walk->path, "cannot be opened");
    memcpy(walk->text, joined, strlen(joined) + 1);
    walk->rest = walk->text;
    return 1;
}

/* Begin at the top, or in the current folder, for what is left of the way. */
static int start(struct walk *walk, bool fresh)
{
    int fd;

    if (!fresh && walk->rest[0] != '/')
        return 0;
    fd = open(walk->rest[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return base_err_sys(walk->err, BASE_E_IO, errno, walk->path, "cannot be opened");
    move_to(walk, fd);
    return judge_here(walk, false);
}

static int begin(struct walk *walk, const char *path)
{
    if (!*path || strlen(path) >= sizeof(walk->text))
        return base_err_sys(walk->err, BASE_E_IO, *path ? ENAMETOOLONG : ENOENT, path, "cannot be opened");
    memcpy(walk->text, path, strlen(path) + 1);
    walk->rest = walk->text;
    return start(walk, true);
}

/* The next name of the way, NULL at its end; walk->rest is then what comes after it, NULL for nothing. */
static char *next_name(struct walk *walk)
{
    char *name = walk->rest, *slash;

    while (name && *name == '/')
        name++;
    if (!name || !*name)
        return NULL;
    slash = strchr(name, '/');
    if (slash)
        *slash++ = '\0';
    walk->rest = slash;
    return name;
}

static int step_failed(const struct walk *walk, const char *name, int sys_errno)
{
    char text[PATH_MAX], place[2 * PATH_MAX];
    struct stat st;
    bool is_new = walk->flags & BASE_PLACE_MAKE && fstatat(walk->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0;

    join(place, sizeof(place), name_of(walk->fd, ".", text, sizeof(text)), name);
    if (sys_errno == ENOTDIR)
        return base_err_set(walk->err, BASE_E_IO, place, "is not a directory");
    return base_err_sys(walk->err, BASE_E_IO, sys_errno, place, is_new ? "cannot be made" : "cannot be opened");
}

/* Go on by one name: into a folder, or to where a link leads. */
static int go(struct walk *walk, const char *name)
{
    int fd = step_or_make(walk->fd, name, walk->flags), r;

    if (fd < 0) {
        r = follow(walk, name);
        if (r == 1)
            return start(walk, false);
        return r < 0 ? r : step_failed(walk, name, -fd);
    }
    move_to(walk, fd);
    return judge_here(walk, false);
}

static int go_all(struct walk *walk)
{
    int r = 0;

    for (char *name; r == 0 && (name = next_name(walk));)
        r = go(walk, name);
    return r;
}

/* A descriptor that can be listed and locked, of the folder where we are. */
static int arrive(struct walk *walk, int *ret_fd)
{
    int fd = openat(walk->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return base_err_sys(walk->err, BASE_E_IO, errno, walk->path, "cannot be opened");
    *ret_fd = fd;
    return 0;
}

static void walk_release(struct walk *walk)
{
    base_cleanup_close(&walk->fd);
}
#define AUTO_WALK CLEANUP(walk_release)

int base_place_folder(const char *path, unsigned flags, int *ret_fd, struct base_err *err)
{
    AUTO_WALK struct walk walk = {.path = path, .flags = flags, .err = err, .fd = -1};
    int r = begin(&walk, path);

    if (r == 0)
        r = go_all(&walk);
    if (r == 0)
        r = judge_here(&walk, true);
    return r < 0 ? r : arrive(&walk, ret_fd);
}

int base_place_folder_at(int dir_fd, const char *name, const char *path, unsigned flags, int *ret_fd,
                         struct base_err *err)
{
    AUTO_CLOSE int fd = step_or_make(dir_fd, name, flags);
    bool shared;
    int r;

    if (fd < 0)
        return base_err_sys(err, BASE_E_IO, -fd, path, "cannot be opened as a folder");
    r = judge(fd, path, flags, true, &shared, err);
    if (r < 0)
        return r;
    *ret_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *ret_fd < 0 ? base_err_sys(err, BASE_E_IO, errno, path, "cannot be opened") : 0;
}

int base_place_scratch(int dir_fd, const char *prefix, mode_t mode, char *ret_name, size_t name_bytes,
                       struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    char random[17];
    int r = base_random_hex(random, sizeof(random) - 1, err);

    if (r < 0)
        return r;
    (void)snprintf(ret_name, name_bytes, "%s%s", prefix, random);
    if (mkdirat(dir_fd, ret_name, 0700) < 0)
        return base_err_sys(err, BASE_E_IO, errno, ret_name, "cannot be made");
    fd = openat(dir_fd, ret_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fchmod(fd, mode) < 0)
        return base_err_sys(err, BASE_E_IO, errno, ret_name, "cannot be made");
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* What is there under the name of a file of ours: nothing, or a regular file that may be replaced. */
static int check_target(int dir_fd, const char *name, bool shared, const char *path, struct base_err *err)
{
    struct stat st;

    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : base_err_sys(err, BASE_E_IO, errno, path, "cannot be looked at");
    if (!S_ISREG(st.st_mode))
        return base_file_not_regular(path, st.st_mode, err);
    if (shared && st.st_uid != geteuid()) {
        (void)base_err_set(err, BASE_E_USAGE, path, "is another user's file");
        return base_err_remedy(err, "give another name, or a folder of your own");
    }
    return 0;
}

/* Go as far as the folder of the last name, to where it leads where it is a link. */
static int go_to_file(struct walk *walk, char ret_name[NAME_MAX + 1])
{
    int r = 0;

    for (char *name; r >= 0 && (name = next_name(walk));) {
        bool last = !walk->rest;

        if (last && strlen(name) <= NAME_MAX && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            memcpy(ret_name, name, strlen(name) + 1);
            r = is_in_proc(walk->fd) ? 0 : follow(walk, ret_name);
            if (r == 0)
                return 0;
            if (r == 1)
                r = start(walk, false);
            continue;
        }
        r = go(walk, name);
    }
    return r < 0 ? r : base_err_set(walk->err, BASE_E_INVALID, walk->path, "is a directory, not a regular file");
}

int base_place_find(const char *path, struct base_place *ret_place, struct base_err *err)
{
    AUTO_WALK struct walk walk = {.path = path, .flags = BASE_PLACE_SHARED, .err = err, .fd = -1};
    int r = begin(&walk, path);

    if (r == 0)
        r = go_to_file(&walk, ret_place->name);
    if (r == 0)
        r = judge_here(&walk, true);
    if (r == 0)
        r = check_target(walk.fd, ret_place->name, walk.shared, path, err);
    if (r < 0)
        return r;
    ret_place->shared = walk.shared;
    ret_place->dir_fd = TAKE_FD(walk.fd);
    return 0;
}

int base_place_check(const char *path, struct base_err *err)
{
    AUTO_PLACE struct base_place place = {.dir_fd = -1};
    int r = base_place_find(path, &place, err);

    if (r == BASE_E_IO && err && err->sys_errno == ENOENT)
        (void)base_err_remedy(err, "make it first: mkdir -p %s", err->place);
    if (r < 0)
        return r;
    if (faccessat(place.dir_fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return base_err_sys(err, BASE_E_IO, errno, path, "cannot be written");
    return 0;
}

static int write_new(int dir_fd, const char *name, const char *path, const void *bytes, size_t count,
                     struct base_err *err)
{
    AUTO_CLOSE int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    int r;

    if (fd < 0)
        return base_err_sys(err, BASE_E_IO, errno, path, "cannot be written");
    r = base_file_write_all(fd, bytes, count, path, err);
    if (r == 0 && fsync(fd) < 0)
        r = base_err_sys(err, BASE_E_IO, errno, path, "cannot be written");
    if (r < 0)
        (void)unlinkat(dir_fd, name, 0); /* the write's error is the one to tell */
    return r;
}

static int replace(int dir_fd, const char *name, bool shared, const char *path, const void *bytes, size_t count,
                   struct base_err *err)
{
    char temporary[NAME_MAX + 1], random[17];
    int r = check_target(dir_fd, name, shared, path, err);

    if (r == 0)
        r = base_random_hex(random, sizeof(random) - 1, err);
    if (r < 0)
        return r;
    (void)snprintf(temporary, sizeof(temporary), "%.200s.%s.tmp", name, random);
    r = write_new(dir_fd, temporary, path, bytes, count, err);
    if (r == 0 && renameat(dir_fd, temporary, dir_fd, name) < 0) {
        r = base_err_sys(err, BASE_E_IO, errno, path, "cannot be written");
        (void)unlinkat(dir_fd, temporary, 0);
    }
    return r;
}

int base_place_replace(const char *path, const void *bytes, size_t count, struct base_err *err)
{
    AUTO_PLACE struct base_place place = {.dir_fd = -1};
    int r = base_place_find(path, &place, err);

    return r < 0 ? r : replace(place.dir_fd, place.name, place.shared, path, bytes, count, err);
}

int base_place_replace_at(int dir_fd, const char *name, const char *path, const void *bytes, size_t count,
                          struct base_err *err)
{
    return replace(dir_fd, name, false, path, bytes, count, err);
}

int base_place_open_at(int dir_fd, const char *name, int flags, mode_t mode)
{
    AUTO_CLOSE int fd = openat(dir_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
        return -ESTALE;
    return TAKE_FD(fd);
}

bool base_place_is_still(int fd, int dir_fd, const char *name)
{
    struct stat held, there;

    return fstat(fd, &held) == 0 && fstatat(dir_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

int base_place_remove(const char *path, struct base_err *err)
{
    AUTO_WALK struct walk walk = {.path = path, .flags = BASE_PLACE_SHARED, .err = err, .fd = -1};
    char name[NAME_MAX + 1];
    int r = begin(&walk, path);

    if (r == 0)
        r = go_to_file(&walk, name);
    if (r < 0)
        return r;
    if (unlinkat(walk.fd, name, 0) < 0 && errno != ENOENT)
        return base_err_sys(err, BASE_E_IO, errno, path, "cannot be removed");
    return 0;
}
