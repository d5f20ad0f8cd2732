/* command.c - one of the machine's own programs, as a cage sees them: nothing of it is staged */

#include "base/argv.h"
#include "base/cleanup.h"
#include "stage/runtime_table.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* There is one command a process. */
static char command_path[PATH_MAX];
static struct stage_runtime command = {.name = "command", .command = {command_path}, .command_count = 1};

/* 0 with its path when @folder/@word is a program that a cage sees, or why not. */
static int try_folder(const char *folder, size_t length, const char *word, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, word) >= PATH_MAX)
        return -ENAMETOOLONG;
    return stage_program_visible(path);
}

/* As execvp() does; a folder that is no absolute path would be sought in the cage's own. */
static int search(const char *word, const char *folders, char path[PATH_MAX])
{
    int found = -ENOENT;

    while (*folders) {
        size_t length = strcspn(folders, ":");
        int r = *folders == '/' ? try_folder(folders, length, word, path) : -ENOENT;
        if (r == 0)
            return 0;
        if (r != -ENOENT)
            found = r;
        folders += length + (folders[length] == ':');
    }
    return found;
}

static int not_found(const char *word, const char *folders, int why, struct base_err *err)
{
    if (why == -EXDEV)
        return base_err_set(err, BASE_E_NOT_FOUND, word, "lies outside /usr, where no cage can see it");
    if (why == -EACCES)
        return base_err_set(err, BASE_E_NOT_FOUND, word, "is not a program that everyone may execute");
    if (*word == '/')
        return base_err_set(err, BASE_E_NOT_FOUND, word, "is no program of this machine");
    return base_err_set(err, BASE_E_NOT_FOUND, word, "no such file here, nor such a command in the cage's PATH, %.200s",
                        folders);
}

/* What a language's program has in any case, it has as a command, too: "python3 -c ..." is a Python program. */
static int take_manners(const char *name, struct base_err *err)
{
    const struct stage_runtime *runtime = NULL;
    int r = stage_runtime_by_interpreter(name, &runtime, err);

    command.environment_count = r >= 0 && runtime ? runtime->environment_count : 0;
    for (size_t i = 0; i < command.environment_count; i++)
        command.environment[i] = runtime->environment[i];
    command.is_interrupted = r >= 0 && runtime && runtime->is_interrupted;
    return r;
}

int stage_command_find(const char *word, const char *folders, struct stage_program *ret_program, struct base_err *err)
{
    struct stage_program program = {.runtime = &command, .is_command = true, .bytes = ""};
    const char *slash = strrchr(word, '/');
    char path[PATH_MAX];
    int r;

    if (*word == '/')
        r = try_folder("", 0, word + 1, path);
    else
        r = slash || !*word ? -ENOENT : search(word, folders, path);
    if (r < 0)
        return not_found(word, folders, r, err);
    (void)snprintf(program.name, sizeof(program.name), "%s", slash ? slash + 1 : word);
    r = take_manners(program.name, err);
    if (r < 0)
        return r;
    memcpy(command_path, path, sizeof(path));
    *ret_program = program;
    return 0;
}
