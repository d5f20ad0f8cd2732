/* run_hint.c - what to do about a program that cannot be run as it was asked for
 *
 * A remedy is told only where it works: its tool is there.
 */

#include "front/cli/run_hint.h"
#include "base/cleanup.h"
#include "stage/stage.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Languages that are no runtimes: what runs them, and Debian's package of that. */
static const struct language {
    const char *extension, *tool, *command, *package;
} languages[] = {
    {"c", "cc", "sh -c 'cc %s -lm && ./a.out'", "gcc"},
    {"cc", "c++", "sh -c 'c++ %s && ./a.out'", "g++"},
    {"cpp", "c++", "sh -c 'c++ %s && ./a.out'", "g++"},
    {"cxx", "c++", "sh -c 'c++ %s && ./a.out'", "g++"},
    {"java", "java", "java %s", "default-jdk-headless"},
    {"go", "go", "sh -c 'GOCACHE=/tmp/go go run %s'", "golang-go"},
    {"ts", "tsc", "sh -c 'tsc --outFile a.js %s; node a.js'", "node-typescript"},
    {"rb", "ruby", "ruby %s", "ruby"},
    {"lua", "lua", "lua %s", "lua5.4"},
    {"php", "php", "php %s", "php-cli"},
    {"awk", "awk", "awk -f %s", "mawk"},
    {"tcl", "tclsh", "tclsh %s", "tcl"},
    {"R", "Rscript", "Rscript %s", "r-base-core"},
    {"rs", "rustc", "sh -c 'rustc -o a.out %s && ./a.out'", "rustc"},
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_plain(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,@")] == 0;
}

static const struct language *language_of(const char *path)
{
    const char *dot = strrchr(last_part(path), '.');

    for (size_t i = 0; dot && i < ARRAY_COUNT(languages); i++)
        if (strcmp(dot + 1, languages[i].extension) == 0)
            return &languages[i];
    return NULL;
}

/* "cc %s" with the name of the file. */
static void fill_in(const char *command, const char *name, char *text, size_t text_bytes)
{
    const char *place = strstr(command, "%s");

    (void)snprintf(text, text_bytes, "%.*s%s%s", (int)(place - command), command, name, place + 2);
}

static int hint_language(const struct language *language, const char *path, const char *folders, struct base_err *err)
{
    struct stage_program tool;
    char command[300];

    fill_in(language->command, is_plain(path) ? last_part(path) : "FILE", command, sizeof(command));
    if (stage_command_find(language->tool, folders, &tool, NULL) < 0)
        return base_err_remedy(err, "install %s, for example: apt-get install %s; then: fumehood run --input %s -- %s",
                               language->tool, language->package, is_plain(path) ? path : "FILE", command);
    return base_err_remedy(err, "fumehood run --input %s -- %s", is_plain(path) ? path : "FILE", command);
}

/* What came through a pipe has no extension that could say what it is. */
static int hint_compiler(const char *folders, struct base_err *err)
{
    struct stage_program tool;

    if (stage_command_find("cc", folders, &tool, NULL) < 0)
        return err->code;
    return base_err_remedy(err, "%s; C: fumehood run -- sh -c 'cc -x c - -lm && ./a.out'", err->remedy);
}

int cli_run_no_runtime(const char *path, const char *folders, struct base_err *err)
{
    const struct language *language = language_of(path);
    struct stage_program program;

    if (strcmp(path, "-") == 0)
        return hint_compiler(folders, err);
    if (access(path, F_OK) < 0)
        return err->code;
    if (language)
        return hint_language(language, path, folders, err);
    if (!strchr(path, '/') && stage_command_find(path, folders, &program, NULL) >= 0)
        return base_err_remedy(err, "the file here is taken; for the command: fumehood run -- %.200s", path);
    return err->code;
}

/* Whether the starter's own PATH has it, which may lead anywhere. */
static bool find_outside(const char *word, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");

    while (folders && *folders && !strchr(word, '/')) {
        size_t length = strcspn(folders, ":");
        if (snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folders, word) < PATH_MAX && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* "python" is "python3" on Debian. */
static bool has_number(const char *word, const char *folders, char *numbered, size_t bytes)
{
    struct stage_program program;

    return snprintf(numbered, bytes, "%s3", word) < (int)bytes &&
           stage_command_find(numbered, folders, &program, NULL) >= 0;
}

int cli_run_no_command(const char *word, const char *folders, struct base_err *err)
{
    char path[PATH_MAX], numbered[64];

    if (strchr(word, '/'))
        return err->code;
    if (has_number(word, folders, numbered, sizeof(numbered)))
        return base_err_remedy(err, "did you mean %s?", numbered);
    if (find_outside(word, path) && strncmp(path, "/usr/", 5) != 0 && strncmp(path, "/bin/", 5) != 0)
        return base_err_remedy(err, "%.200s is yours, and no cage sees it: install it below /usr", path);
    return err->code;
}
