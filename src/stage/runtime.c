/* runtime.c - the runtimes that the program carries, read when first needed
 *
 * A run of a native program reads none of them.
 */

#include "base/argv.h"
#include "base/cleanup.h"
#include "base/embedded.h"
#include "stage/runtime_file.h"
#include "stage/runtime_table.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const struct base_embedded stage_runtime_files[]; /* made by the build from runtimes/ */

#define RUNTIMES_MAX 16

static char program_place[] = "{program}";

const struct stage_runtime stage_runtime_native = {
    .name = "native",
    .command = {program_place},
    .command_count = 1,
};

static struct stage_runtime parsed[RUNTIMES_MAX]; /* by index of stage_runtime_files; no name: not read yet */

/* Length of "python" in "python.yaml". */
static size_t stem_length(const struct base_embedded *file)
{
    return strcspn(file->name, ".");
}

static unsigned file_count(void)
{
    unsigned count = 0;
    while (count < RUNTIMES_MAX && stage_runtime_files[count].name)
        count++;
    return count;
}

static int load(unsigned index, const struct stage_runtime **ret_runtime, struct base_err *err)
{
    const struct base_embedded *file = &stage_runtime_files[index];
    struct stage_runtime *runtime = &parsed[index];

    if (!runtime->name[0]) {
        struct stage_runtime fresh;
        int r = stage_runtime_parse((const char *)file->bytes, file->count, file->name, &fresh, err);
        if (r < 0)
            return r;
        *runtime = fresh;
    }
    *ret_runtime = runtime;
    return 0;
}

const char *stage_runtime_name(unsigned index)
{
    static char names[RUNTIMES_MAX][sizeof(parsed[0].name)];
    unsigned count = file_count();

    if (index > count)
        return NULL;
    if (index == count)
        return stage_runtime_native.name;
    (void)snprintf(names[index], sizeof(names[index]), "%.*s", (int)stem_length(&stage_runtime_files[index]),
                   stage_runtime_files[index].name);
    return names[index];
}

const char *stage_runtime_names(char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = 0;
    for (unsigned i = 0; stage_runtime_name(i) && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i ? ", " : "", stage_runtime_name(i));
    return text;
}

/* Whether a declaration has the word at all. To read one as YAML takes a cold run as long as all else that is done for
 * its program. */
static bool mentions(const struct base_embedded *file, const char *word)
{
    const char *at = (const char *)file->bytes, *end = at + file->count;
    size_t length = strlen(word);

    for (; (at = memmem(at, (size_t)(end - at), word, length)); at++)
        if ((at == (const char *)file->bytes || !isalnum((unsigned char)at[-1])) &&
            (at + length == end || !isalnum((unsigned char)at[length])))
            return true;
    return false;
}

typedef bool (*match_fn)(const struct stage_runtime *runtime, const char *word);

static int seek(match_fn match, const char *word, const struct stage_runtime **ret_runtime, struct base_err *err)
{
    unsigned count = file_count();

    *ret_runtime = NULL;
    for (unsigned i = 0; i < count; i++) {
        const struct stage_runtime *runtime;
        int r;
        if (!mentions(&stage_runtime_files[i], word))
            continue;
        r = load(i, &runtime, err);
        if (r < 0)
            return r;
        if (match(runtime, word)) {
            *ret_runtime = runtime;
            break;
        }
    }
    return 0;
}

static bool has_word(char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static bool match_extension(const struct stage_runtime *runtime, const char *word)
{
    return has_word(runtime->extensions, runtime->extension_count, word);
}

static bool match_interpreter(const struct stage_runtime *runtime, const char *word)
{
    return has_word(runtime->interpreters, runtime->interpreter_count, word);
}

int stage_runtime_by_extension(const char *extension, const struct stage_runtime **ret_runtime, struct base_err *err)
{
    return seek(match_extension, extension, ret_runtime, err);
}

int stage_runtime_by_interpreter(const char *interpreter, const struct stage_runtime **ret_runtime,
                                 struct base_err *err)
{
    char stem[64];
    size_t length = strlen(interpreter);
    int r = seek(match_interpreter, interpreter, ret_runtime, err);

    if (r < 0 || *ret_runtime || length >= sizeof(stem))
        return r;
    while (length > 0 && strchr("0123456789.", interpreter[length - 1]))
        length--; /* "python3.11", "perl5.36.0" */
    memcpy(stem, interpreter, length);
    stem[length] = 0;
    return seek(match_interpreter, stem, ret_runtime, err);
}

/* What its program, its files or its language are called is plain enough: python3, js, shell. */
static int find_by_other_name(const char *name, const struct stage_runtime **ret_runtime, struct base_err *err)
{
    static const char *const languages[][2] = {{"javascript", "js"}, {"shell", "sh"}};
    int r = stage_runtime_by_interpreter(name, ret_runtime, err);

    for (size_t i = 0; i < ARRAY_COUNT(languages); i++)
        if (strcmp(name, languages[i][0]) == 0)
            name = languages[i][1];
    return r < 0 || *ret_runtime ? r : stage_runtime_by_extension(name, ret_runtime, err);
}

int stage_runtime_find(const char *name, const struct stage_runtime **ret_runtime, struct base_err *err)
{
    char known[256];
    unsigned count = file_count();
    int r;

    for (unsigned i = 0; i < count; i++)
        if (strcmp(stage_runtime_name(i), name) == 0)
            return load(i, ret_runtime, err);
    if (strcmp(name, stage_runtime_native.name) == 0) {
        *ret_runtime = &stage_runtime_native;
        return 0;
    }
    r = find_by_other_name(name, ret_runtime, err);
    if (r < 0 || *ret_runtime)
        return r;
    base_err_set(err, BASE_E_NOT_FOUND, name, "is no known runtime");
    return base_err_remedy(err, "use one of %s", stage_runtime_names(known, sizeof(known)));
}

void stage_runtime_argv(const struct stage_runtime *runtime, const char *path, const char *const *args, char **argv)
{
    for (size_t i = 0; i < runtime->command_count; i++)
        *argv++ = strcmp(runtime->command[i], program_place) == 0 ? base_argv_word(path) : runtime->command[i];
    while (args && *args)
        *argv++ = base_argv_word(*args++);
    *argv = NULL;
}

static int missing_toolchain(const struct stage_runtime *runtime, struct base_err *err, const char *what)
{
    base_err_set(err, BASE_E_NOT_FOUND, runtime->command[0], "%s", what);
    if (err)
        err->fault = BASE_FAULT_HOST;
    return base_err_remedy(err, "install the runtime %s, for example: apt-get install %s", runtime->name,
                           runtime->package);
}

/* One step of a chain of links from @path, which is replaced by the next one. Each step must be below /usr or among
 * Debian's alternatives: a cage sees nothing else of the host. Returns 1 when @path is no link. */
static int follow(char path[PATH_MAX])
{
    char folder[PATH_MAX], real[PATH_MAX], target[PATH_MAX];
    char *slash;
    ssize_t length;

    (void)snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    if (!slash)
        return -ENOENT;
    *slash = 0;
    if (!realpath(*folder ? folder : "/", real))
        return -errno;
    if (strncmp(real, "/usr/", 5) != 0 && strcmp(real, "/etc/alternatives") != 0)
        return -EXDEV;
    length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return errno == EINVAL ? 1 : -errno;
    target[length] = 0;
    if (snprintf(path, PATH_MAX, "%s%s%s", *target == '/' ? "" : real, *target == '/' ? "" : "/", target) >= PATH_MAX)
        return -ENAMETOOLONG;
    return 0;
}

int stage_program_visible(const char *program)
{
    char path[PATH_MAX];
    struct stat st;
    int r = 0;

    if (snprintf(path, sizeof(path), "%s", program) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    for (unsigned links = 0; r == 0 && links < 40; links++)
        r = follow(path);
    if (r < 0)
        return r;
    if (r != 1 || stat(path, &st) < 0)
        return -ENOENT;
    return S_ISREG(st.st_mode) && (st.st_mode & S_IXOTH) ? 0
                                                         : -EACCES; /* the guest is not its owner, nor in its group */
}

int stage_runtime_check(const struct stage_runtime *runtime, struct base_err *err)
{
    int r;

    if (runtime->command[0][0] != '/')
        return 0; /* native: the program itself */
    r = stage_program_visible(runtime->command[0]);
    if (r == -EXDEV)
        return missing_toolchain(runtime, err, "lies outside /usr, where no cage can see it");
    if (r == -EACCES)
        return missing_toolchain(runtime, err, "is not a program that everyone may execute");
    return r < 0 ? missing_toolchain(runtime, err, "is not on this machine") : 0;
}
