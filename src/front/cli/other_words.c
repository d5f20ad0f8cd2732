/* other_words.c - options as people know them from other tools, and what they are here
 *
 * Taken is what can mean but one thing. A number of time without a unit is seconds there, in all of the tools that have
 * such options; a size without one is bytes in some of them and kilobytes in others.
 */

#include "front/cli/other_words.h"
#include "base/cleanup.h"
#include "base/units.h"
#include <stdio.h>
#include <string.h>

enum form {
    AS_IT_IS,
    SECONDS,  /* a bare number is seconds */
    NO_VALUE, /* takes none, and nothing is to be done */
    ONLY,     /* the value "none", and nothing is to be done */
    POINTER,  /* not taken */
};

static const char no_network[] = "no network is the default, and --network none says so; a cage's own 127.0.0.1: a "
                                 "policy file with network: loopback, by --policy FILE";
static const char no_terminal[] = "a cage has no terminal; what you type is passed on with --stdin -";
static const char no_folder[] =
    "--input FILE:PATH copies a file to /work/PATH; nothing of the machine is shown but /usr";
static const char no_identity[] = "a cage has a user, a name and a root of its own, always the same";

static const struct row {
    const char *word; /* with its dashes */
    enum form form;
    const char *option; /* POINTER: what to do instead */
    const char *prefix; /* of the value */
} rows[] = {
    {"--timeout", SECONDS, "limit", "wall_ms="},
    {"--time-limit", SECONDS, "limit", "wall_ms="},
    {"--wall-time", SECONDS, "limit", "wall_ms="},
    {"--wall", SECONDS, "limit", "wall_ms="},
    {"--cpu-time", SECONDS, "limit", "cpu_ms="},
    {"--memory", AS_IT_IS, "limit", "memory_bytes="},
    {"--memory-limit", AS_IT_IS, "limit", "memory_bytes="},
    {"--mem", AS_IT_IS, "limit", "memory_bytes="},
    {"-m", AS_IT_IS, "limit", "memory_bytes="},
    {"--stack", AS_IT_IS, "limit", "stack_bytes="},
    {"--stack-size", AS_IT_IS, "limit", "stack_bytes="},
    {"--cpus", AS_IT_IS, "limit", "cpus="},
    {"--pids-limit", AS_IT_IS, "limit", "processes="},
    {"--processes", AS_IT_IS, "limit", "processes="},
    {"--open-files", AS_IT_IS, "limit", "open_files="},
    {"-e", AS_IT_IS, "env", ""},
    {"--lang", AS_IT_IS, "runtime", ""},
    {"--language", AS_IT_IS, "runtime", ""},
    {"--network", ONLY, no_network, NULL},
    {"--net", ONLY, no_network, NULL},
    {"--no-network", NO_VALUE, NULL, NULL},
    {"--no-net", NO_VALUE, NULL, NULL},
    {"--unshare-net", NO_VALUE, NULL, NULL},
    {"--allow-net", POINTER, no_network, NULL},
    {"--allow-network", POINTER, no_network, NULL},
    {"--share-net", POINTER, no_network, NULL},
    {"--enable-network", POINTER, no_network, NULL},
    {"--loopback", POINTER, no_network, NULL},
    {"-i", NO_VALUE, NULL, NULL},
    {"--interactive", NO_VALUE, NULL, NULL},
    {"--rm", NO_VALUE, NULL, NULL},
    {"--read-only", NO_VALUE, NULL, NULL},
    {"-t", POINTER, no_terminal, NULL},
    {"--tty", POINTER, no_terminal, NULL},
    {"-it", POINTER, no_terminal, NULL},
    {"-ti", POINTER, no_terminal, NULL},
    {"-v", POINTER, no_folder, NULL},
    {"--volume", POINTER, no_folder, NULL},
    {"--mount", POINTER, no_folder, NULL},
    {"--bind", POINTER, no_folder, NULL},
    {"--ro-bind", POINTER, no_folder, NULL},
    {"--dir", POINTER, no_folder, NULL},
    {"--env-file", POINTER, "--env NAME=VALUE, or environment: in a policy file", NULL},
    {"-w", POINTER, "a program starts in /work", NULL},
    {"--workdir", POINTER, "a program starts in /work", NULL},
    {"--chdir", POINTER, "a program starts in /work", NULL},
    {"-u", POINTER, no_identity, NULL},
    {"--user", POINTER, no_identity, NULL},
    {"--name", POINTER, no_identity, NULL},
    {"--hostname", POINTER, no_identity, NULL},
    {"--privileged", POINTER, "nothing in a cage has rights", NULL},
    {"--cap-add", POINTER, "nothing in a cage has rights", NULL},
    {"--cap-drop", POINTER, "nothing in a cage has rights, so there are none to drop", NULL},
    {"--security-opt", POINTER, "system calls are the policy's: syscalls, in docs/profiles.md", NULL},
    {"-p", POINTER, no_network, NULL},
    {"--publish", POINTER, no_network, NULL},
    {"--port", POINTER, no_network, NULL},
    {"-d", POINTER, "a run is waited for; your shell can put it into the background", NULL},
    {"--detach", POINTER, "a run is waited for; your shell can put it into the background", NULL},
    {"--entrypoint", POINTER, "a command stands after --: fumehood run -- COMMAND ARG", NULL},
    {"--command", POINTER, "a command stands after --: fumehood run -- COMMAND ARG", NULL},
    {"-c", POINTER, "a command stands after --: fumehood run -- sh -c '...'", NULL},
    {"--args", POINTER, "arguments of the program stand after --", NULL},
    {"--arg", POINTER, "arguments of the program stand after --", NULL},
    {"--ulimit", POINTER, "--limit KEY=VALUE, such as open_files=64", NULL},
    {"--shm-size", POINTER, "--limit scratch_bytes=SIZE, which is for all files", NULL},
    {"--storage-opt", POINTER, "--limit scratch_bytes=SIZE, which is for all files", NULL},
    {"--fsize", POINTER, "--limit file_bytes=SIZE", NULL},
    {"--disk", POINTER, "--limit scratch_bytes=SIZE", NULL},
    {"--time", POINTER, "--timeout TIME, or --cpu-time TIME for the processor's", NULL},
    {"--cpu", POINTER, "--cpus N, or --cpu-time TIME", NULL},
    {"--idle", POINTER, "--limit idle_ms=TIME", NULL},
    {"--stdout", POINTER, "your shell's: fumehood run ... >FILE", NULL},
    {"--stderr", POINTER, "your shell's: fumehood run ... 2>FILE", NULL},
    {"-o", POINTER, "your shell's: fumehood run ... >FILE", NULL},
    {"--output", POINTER, "your shell's: fumehood run ... >FILE; how long it may be: --limit stdout_bytes=SIZE", NULL},
    {"--image", POINTER, "a cage shows this machine's /usr; other roots are not in this version", NULL},
    {NULL, AS_IT_IS, NULL, NULL},
};

static const struct row *find_row(const char *word, size_t length)
{
    for (const struct row *row = rows; row->word; row++)
        if (strlen(row->word) == length && memcmp(row->word, word, length) == 0)
            return row;
    return NULL;
}

void cli_other_words_offer(struct base_near *near)
{
    for (const struct row *row = rows; row->word; row++)
        if ((row->form == AS_IT_IS || row->form == SECONDS) && row->word[1] == '-')
            base_near_offer(near, row->word + 2);
}

#define EXPANSIONS_MAX  64
#define EXPANSION_BYTES 256

/* "5" is "5s", as is "0.5". */
static bool is_bare(const char *value)
{
    return *value && strspn(value, "0123456789.") == strlen(value);
}

static const char *expand(const struct row *row, const char *value)
{
    static char texts[EXPANSIONS_MAX][EXPANSION_BYTES];
    static unsigned count;
    char *text = count < EXPANSIONS_MAX ? texts[count++] : NULL;

    if (!*row->prefix)
        return value;
    if (!text || snprintf(text, EXPANSION_BYTES, "%s%s%s", row->prefix, value,
                          row->form == SECONDS && is_bare(value) ? "s" : "") >= EXPANSION_BYTES)
        return NULL;
    return text;
}

/* A size that says nothing of its unit and is too small to be bytes. */
static bool lacks_unit(const struct row *row, const char *value)
{
    return strstr(row->prefix, "_bytes=") && is_bare(value) && strlen(value) < 7;
}

static void take_value(const struct row *row, const char *value, struct cli_other_word *other)
{
    other->option = row->option;
    other->value = lacks_unit(row, value) ? NULL : expand(row, value);
    if (!other->value)
        other->fault = lacks_unit(row, value) ? "needs a unit: 512MiB, 1G" : "is too long";
}

bool cli_other_word_find(const char *word, const char *next, struct cli_other_word *ret_other)
{
    size_t length = strcspn(word, "=");
    const struct row *row = find_row(word, length);
    bool is_glued = !row && word[1] != '-' && (row = find_row(word, 2)) && row->form == AS_IT_IS; /* "-m1g" */
    bool is_next = !is_glued && word[length] != '=';
    const char *value = is_glued ? word + 2 : is_next ? next : word + length + 1;

    if (!row || (!is_glued && strlen(row->word) != length))
        return false;
    *ret_other = (struct cli_other_word){0};
    if (row->form == POINTER || (row->form == ONLY && (!value || strcmp(value, "none") != 0))) {
        ret_other->pointer = row->option;
    } else if (row->form == ONLY) {
        ret_other->uses_next = is_next;
    } else if (row->form != NO_VALUE) {
        if (!value || !*value || (is_next && strncmp(value, "--", 2) == 0))
            ret_other->fault = "needs a value";
        else
            take_value(row, value, ret_other);
        ret_other->uses_next = is_next;
    }
    return true;
}
