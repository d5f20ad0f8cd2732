/* zygote_untrusted.c - which programs must not be forks of their runtime's zygote
 *
 * Runs in: the supervisor, on a program's bytes, which it only searches for words.
 */
#include "base/cleanup.h"
#include "stage/name_untrusted.h"
#include "stage/stage.h"
#include <stdio.h>
#include <string.h>

/* "#!/usr/bin/python3 -O": settings of its own. */
static bool has_flags(const struct stage_program *program)
{
    const char *end = program->count > 2 ? memchr(program->bytes, '\n', program->count) : NULL;
    size_t length = end ? (size_t)(end - program->bytes) : program->count;
    const char *blank = length > 2 ? memmem(program->bytes, length, " -", 2) : NULL;

    return length > 2 && memcmp(program->bytes, "#!", 2) == 0 && blank;
}

/* The interpreter takes some files for compiled ones by their first bytes. */
static bool is_text(const struct stage_program *program)
{
    const unsigned char *bytes = (const unsigned char *)program->bytes;

    return !memchr(bytes, 0, program->count) && !(program->count > 1 && bytes[0] >= 0x80 && bytes[1] == '\r');
}

static const char *word_in(const struct stage_runtime *runtime, const void *bytes, size_t count)
{
    for (size_t i = 0; i < runtime->zygote_cold_count && count > 0; i++) /* nothing may be nowhere */
        if (memmem(bytes, count, runtime->zygote_cold[i], strlen(runtime->zygote_cold[i])))
            return runtime->zygote_cold[i];
    return NULL;
}

bool stage_program_is_cold(const struct stage_program *program, char why[STAGE_COLD_BYTES])
{
    const char *word;

    why[0] = 0;
    if (program->count == 0)
        return false;
    if (has_flags(program)) {
        (void)snprintf(why, STAGE_COLD_BYTES, "its first line has settings for the interpreter");
    } else if (!is_text(program)) {
        (void)snprintf(why, STAGE_COLD_BYTES, "it is not text");
    } else {
        word = word_in(program->runtime, program->bytes, program->count);
        if (word)
            (void)snprintf(why, STAGE_COLD_BYTES, "it has the word \"%.60s\"", word);
    }
    return why[0] != 0;
}

bool stage_variable_is_cold(const char *variable, const struct stage_runtime *runtime, char why[STAGE_COLD_BYTES])
{
    const char *word = word_in(runtime, variable, strlen(variable));

    why[0] = 0;
    if (word)
        (void)snprintf(why, STAGE_COLD_BYTES, "its environment has the word \"%.60s\"", word);
    return word != NULL;
}

bool stage_file_is_cold(const struct stage_file *file, const struct stage_runtime *runtime, char why[STAGE_COLD_BYTES])
{
    const struct stage_runtime *own = NULL;
    const char *word;

    why[0] = 0;
    if (stage_runtime_by_extension(stage_name_extension(file->path), &own, NULL) < 0 || own != runtime)
        return false;
    word = word_in(runtime, file->bytes, file->count);
    if (word)
        (void)snprintf(why, STAGE_COLD_BYTES, "%.30s has the word \"%.40s\"", file->path, word);
    return why[0] != 0;
}
