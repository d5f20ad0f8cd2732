/* folder.c - candidates that are files named after their tasks: ID.EXT, with '_' for each '/' of the id
 *
 * A task whose id was a number in the file of tasks is "MBPP/2" here; its candidate may be 2.EXT too.
 */

#include "base/cleanup.h"
#include "eval/candidate.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int no_memory(const char *place, struct base_err *err)
{
    return base_err_set(err, BASE_E_NOMEM, place, "out of memory");
}

static void close_dir(DIR **dir)
{
    if (*dir)
        (void)closedir(*dir); /* it was only read */
}

static const char prefix[] = "MBPP/";

static bool has_bare_name(const char *id)
{
    const char *number = id + strlen(prefix);

    return strncmp(id, prefix, strlen(prefix)) == 0 && *number && strspn(number, "0123456789") == strlen(number);
}

char *eval_folder_name(const char *id, bool bare)
{
    char *name = bare && !has_bare_name(id) ? NULL : strdup(bare ? id + strlen(prefix) : id);

    for (char *c = name; c && *c; c++)
        if (*c == '/')
            *c = '_';
    return name;
}

/* Second names, where no task has them as its first. */
static int add_bare_names(const struct eval_tasks *tasks, json_t *names)
{
    for (size_t i = 0; i < tasks->count; i++) {
        const char *id = tasks->items[i].id;
        AUTO_FREE char *name = eval_folder_name(id, true);

        if (!name && has_bare_name(id))
            return BASE_E_NOMEM;
        if (name && !json_object_get(names, name) && json_object_set_new(names, name, json_integer((json_int_t)i)) < 0)
            return BASE_E_NOMEM;
    }
    return 0;
}

/* "py, js, ..." */
static void list_extensions(char *text, size_t text_bytes)
{
    size_t used = 0;

    *text = '\0';
    for (unsigned i = 0; stage_runtime_name(i); i++) {
        const struct stage_runtime *runtime;

        if (stage_runtime_find(stage_runtime_name(i), &runtime, NULL) < 0)
            continue;
        for (size_t j = 0; j < runtime->extension_count && used < text_bytes; j++)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used ? ", " : "", runtime->extensions[j]);
    }
}

static int refuse_extension(const struct eval_folder *folder, const char *name, struct base_err *err)
{
    char place[PATH_MAX], known[200];

    (void)snprintf(place, sizeof(place), "%s/%s", folder->path, name);
    list_extensions(known, sizeof(known));
    (void)base_err_set(err, BASE_E_INVALID, place, "its extension names no runtime");
    return base_err_remedy(err, "known are %s", known);
}

static bool is_folder(const struct eval_folder *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    return snprintf(path, sizeof(path), "%s/%s", folder->path, name) < (int)sizeof(path) && lstat(path, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

static int refuse_folder(const struct eval_folder *folder, const char *name, struct base_err *err)
{
    char place[PATH_MAX];

    (void)snprintf(place, sizeof(place), "%s/%s", folder->path, name);
    (void)base_err_set(err, BASE_E_INVALID, place, "is a folder; a candidate is a file ID.EXT");
    return base_err_remedy(err, "put the files of a task side by side, as ID.py and ID.js, or use lines of JSON");
}

/* File name without extension -> index of the task. */
static int index_names(const struct eval_tasks *tasks, const char *path, json_t **ret_names, struct base_err *err)
{
    json_t *names = json_object();

    for (size_t i = 0; names && i < tasks->count; i++) {
        AUTO_FREE char *name = eval_folder_name(tasks->items[i].id, false);
        const json_t *other = NULL;

        if (name)
            other = json_object_get(names, name);
        if (other) {
            json_decref(names);
            return base_err_set(err, BASE_E_INVALID, path, "the ids \"%s\" and another one both stand for the file %s",
                                tasks->items[i].id, name);
        }
        if (!name || json_object_set_new(names, name, json_integer((json_int_t)i)) < 0) {
            json_decref(names);
            names = NULL;
        }
    }
    if (!names || add_bare_names(tasks, names) < 0) {
        json_decref(names);
        return no_memory(path, err);
    }
    *ret_names = names;
    return 0;
}

static int keep_file(struct eval_folder *folder, size_t task, const struct stage_runtime *runtime, const char *name,
                     struct base_err *err)
{
    if (folder->count == folder->capacity) {
        size_t capacity = folder->capacity ? 2 * folder->capacity : 64;
        struct eval_file *files = reallocarray(folder->files, capacity, sizeof(*files));
        if (!files)
            return no_memory(folder->path, err);
        folder->files = files;
        folder->capacity = capacity;
    }
    folder->files[folder->count] = (struct eval_file){task, runtime, strdup(name)};
    return folder->files[folder->count++].name ? 0 : no_memory(folder->path, err);
}

static int take_entry(struct eval_folder *folder, const struct eval_tasks *tasks, const json_t *names, const char *name,
                      struct base_err *err)
{
    const char *dot = strrchr(name, '.');
    char stem[NAME_MAX + 1];
    const json_t *index;
    const struct stage_runtime *runtime = NULL;
    int r = 0;

    (void)snprintf(stem, sizeof(stem), "%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    index = json_object_get(names, stem);
    if (!index) {
        if (folder->unknown++ == 0)
            (void)snprintf(folder->example, sizeof(folder->example), "%.58s%s", name,
                           is_folder(folder, name) ? "/" : "");
        return 0;
    }
    if (!tasks->items[json_integer_value(index)].chosen)
        return 0;
    if (is_folder(folder, name))
        return refuse_folder(folder, name, err);
    if (dot)
        r = stage_runtime_by_extension(dot + 1, &runtime, err);
    if (r < 0)
        return r;
    if (!runtime)
        return refuse_extension(folder, name, err);
    return keep_file(folder, (size_t)json_integer_value(index), runtime, name, err);
}

static int compare(const void *a, const void *b)
{
    const struct eval_file *left = a, *right = b;

    if (left->task != right->task)
        return left->task < right->task ? -1 : 1;
    return strcmp(left->name, right->name);
}

static int list(struct eval_folder *folder, const struct eval_tasks *tasks, const json_t *names, struct base_err *err)
{
    CLEANUP(close_dir) DIR *dir = opendir(folder->path);
    struct dirent *entry;
    int r = 0;

    if (!dir)
        return base_err_sys(err, BASE_E_INVALID, errno, folder->path, "the folder of candidates cannot be read");
    for (errno = 0; r >= 0 && (entry = readdir(dir)); errno = 0)
        if (entry->d_name[0] != '.')
            r = take_entry(folder, tasks, names, entry->d_name, err);
    if (r >= 0 && errno != 0)
        return base_err_sys(err, BASE_E_IO, errno, folder->path, "the folder of candidates cannot be read");
    if (r >= 0 && folder->count > 1)
        qsort(folder->files, folder->count, sizeof(*folder->files), compare);
    return r;
}

int eval_folder_list(const char *path, const struct eval_tasks *tasks, struct eval_folder *ret_folder,
                     struct base_err *err)
{
    struct eval_folder folder = {.path = strdup(path)};
    json_t *names = NULL;
    int r = folder.path ? index_names(tasks, path, &names, err) : no_memory(path, err);

    if (r >= 0)
        r = list(&folder, tasks, names, err);
    json_decref(names);
    if (r < 0) {
        eval_folder_release(&folder);
        return r;
    }
    *ret_folder = folder;
    return 0;
}

void eval_folder_release(struct eval_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->files[i].name);
    free(folder->files);
    free(folder->path);
    *folder = (struct eval_folder){0};
}
