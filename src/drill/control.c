/* control.c - the positive control: the attack bare, where nothing but hard stops is around it
 *
 * The program runs as who starts the drill, with time, processor time, memory, file size and processes bounded, and is
 * ended with everything that it started.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "drill/attack.h"
#include "drill/order.h"
#include "drill/role.h"
#include <string.h>

#define BARE_US        10000000
#define SAID_MAX_BYTES (80u << 20)

static bool is_installed(const char *program)
{
    static const char *const folders[] = {"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"};
    char path[256];

    for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
        if (snprintf(path, sizeof(path), "%s/%s", folders[i], program) < (int)sizeof(path) && access(path, X_OK) == 0)
            return true;
    return false;
}

void drill_control_unmet(const struct drill_attack *attack, char *why, size_t why_bytes)
{
    const char *needs = attack->expect.control_needs;
    bool met = !needs || (strcmp(needs, "root") == 0 ? geteuid() == 0 : is_installed(needs));

    *why = '\0';
    if (!met)
        (void)snprintf(why, why_bytes, "its control needs %s", needs);
}

/* The last line that says something. */
static void take_last_line(const struct base_buf *said, struct drill_trial *trial)
{
    size_t end = said->count, from;

    while (end > 0 && strchr(" \t\r\n", said->bytes[end - 1]))
        end--;
    for (from = end; from > 0 && said->bytes[from - 1] != '\n'; from--)
        ;
    (void)snprintf(trial->last_line, sizeof(trial->last_line), "%.*s", (int)(end - from), said->bytes + from);
}

static void read_said(const struct drill_scene *scene, struct drill_trial *trial)
{
    char path[DRILL_PATH_BYTES + 64];
    AUTO_BUF struct base_buf file = {0};
    const struct base_buf *said = &scene->typed;

    if (scene->fds[DRILL_TERMINAL] < 0) {
        (void)snprintf(path, sizeof(path), "%s/" DRILL_NOTE_DIR "/" DRILL_SAID_FILE, scene->top);
        (void)base_file_read(path, SAID_MAX_BYTES, &file, NULL); /* nothing was said, or too much to be a line */
        said = &file;
    }
    if (said->count == 0)
        return;
    take_last_line(said, trial);
    if (memmem(said->bytes, said->count, scene->nonce, strlen(scene->nonce)))
        drill_fault(&trial->evidence, "it printed the secret");
}

static void read_answer(const json_t *answer, struct drill_trial *trial)
{
    const char *error = json_string_value(json_object_get(answer, "error"));
    size_t index;
    json_t *ending;

    if (error)
        (void)snprintf(trial->failed, sizeof(trial->failed), "%s", error);
    json_array_foreach(json_object_get(answer, "endings"), index, ending) if (json_is_string(ending))(void)
        drill_words_add(&trial->endings, json_string_value(ending));
}

void drill_control_run(const struct drill_attack *attack, struct drill_scene *scene, struct drill_trial *trial)
{
    const struct drill_expect *expect = &attack->expect;
    const struct drill_order order = {.program = attack->program,
                                      .args = expect->has_control_args ? &expect->control_args : &expect->args,
                                      .stdin_text = expect->stdin_text,
                                      .policy = &expect->policy,
                                      .bare = true,
                                      .cage = "fresh",
                                      .twice = expect->outside & DRILL_BIT(DRILL_SECOND_RUN),
                                      .notes = DRILL_NOTE_DIR};
    AUTO_DONE struct drill_done done = {.status = -1};
    struct base_err err;
    pid_t pid;

    trial->tried = true;
    if (drill_order_start(&order, scene, &pid, &err) < 0) {
        (void)snprintf(trial->failed, sizeof(trial->failed), "%.80s: %.200s", err.place, err.what);
        return;
    }
    drill_order_wait(&order, scene, pid, base_clock_us() + (uint64_t)expect->pace * BARE_US, &done);
    trial->hung = done.hung;
    trial->crowded = done.crowded;
    read_answer(done.answer, trial);
    drill_scene_check(scene, &trial->evidence);
    read_said(scene, trial);
}
