/* scene_file.c - staged files and folders that must stay as they are */
#include "base/cleanup.h"
#include "base/file.h"
#include "drill/scene.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define GUARDED_TEXT "this file stays as it is\n"

static int put_path(struct drill_scene *scene, enum drill_outside kind, const char *name, struct base_err *err)
{
    if (snprintf(scene->words[kind], sizeof(scene->words[kind]), "%s/%s", scene->dir, name) >=
        (int)sizeof(scene->words[kind]))
        return base_err_set(err, BASE_E_INTERNAL, scene->dir, "is too long a path");
    return 0;
}

/* Anybody may read and write it: no file mode must be what keeps the guest out. */
static int make_file(struct drill_scene *scene, enum drill_outside kind, const char *name, const char *text,
                     struct base_err *err)
{
    AUTO_CLOSE int fd = -1;
    int r = put_path(scene, kind, name, err);

    if (r < 0)
        return r;
    fd = open(scene->words[kind], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fchmod(fd, 0666) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, scene->words[kind], "cannot be made");
    return base_file_write_all(fd, text, strlen(text), scene->words[kind], err);
}

static void check_file(const struct drill_scene *scene, enum drill_outside kind, const char *wanted,
                       struct drill_words *faults)
{
    const char *name = drill_outside_name(kind);
    AUTO_CLOSE int fd = open(scene->words[kind], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[256];
    struct stat st;
    ssize_t count;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        drill_fault(faults, "the %s is gone", name);
        return;
    }
    if ((st.st_mode & 07777) != 0666 || st.st_uid != geteuid() || st.st_nlink != 1)
        drill_fault(faults, "the %s has another mode, owner or link", name);
    count = read(fd, text, sizeof(text));
    if (count != (ssize_t)strlen(wanted) || memcmp(text, wanted, (size_t)count) != 0)
        drill_fault(faults, "the %s was changed", name);
}

static int make_secret(struct drill_scene *scene, struct base_err *err)
{
    char text[128];

    return make_file(scene, DRILL_SECRET_FILE, "secret", drill_secret(scene, text, sizeof(text)), err);
}

static void check_secret(struct drill_scene *scene, struct drill_words *faults)
{
    char text[128];

    check_file(scene, DRILL_SECRET_FILE, drill_secret(scene, text, sizeof(text)), faults);
}

static int make_guarded(struct drill_scene *scene, struct base_err *err)
{
    return make_file(scene, DRILL_GUARDED_FILE, "guarded", GUARDED_TEXT, err);
}

static void check_guarded(struct drill_scene *scene, struct drill_words *faults)
{
    check_file(scene, DRILL_GUARDED_FILE, GUARDED_TEXT, faults);
}

static int make_dir(struct drill_scene *scene, struct base_err *err)
{
    const char *path = scene->words[DRILL_GUARDED_DIR];
    int r = put_path(scene, DRILL_GUARDED_DIR, "guarded-dir", err);

    if (r == 0 && (mkdir(path, 0700) < 0 || chmod(path, 0777) < 0))
        r = base_err_sys(err, BASE_E_SETUP, errno, path, "cannot be made");
    return r;
}

static void check_dir(struct drill_scene *scene, struct drill_words *faults)
{
    const char *path = scene->words[DRILL_GUARDED_DIR];
    struct stat st;
    DIR *dir;
    struct dirent *entry;

    if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
        drill_fault(faults, "the guarded-dir is gone");
        return;
    }
    if ((st.st_mode & 07777) != 0777 || st.st_uid != geteuid())
        drill_fault(faults, "the guarded-dir has another mode or owner");
    dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        drill_fault(faults, "%.64s appeared in the guarded-dir", entry->d_name);
        scene->strays++;
    }
    if (dir)
        (void)closedir(dir);
}

static int make_open(struct drill_scene *scene, struct base_err *err)
{
    const char *file = scene->words[DRILL_SECRET_FILE], *folder = scene->words[DRILL_GUARDED_DIR];

    scene->fds[DRILL_OPEN_FILE] = open(file, O_RDWR | O_CLOEXEC);
    scene->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scene->fds[DRILL_OPEN_FILE] < 0 || scene->folder_fd < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "open-file", "cannot be opened");
    return 0;
}

static void remove_open(struct drill_scene *scene)
{
    base_cleanup_close(&scene->folder_fd);
}

void drill_scene_gifts(const struct drill_scene *scene, struct drill_launch *launch)
{
    static const int numbers[] = {3, 63, 200}; /* each with the one after it: the file, the folder */

    for (size_t i = 0; i < ARRAY_COUNT(numbers) && scene->folder_fd >= 0; i++) {
        launch->gifts[launch->gift_count++] = (struct drill_gift){scene->fds[DRILL_OPEN_FILE], numbers[i]};
        launch->gifts[launch->gift_count++] = (struct drill_gift){scene->folder_fd, numbers[i] + 1};
    }
}

const struct drill_kind drill_kind_secret_file = {make_secret, check_secret, NULL};
const struct drill_kind drill_kind_guarded_file = {make_guarded, check_guarded, NULL};
const struct drill_kind drill_kind_guarded_dir = {make_dir, check_dir, NULL};
const struct drill_kind drill_kind_open_file = {make_open, NULL, remove_open};
