/* run_after.c - hints after a run that did not end well
 *
 * They go by the command line and by the kernel's counters, never by what the program wrote.
 */

#include "front/cli/run_after.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "front/cli/say.h"
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* --- files of the starter's that are named, and are not in the cage --- */

#define NAMED_MAX 8
#define TRIED_MAX 1000 /* a command line may have a hundred thousand words */

struct named {
    char paths[NAMED_MAX][PATH_MAX];
    size_t count, tried;
};

/* Below these a cage has what the machine has, or something of its own. */
static bool is_place_of_cage(const char *path)
{
    static const char *const places[] = {"/usr",    "/bin", "/sbin", "/lib", "/lib32", "/lib64",
                                         "/libx32", "/etc", "/proc", "/dev", "/sys"};

    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        size_t length = strlen(places[i]);
        if (strncmp(path, places[i], length) == 0 && (path[length] == '/' || path[length] == '\0'))
            return true;
    }
    return false;
}

static const char *without_dot(const char *path)
{
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}

static bool is_in_cage(const struct cli_run_after *after, const char *path)
{
    path = without_dot(strncmp(path, "/work/", 6) == 0 ? path + 6 : path);
    if (is_place_of_cage(path) || strcmp(path, after->program) == 0)
        return true;
    for (size_t i = 0; i < after->file_count; i++)
        if (strcmp(path, after->files[i].path) == 0)
            return true;
    return false;
}

static void consider(const struct cli_run_after *after, const char *word, size_t length, struct named *named)
{
    char *path = named->paths[named->count < NAMED_MAX ? named->count : 0];
    struct stat st;

    if (named->count == NAMED_MAX || length == 0 || length >= PATH_MAX || named->tried == TRIED_MAX)
        return;
    named->tried++;
    memcpy(path, word, length);
    path[length] = '\0';
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || is_in_cage(after, path))
        return;
    for (size_t i = 0; i < named->count; i++)
        if (strcmp(named->paths[i], path) == 0)
            return;
    named->count++;
}

/* The word itself, else the words in it: it may be a shell's command, or "--file=NAME". */
static void consider_word(const struct cli_run_after *after, const char *word, struct named *named)
{
    static const char between[] = " \t\n\"'`=;&|<>(){}$,";
    size_t before = named->count;

    consider(after, word, strlen(word), named);
    if (named->count > before)
        return;
    while (*word) {
        size_t length = strcspn(word, between);
        consider(after, word, length, named);
        word += length + (word[length] != '\0');
    }
}

/* The cage has no path of the machine's: a file is below /work, and a name that leads elsewhere is to be changed. */
static void input_of(const char *path, char *text, size_t text_bytes)
{
    const char *plain = without_dot(path), *last = strrchr(plain, '/');
    bool leads_out = *plain == '/' || strncmp(plain, "../", 3) == 0 || strstr(plain, "/../");

    if (!last)
        (void)snprintf(text, text_bytes, "--input %s", path);
    else if (leads_out)
        (void)snprintf(text, text_bytes, "--input %s, and name it %s", path, last + 1);
    else
        (void)snprintf(text, text_bytes, "--input %s:%s", path, plain);
}

/* Of a folder nothing can be given at once. Those that a cage has as well are nobody's mistake. */
static bool say_folder(const char *word)
{
    bool is_everywhere = word[strspn(word, "./")] == '\0' || strcmp(word, "/tmp") == 0 || strcmp(word, "/work") == 0;
    struct stat st;

    if (is_everywhere || stat(word, &st) < 0 || !S_ISDIR(st.st_mode) || is_place_of_cage(word))
        return false;
    cli_say_note("%s is a folder here, not in the cage: --input FILE:PATH for each file of it", word);
    return true;
}

/* Whether there was anything to say. */
static bool say_named(const struct cli_run_after *after)
{
    AUTO_FREE struct named *named = calloc(1, sizeof(*named));
    char input[2 * PATH_MAX + 32];
    bool said;

    for (const char *const *word = after->args; named && *word; word++)
        consider_word(after, *word, named);
    for (size_t i = 0; named && i < named->count; i++) {
        input_of(named->paths[i], input, sizeof(input));
        cli_say_note("%s is a file here, not in the cage: add %s", named->paths[i], input);
    }
    said = named && named->count > 0;
    for (const char *const *word = after->args; *word && word - after->args < NAMED_MAX; word++)
        said |= say_folder(*word);
    return said;
}

/* --- limits that the kernel keeps by an error, which it does not count --- */

#define DEFAULT_MEMORY_BYTES (UINT64_C(512) << 20)

/* Errors are told the program alone; that it stored as much as one file may have is what is known here. */
static void say_file_bytes(const struct cli_run_after *after)
{
    const struct policy_limit *file = &after->policy->limits[POLICY_LIMIT_FILE_BYTES];
    char text[32];

    if (file->unlimited || after->outcome->scratch_peak_bytes == WARDEN_UNKNOWN ||
        after->outcome->scratch_peak_bytes + 4096 < file->value)
        return;
    cli_say_note("a file may have met the limit of %s for one file (to change it: --limit file_bytes=SIZE)",
                 base_units_text(file->value, BASE_UNIT_BYTES, text, sizeof(text)));
}

static bool is_crash(const struct warden_outcome *outcome)
{
    return outcome->ending == WARDEN_SIGNALED && outcome->signal != SIGKILL && outcome->signal != SIGTERM &&
           outcome->signal != SIGINT && outcome->signal != SIGPIPE;
}

static void say_memory(const struct cli_run_after *after)
{
    const struct policy_limit *memory = &after->policy->limits[POLICY_LIMIT_MEMORY_BYTES];
    const char *by = after->outcome->limits[POLICY_LIMIT_MEMORY_BYTES].enforced_by;
    char text[32];

    if (memory->unlimited || strcmp(by, "rlimit") != 0 ||
        (!is_crash(after->outcome) && memory->value >= DEFAULT_MEMORY_BYTES))
        return;
    cli_say_note("memory is bounded for each process here, by rlimit: one that reserves more than %s, used or not, is "
                 "refused it (to change it: --limit memory_bytes=SIZE)",
                 base_units_text(memory->value, BASE_UNIT_BYTES, text, sizeof(text)));
}

void cli_run_after_say(const struct cli_run_after *after)
{
    const struct warden_outcome *outcome = after->outcome;

    if (outcome->ending != WARDEN_SIGNALED && (outcome->ending != WARDEN_EXITED || outcome->exit_code == 0))
        return;
    if (!say_named(after) && after->is_typing_lost)
        cli_say_note("it had nothing to read: what you type is passed on with --stdin -");
    say_file_bytes(after);
    say_memory(after);
}
