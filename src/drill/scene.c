/* scene.c - what is staged outside the cage for one attack: the table of kinds */
#include "drill/scene.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/place.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Kinds without a row stage nothing outside: they change how the supervisor is started or ended. */
static const struct drill_kind *const kinds[DRILL_OUTSIDE_MAX] = {
    [DRILL_SECRET_FILE] = &drill_kind_secret_file,
    [DRILL_GUARDED_FILE] = &drill_kind_guarded_file,
    [DRILL_GUARDED_DIR] = &drill_kind_guarded_dir,
    [DRILL_TCP4] = &drill_kind_tcp4,
    [DRILL_TCP6] = &drill_kind_tcp6,
    [DRILL_UDP4] = &drill_kind_udp4,
    [DRILL_UNIX_PATH] = &drill_kind_unix_path,
    [DRILL_UNIX_ABSTRACT] = &drill_kind_unix_abstract,
    [DRILL_VICTIM] = &drill_kind_victim,
    [DRILL_SYSV_SHM] = &drill_kind_sysv_shm,
    [DRILL_POSIX_SHM] = &drill_kind_posix_shm,
    [DRILL_POSIX_MQUEUE] = &drill_kind_posix_mqueue,
    [DRILL_TERMINAL] = &drill_kind_terminal,
    [DRILL_OPEN_FILE] = &drill_kind_open_file,
};

void drill_fault(struct drill_words *faults, const char *fmt, ...)
{
    char text[300];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    (void)drill_words_add(faults, text); /* the first ones tell enough */
}

const char *drill_secret(const struct drill_scene *scene, char *text, size_t text_bytes)
{
    (void)snprintf(text, text_bytes, "secret %s of this drill\n", scene->nonce);
    return text;
}

static int write_tag(const struct drill_scene *scene, struct base_err *err)
{
    char path[DRILL_PATH_BYTES + 16];

    (void)snprintf(path, sizeof(path), "%s/" DRILL_TAG_FILE, scene->top);
    return base_place_replace(path, scene->tag, DRILL_TAG_CHARS, err);
}

void drill_scene_clear(const char *top)
{
    char path[DRILL_PATH_BYTES + 16], tag[DRILL_TAG_CHARS + 2];

    (void)snprintf(path, sizeof(path), "%s/" DRILL_TAG_FILE, top);
    if (base_file_read_start(AT_FDCWD, path, tag, sizeof(tag)) == 0 &&
        strspn(tag, "0123456789abcdef") == DRILL_TAG_CHARS && tag[DRILL_TAG_CHARS] == '\0')
        drill_ipc_clear(tag);
    drill_folder_remove(top);
}

static int prepare(struct drill_scene *scene, struct base_err *err)
{
    static const struct {
        const char *name;
        unsigned mode;
    } folders[] = {{DRILL_OPEN_DIR, 0755}, {DRILL_NOTE_DIR, 0700}, {DRILL_WORK_DIR, 0700}};

    int r = base_random_hex(scene->nonce, DRILL_NONCE_CHARS, err);
    if (r == 0)
        r = base_random_hex(scene->tag, DRILL_TAG_CHARS, err);
    if (r == 0)
        r = write_tag(scene, err);
    for (size_t i = 0; i < ARRAY_COUNT(folders) && r == 0; i++)
        r = drill_folder_fresh(scene->top, folders[i].name, folders[i].mode, err);
    return r;
}

int drill_scene_make(const struct drill_expect *expect, const char *top, struct drill_scene *ret_scene,
                     struct base_err *err)
{
    AUTO_SCENE struct drill_scene scene = {.expect = expect, .terminal_fd = -1, .folder_fd = -1, .shm_id = -1};
    int r;

    (void)snprintf(scene.top, sizeof(scene.top), "%s", top);
    (void)snprintf(scene.pace, sizeof(scene.pace), "%u", expect->pace);
    if (snprintf(scene.dir, sizeof(scene.dir), "%s/" DRILL_OPEN_DIR, top) >= (int)sizeof(scene.dir))
        return base_err_set(err, BASE_E_INTERNAL, top, "is too long a path");
    for (int kind = 0; kind < DRILL_OUTSIDE_MAX; kind++)
        scene.fds[kind] = -1;
    r = prepare(&scene, err);
    for (int kind = 0; kind < DRILL_OUTSIDE_MAX && r == 0; kind++) {
        if (!(expect->outside & DRILL_BIT(kind)) || !kinds[kind])
            continue;
        scene.made |= DRILL_BIT(kind); /* also half of it is to be removed */
        r = kinds[kind]->make(&scene, err);
    }
    if (r < 0)
        return r;
    *ret_scene = scene;
    scene = (struct drill_scene){0}; /* given away */
    return 0;
}

/* Nothing may appear in the row's folder that was not staged there. */
static void check_folder(struct drill_scene *scene, struct drill_words *faults)
{
    static const enum drill_outside named[] = {DRILL_SECRET_FILE, DRILL_GUARDED_FILE, DRILL_GUARDED_DIR,
                                               DRILL_UNIX_PATH};
    DIR *dir = opendir(scene->dir);
    struct dirent *entry;

    if (!dir) {
        drill_fault(faults, "the folder that was staged is gone");
        return;
    }
    while ((entry = readdir(dir))) {
        bool known = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        for (size_t i = 0; i < ARRAY_COUNT(named); i++) {
            const char *name = strrchr(scene->words[named[i]], '/');
            known = known || (name && strcmp(name + 1, entry->d_name) == 0);
        }
        if (known)
            continue;
        drill_fault(faults, "%.64s appeared outside", entry->d_name);
        scene->strays++;
    }
    (void)closedir(dir);
}

void drill_scene_check(struct drill_scene *scene, struct drill_words *faults)
{
    scene->strays = 0;
    for (int kind = 0; kind < DRILL_OUTSIDE_MAX; kind++)
        if ((scene->made & DRILL_BIT(kind)) && kinds[kind]->check)
            kinds[kind]->check(scene, faults);
    check_folder(scene, faults);
}

void drill_scene_release(struct drill_scene *scene)
{
    for (int kind = 0; kind < DRILL_OUTSIDE_MAX; kind++) {
        if (!(scene->made & DRILL_BIT(kind)))
            continue;
        if (kinds[kind]->remove)
            kinds[kind]->remove(scene);
        base_cleanup_close(&scene->fds[kind]);
    }
    base_buf_release(&scene->typed);
    scene->made = 0;
}

static const char *value_of(const struct drill_scene *scene, const char *name, size_t length)
{
    const struct drill_placeholder *known = drill_placeholder_find(name, length);

    if (!known)
        return NULL;
    if (known->needs != DRILL_OUTSIDE_MAX)
        return scene->words[known->needs];
    if (strcmp(known->name, "pace") == 0)
        return scene->pace;
    return strcmp(known->name, "nonce") == 0 ? scene->nonce : scene->dir;
}

char *drill_scene_fill(const struct drill_scene *scene, const char *text)
{
    AUTO_BUF struct base_buf filled = {0};
    int r = base_buf_text(&filled, "");

    while (*text && r == 0) {
        size_t length = drill_placeholder_at(text);
        const char *value = length ? value_of(scene, text + 1, length - 2) : NULL;

        r = value ? base_buf_text(&filled, value) : base_buf_append(&filled, text, 1);
        text += value ? length : 1;
    }
    return r < 0 ? NULL : TAKE_PTR(filled.bytes);
}
