/* file.c - further files for the cage, from --input */

#include "base/cleanup.h"
#include "stage/name_untrusted.h"
#include "stage/read.h"
#include "stage/stage.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Where the last colon that no backslash makes a part of the name stands; NULL: there is none. */
static const char *dividing_colon(const char *spec)
{
    const char *found = NULL;

    for (const char *at = strchr(spec, ':'); at; at = strchr(at + 1, ':')) {
        size_t slashes = 0;
        while (at - slashes > spec && at[-1 - (ptrdiff_t)slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            found = at;
    }
    return found;
}

/* Copy [@from, @end), without the backslashes that stand before a colon for it, or for themselves. */
static int copy_name(const char *from, const char *end, char *to, size_t to_bytes)
{
    size_t used = 0;

    while (from < end) {
        size_t slashes = strspn(from, "\\"), kept;
        bool at_colon = from[slashes] == ':';
        if (from + slashes > end)
            slashes = (size_t)(end - from);
        kept = at_colon ? slashes / 2 : slashes;
        if (used + kept + 2 > to_bytes)
            return BASE_E_TOO_LARGE;
        memset(to + used, '\\', kept);
        used += kept;
        from += slashes;
        if (from < end)
            to[used++] = *from++;
    }
    to[used] = 0;
    return 0;
}

static bool is_there(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0;
}

struct spec {
    char from[4096], path[4096];
};

static int unescape(const char *text, const char *colon, struct spec *spec)
{
    int r = copy_name(text, colon ? colon : text + strlen(text), spec->from, sizeof(spec->from));

    if (r == 0 && colon)
        r = copy_name(colon + 1, text + strlen(text), spec->path, sizeof(spec->path));
    if (r == 0 && !colon)
        (void)snprintf(spec->path, sizeof(spec->path), "%s",
                       strrchr(spec->from, '/') ? strrchr(spec->from, '/') + 1 : spec->from);
    return r;
}

static int check_kind(const char *from, struct base_err *err)
{
    struct stat st;

    if (strcmp(from, "-") == 0)
        return base_err_set(err, BASE_E_USAGE, "--input", "standard input is the program's, which reads it as such");
    if (stat(from, &st) < 0 || !S_ISDIR(st.st_mode))
        return 0; /* what is wrong with it shows when it is read */
    (void)base_err_set(err, BASE_E_USAGE, from, "is a folder, and an input is one file in this version");
    return base_err_remedy(err, "give each file its --input FILE:PATH, or an archive of them");
}

/* "FILE:PATH", or "FILE" with its last part as PATH. A name that has a colon itself is taken for what is there. */
static int split_spec(const char *text, struct spec *spec, struct base_err *err)
{
    const char *colon = dividing_colon(text), *why;
    int r = unescape(text, colon, spec);

    if (r == 0 && colon && !is_there(spec->from) && is_there(text) && strlen(text) < sizeof(spec->from)) {
        (void)snprintf(spec->from, sizeof(spec->from), "%s", text);
        (void)snprintf(spec->path, sizeof(spec->path), "%s", strrchr(text, '/') ? strrchr(text, '/') + 1 : text);
    }
    if (r < 0 || !spec->from[0])
        return base_err_set(err, BASE_E_USAGE, "--input", "\"%s\" does not begin with a file's name", text);
    r = check_kind(spec->from, err);
    if (r < 0)
        return r;
    why = stage_name_path_fault(spec->path);
    if (!why)
        return 0;
    base_err_set(err, BASE_E_USAGE, "--input", "the path \"%s\" %s", spec->path, why);
    return base_err_remedy(err, "write FILE:PATH with a PATH like data/in.txt; a colon that is part of a name: \\:");
}

bool stage_file_is_stream(const char *text)
{
    struct spec spec = {0};

    return split_spec(text, &spec, NULL) >= 0 && stage_is_stream(spec.from);
}

int stage_file_load(const char *spec, uint64_t max_bytes, struct stage_file *ret_file, struct base_err *err)
{
    AUTO_BUF struct base_buf buf = {.max = max_bytes};
    struct stage_file file = {0};
    struct spec names = {0};
    struct stat st = {0};
    int r = split_spec(spec, &names, err);

    if (r >= 0)
        (void)stat(names.from, &st); /* what is not there is told by reading it */
    if (r >= 0)
        r = stage_read(names.from, max_bytes, &buf, err);
    if (r < 0)
        return r;
    file.mode = S_ISREG(st.st_mode) && st.st_mode & 0111 ? 0755 : 0644;
    memcpy(file.path, names.path, strlen(names.path) + 1); /* its length is checked */
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
        if (!program->is_command && clash(files[i].path, program->name))
            return base_err_set(err, BASE_E_USAGE, "--input", "the path \"%s\" is taken by the program \"%s\"",
                                files[i].path, program->name);
        for (size_t j = 0; j < i; j++)
            if (clash(files[i].path, files[j].path))
                return base_err_set(err, BASE_E_USAGE, "--input", "the paths \"%s\" and \"%s\" are in each other's way",
                                    files[j].path, files[i].path);
    }
    return 0;
}
