/* file.c - further files for the cage, from --input */

#include "base/file.h"
#include "base/cleanup.h"
#include "stage/name_untrusted.h"
#include "stage/stage.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Split "FILE:PATH" at its last colon; without one, PATH is FILE's last part. @from gets FILE. */
static int split_spec(const char *spec, char *from, size_t from_bytes, const char **ret_path, struct base_err *err)
{
    const char *colon = strrchr(spec, ':');
    size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
    const char *why;

    if (length == 0 || length >= from_bytes)
        return base_err_set(err, BASE_E_USAGE, "--input", "\"%s\" does not begin with a file's name", spec);
    memcpy(from, spec, length);
    from[length] = 0;
    *ret_path = colon ? colon + 1 : strrchr(from, '/') ? strrchr(from, '/') + 1 : from;
    why = stage_name_path_fault(*ret_path);
    if (!why)
        return 0;
    base_err_set(err, BASE_E_USAGE, "--input", "the path \"%s\" %s", *ret_path, why);
    return base_err_remedy(err, "write FILE:PATH with a PATH like data/in.txt");
}

int stage_file_load(const char *spec, uint64_t max_bytes, struct stage_file *ret_file, struct base_err *err)
{
    AUTO_BUF struct base_buf buf = {.max = max_bytes};
    struct stage_file file = {0};
    char from[4096];
    const char *path = "";
    struct stat st;
    int r = split_spec(spec, from, sizeof(from), &path, err);

    if (r >= 0)
        r = base_file_read(from, max_bytes, &buf, err);
    if (r < 0)
        return r;
    if (stat(from, &st) < 0)
        return base_err_sys(err, BASE_E_IO, errno, from, "cannot be looked at");
    file.mode = st.st_mode & 0111 ? 0755 : 0644;
    memcpy(file.path, path, strlen(path) + 1); /* its length is checked */
    file.count = buf.count;
    file.bytes = buf.count ? buf.bytes : "";
    base_hash_bytes_hex(file.bytes, file.count, file.sha256);
    file.owned = buf; /* moved */
    buf = (struct base_buf){0};
    *ret_file = file;
    return 0;
}

int stage_file_from_bytes(const char *path, const void *bytes, size_t count, uint32_t mode, struct stage_file *ret_file,
                          struct base_err *err)
{
    struct stage_file file = {.bytes = count ? bytes : "", .count = count, .mode = mode};
    const char *why = stage_name_path_fault(path);

    if (why)
        return base_err_set(err, BASE_E_USAGE, "input file", "the path \"%.200s\" %s", path, why);
    memcpy(file.path, path, strlen(path) + 1); /* its length is checked */
    base_hash_bytes_hex(file.bytes, count, file.sha256);
    *ret_file = file;
    return 0;
}

void stage_file_release(struct stage_file *file)
{
    base_buf_release(&file->owned);
    file->bytes = NULL;
    file->count = 0;
}

/* The same path, or one is a folder that the other lies in. */
static bool clash(const char *a, const char *b)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    size_t shorter = length_a < length_b ? length_a : length_b;
    char after = length_a < length_b ? b[shorter] : a[shorter];

    return memcmp(a, b, shorter) == 0 && (after == 0 || after == '/');
}

int stage_files_check(const struct stage_program *program, const struct stage_file *files, size_t count,
                      struct base_err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (clash(files[i].path, program->name))
            return base_err_set(err, BASE_E_USAGE, "--input", "the path \"%s\" is taken by the program \"%s\"",
                                files[i].path, program->name);
        for (size_t j = 0; j < i; j++)
            if (clash(files[i].path, files[j].path))
                return base_err_set(err, BASE_E_USAGE, "--input", "the paths \"%s\" and \"%s\" are in each other's way",
                                    files[j].path, files[i].path);
    }
    return 0;
}
