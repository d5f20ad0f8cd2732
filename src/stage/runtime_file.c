/* runtime_file.c - read one runtime's declaration, strictly
 *
 * The files are the project's own and come with the program, but a mistake in one is still an error with its place.
 */

#include "stage/runtime_file.h"
#include "base/cleanup.h"
#include "base/doc.h"
#include <stdlib.h>
#include <string.h>

static const struct base_doc_field fields[] = {
    {"schema", BASE_DOC_SCALAR, true},     {"name", BASE_DOC_SCALAR, true},
    {"package", BASE_DOC_SCALAR, true},    {"extensions", BASE_DOC_LIST, true},
    {"interpreters", BASE_DOC_LIST, true}, {"command", BASE_DOC_LIST, true},
    {"environment", BASE_DOC_MAP, false},  {"zygote", BASE_DOC_MAP, false},
    {"interrupt", BASE_DOC_SCALAR, false}, {NULL},
};

static const struct base_doc_field zygote_fields[] = {
    {"modules", BASE_DOC_LIST, true},
    {"cold", BASE_DOC_LIST, true},
    {NULL},
};

static int no_memory(const char *place, struct base_err *err)
{
    return base_err_set(err, BASE_E_NOMEM, place, "out of memory");
}

static int read_word(const struct base_doc *node, const char *place, char *word, size_t word_bytes,
                     struct base_err *err)
{
    size_t length = strlen(node->text);
    if (length == 0 || length >= word_bytes)
        return base_doc_err(node, place, err, "%s must have 1 to %zu bytes", node->key, word_bytes - 1);
    memcpy(word, node->text, length + 1);
    return 0;
}

/* Copy the texts of a list. The count is raised one by one, so that a failure leaves what can be released. */
static int read_list(const struct base_doc *list, const char *place, char **items, size_t items_max, size_t *count,
                     struct base_err *err)
{
    for (const struct base_doc *node = list->child; node; node = node->next) {
        if (node->kind != BASE_DOC_SCALAR || !*node->text)
            return base_doc_err(node, place, err, "%s holds something that is not a word", list->key);
        if (*count == items_max)
            return base_doc_err(node, place, err, "%s has more than %zu entries", list->key, items_max);
        items[*count] = strdup(node->text);
        if (!items[*count])
            return no_memory(place, err);
        (*count)++;
    }
    return 0;
}

static int read_environment(const struct base_doc *map, const char *place, struct stage_runtime *runtime,
                            struct base_err *err)
{
    for (const struct base_doc *node = map ? map->child : NULL; node; node = node->next) {
        if (node->kind != BASE_DOC_SCALAR)
            return base_doc_err(node, place, err, "%s must be text", node->key);
        if (strchr(node->key, '=') || !*node->key)
            return base_doc_err(node, place, err, "a variable's name is empty or holds \"=\"");
        if (runtime->environment_count == ARRAY_COUNT(runtime->environment))
            return base_doc_err(node, place, err, "too many variables");
        char **item = &runtime->environment[runtime->environment_count];
        if (asprintf(item, "%s=%s", node->key, node->text) < 0) {
            *item = NULL;
            return no_memory(place, err);
        }
        runtime->environment_count++;
    }
    return 0;
}

static int read_zygote(const struct base_doc *map, const char *place, struct stage_runtime *runtime,
                       struct base_err *err)
{
    int r = map ? base_doc_check(map, zygote_fields, place, err) : 0;

    if (r < 0 || !map)
        return r;
    runtime->has_zygote = true;
    r = read_list(base_doc_get(map, "modules"), place, runtime->zygote_modules, ARRAY_COUNT(runtime->zygote_modules),
                  &runtime->zygote_module_count, err);
    return r < 0 ? r
                 : read_list(base_doc_get(map, "cold"), place, runtime->zygote_cold, ARRAY_COUNT(runtime->zygote_cold),
                             &runtime->zygote_cold_count, err);
}

/* An absolute program, and the staged path once. */
static int check_command(const struct base_doc *list, const char *place, const struct stage_runtime *runtime,
                         struct base_err *err)
{
    size_t places = 0;
    for (size_t i = 0; i < runtime->command_count; i++)
        places += strcmp(runtime->command[i], "{program}") == 0;
    if (runtime->command_count == 0 || runtime->command[0][0] != '/')
        return base_doc_err(list, place, err, "command must begin with an absolute path");
    if (places != 1)
        return base_doc_err(list, place, err, "command must hold \"{program}\" once");
    return 0;
}

static int read_interrupt(const struct base_doc *node, const char *place, struct stage_runtime *runtime,
                          struct base_err *err)
{
    if (node && strcmp(node->text, "at-limits-of-time") != 0)
        return base_doc_err(node, place, err, "interrupt can be at-limits-of-time");
    runtime->is_interrupted = node != NULL;
    return 0;
}

static int read_doc(const struct base_doc *doc, const char *place, struct stage_runtime *runtime, struct base_err *err)
{
    const struct base_doc *schema, *command;
    int r = base_doc_check(doc, fields, place, err);
    if (r < 0)
        return r;
    schema = base_doc_get(doc, "schema");
    if (strcmp(schema->text, "fumehood.runtime/1") != 0)
        return base_doc_err(schema, place, err, "schema must be fumehood.runtime/1");
    command = base_doc_get(doc, "command");
    r = read_word(base_doc_get(doc, "name"), place, runtime->name, sizeof(runtime->name), err);
    if (r >= 0)
        r = read_word(base_doc_get(doc, "package"), place, runtime->package, sizeof(runtime->package), err);
    if (r >= 0)
        r = read_list(base_doc_get(doc, "extensions"), place, runtime->extensions, ARRAY_COUNT(runtime->extensions),
                      &runtime->extension_count, err);
    if (r >= 0)
        r = read_list(base_doc_get(doc, "interpreters"), place, runtime->interpreters,
                      ARRAY_COUNT(runtime->interpreters), &runtime->interpreter_count, err);
    if (r >= 0)
        r = read_list(command, place, runtime->command, ARRAY_COUNT(runtime->command), &runtime->command_count, err);
    if (r >= 0)
        r = read_environment(base_doc_get(doc, "environment"), place, runtime, err);
    if (r >= 0)
        r = read_zygote(base_doc_get(doc, "zygote"), place, runtime, err);
    if (r >= 0)
        r = read_interrupt(base_doc_get(doc, "interrupt"), place, runtime, err);
    return r < 0 ? r : check_command(command, place, runtime, err);
}

int stage_runtime_parse(const char *bytes, size_t count, const char *place, struct stage_runtime *ret_runtime,
                        struct base_err *err)
{
    AUTO_DOC struct base_doc *doc = NULL;
    struct stage_runtime runtime = {0};
    int r = base_doc_parse(bytes, count, place, &doc, err);

    if (r >= 0)
        r = read_doc(doc, place, &runtime, err);
    if (r < 0) {
        stage_runtime_release(&runtime);
        return r;
    }
    *ret_runtime = runtime;
    return 0;
}

static void release_list(char **items, size_t *count)
{
    while (*count > 0)
        free(items[--*count]);
}

void stage_runtime_release(struct stage_runtime *runtime)
{
    release_list(runtime->extensions, &runtime->extension_count);
    release_list(runtime->interpreters, &runtime->interpreter_count);
    release_list(runtime->command, &runtime->command_count);
    release_list(runtime->environment, &runtime->environment_count);
    release_list(runtime->zygote_modules, &runtime->zygote_module_count);
    release_list(runtime->zygote_cold, &runtime->zygote_cold_count);
}
