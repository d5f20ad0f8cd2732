/* candidate.c - the sources of candidates behind one interface */

#include "eval/candidate.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "eval/keys.h"
#include "eval/odd.h"
#include "eval/records.h"
#include "judge/judge.h"
#include "judge/value.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct eval_candidates {
    const struct eval_tasks *tasks;
    int (*next)(struct eval_candidates *candidates, struct eval_candidate *ret, struct base_err *err);
    unsigned *seen; /* candidates given out, by task */
    size_t at;      /* next task, or next file of the folder */
    size_t absent_at;
    char place[PATH_MAX + 32]; /* of the one that came last, for errors */

    struct eval_folder folder;
    struct base_buf code; /* of the file that came last */

    struct eval_records *records;
    json_t *json; /* of the line that came last */
    struct eval_line line;
    size_t code_at; /* next code of the line */
    size_t unknown;
    char example[64];
    char refused[200]; /* of the code that came last */
};

/* ---- canonical, none ------------------------------------------------------------------------------------------- */

static int next_canonical(struct eval_candidates *c, struct eval_candidate *ret, struct base_err *err)
{
    while (c->at < c->tasks->count) {
        const struct eval_task *task = &c->tasks->items[c->at++];

        if (!task->chosen || !task->canonical.bytes)
            continue;
        *ret = (struct eval_candidate){
            .task = c->at - 1,
            .form = task->prompt_is_code ? EVAL_COMPLETION : EVAL_PROGRAM,
            .code = task->canonical.bytes,
            .count = task->canonical.count,
            .is_text = true,
        };
        (void)snprintf(c->place, sizeof(c->place), "canonical solution of %s", task->id);
        return stage_runtime_find(task->runtime, &ret->runtime, err) < 0 ? err->code : 1;
    }
    return 0;
}

static int next_none(struct eval_candidates *c, struct eval_candidate *ret, struct base_err *err)
{
    (void)c, (void)ret, (void)err;
    return 0;
}

/* ---- folder ---------------------------------------------------------------------------------------------------- */

static int next_file(struct eval_candidates *c, struct eval_candidate *ret, struct base_err *err)
{
    const struct eval_file *file;
    struct stat st;
    int r;

    if (c->at == c->folder.count)
        return 0;
    file = &c->folder.files[c->at++];
    if (snprintf(c->place, sizeof(c->place), "%s/%s", c->folder.path, file->name) >= PATH_MAX)
        return base_err_set(err, BASE_E_INVALID, c->place, "the path is too long");
    if (lstat(c->place, &st) == 0 && S_ISLNK(st.st_mode)) /* whoever wrote the folder would choose what we read */
        return base_err_set(err, BASE_E_INVALID, c->place, "is a link; a candidate is a plain file");
    base_buf_clear(&c->code);
    r = base_file_read(c->place, EVAL_CANDIDATE_MAX_BYTES, &c->code, err);
    if (r == BASE_E_IO && err->sys_errno == EACCES)
        return base_err_sys(err, BASE_E_INVALID, EACCES, c->place, "cannot be read"); /* no fault of the machine */
    if (r < 0 && r != BASE_E_TOO_LARGE)
        return r;
    *ret = (struct eval_candidate){
        .task = file->task,
        .form = EVAL_SOLUTION,
        .code = c->code.count > 0 ? c->code.bytes : "",
        .count = c->code.count,
        .runtime = file->runtime,
        .file_name = file->name,
        .too_large = r == BASE_E_TOO_LARGE,
    };
    return 1;
}

/* ---- file of JSON objects -------------------------------------------------------------------------------------- */

static void count_unknown(struct eval_candidates *c, const char *example)
{
    if (c->unknown++ == 0)
        (void)snprintf(c->example, sizeof(c->example), "%s", example);
}

/* What names the task and the language of an odd line. 1: no task can have that name. *@ret_language: what is odd of
 * the language, or NULL. */
static int restore_names(struct eval_candidates *c, const char **ret_language, struct base_err *err)
{
    static const char *const keys[] = {"task_id", "prompt", "language"};
    const char *place = eval_records_place(c->records), *odd[ARRAY_COUNT(keys)], *why;

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        if (eval_odd_restore(json_object_get(c->json, keys[i]), &odd[i]) < 0)
            return base_err_set(err, BASE_E_NOMEM, place, "out of memory");
    *ret_language = odd[2];
    why = eval_key_get(c->json, "samples") ? odd[1] : odd[0];
    if (why)
        count_unknown(c, why);
    return why ? 1 : 0;
}

/* What is wrong with a whole line, which the parser of lines does not see. */
static void refuse_line(struct eval_candidates *c, const char *odd_language)
{
    const char *twice = eval_records_twice(c->records);

    if (twice)
        (void)snprintf(c->line.refused, sizeof(c->line.refused), "%s", twice);
    else if (odd_language)
        (void)snprintf(c->line.refused, sizeof(c->line.refused), "language: has %s", odd_language);
    if (twice || odd_language)
        c->line.refused_as = twice ? JUDGE_NO_CODE : JUDGE_COMPILE_ERROR;
}

/* The next line that is for a chosen task: 1, 0 or an error. */
static int next_line(struct eval_candidates *c, struct base_err *err)
{
    for (;;) {
        const char *odd_language = NULL;
        int r;

        json_decref(c->json);
        c->json = NULL;
        r = eval_records_next(c->records, &c->json, err);
        if (r <= 0)
            return r;
        r = eval_records_is_odd(c->records) ? restore_names(c, &odd_language, err) : 0;
        if (r < 0)
            return r;
        if (r > 0)
            continue;
        r = eval_line_parse(c->json, eval_records_place(c->records), c->tasks, &c->line, err);
        if (r < 0)
            return r;
        refuse_line(c, odd_language);
        c->code_at = 0;
        if (c->line.task >= 0 && c->tasks->items[c->line.task].chosen)
            return 1;
        if (c->line.task < 0)
            count_unknown(c, c->line.example);
    }
}

/* The bytes of a code: none for null, and for NaN, which is what Python's tables have where there is nothing. */
static int take_code(struct eval_candidates *c, const json_t *code, struct eval_candidate *ret, struct base_err *err)
{
    const char *text = json_is_string(code) ? json_string_value(code) : "";
    size_t count = json_string_length(code);
    bool odd = eval_records_is_odd(c->records);
    int r;

    ret->too_large = count > EVAL_CANDIDATE_MAX_BYTES;
    ret->code = "";
    if (ret->too_large || (odd && eval_odd_is_number(text, count)))
        return 0;
    ret->code = text;
    ret->count = count;
    if (!odd)
        return 0;
    base_buf_clear(&c->code);
    r = eval_odd_bytes(text, count, &c->code);
    ret->code = c->code.count > 0 ? c->code.bytes : "";
    ret->count = c->code.count;
    return r < 0 ? base_err_set(err, r, c->place, "out of memory") : 0;
}

/* It is its own verdict, and not the end of all others. */
static void refuse(struct eval_candidates *c, enum judge_verdict verdict, struct eval_candidate *ret)
{
    ret->refused = c->refused;
    ret->refused_as = verdict;
}

static const char *kind_of(const json_t *code)
{
    return judge_value_big(code) ? "an integer" : eval_key_kind(json_typeof(code));
}

static void check_code(struct eval_candidates *c, const json_t *code, struct eval_candidate *ret)
{
    const struct eval_line *line = &c->line;
    bool is_list = !line->many && strcmp(line->key, "samples") == 0; /* or should be */

    if (*line->refused) {
        (void)snprintf(c->refused, sizeof(c->refused), "%s", line->refused);
        refuse(c, line->refused_as, ret);
    } else if (line->many && !json_is_string(code) && !json_is_null(code)) {
        (void)snprintf(c->refused, sizeof(c->refused), "samples: element %zu must be text, not %s", c->code_at,
                       kind_of(code));
        refuse(c, JUDGE_NO_CODE, ret);
    } else if (is_list || (!json_is_string(code) && !json_is_null(code))) {
        (void)snprintf(c->refused, sizeof(c->refused), "%s: must be %s, not %s", line->key,
                       is_list ? "a list of texts" : "text", kind_of(code));
        refuse(c, JUDGE_NO_CODE, ret);
    }
}

static int next_code(struct eval_candidates *c, struct eval_candidate *ret, struct base_err *err)
{
    const json_t *code = c->json ? eval_line_code(&c->line, c->code_at) : NULL;
    const struct eval_task *task;

    while (!code) {
        int r = next_line(c, err);
        if (r <= 0)
            return r;
        code = eval_line_code(&c->line, 0);
    }
    c->code_at++;
    task = &c->tasks->items[c->line.task];
    (void)snprintf(c->place, sizeof(c->place), "%s", eval_records_place(c->records));
    *ret = (struct eval_candidate){
        .task = (size_t)c->line.task,
        /* where the prompt is a description, what completes it is the whole program */
        .form = c->line.form == EVAL_COMPLETION && !task->prompt_is_code ? EVAL_PROGRAM : c->line.form,
        .is_text = true,
    };
    if (take_code(c, code, ret, err) < 0)
        return err->code;
    check_code(c, code, ret);
    return stage_runtime_find(c->line.runtime ? c->line.runtime : task->runtime, &ret->runtime, err) < 0 ? err->code
                                                                                                         : 1;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int open_path(struct eval_candidates *c, const char *path, struct base_err *err)
{
    const struct eval_records_bound bound = {EVAL_CANDIDATES_MAX_BYTES, EVAL_CANDIDATES_MAX_MEMORY, true};
    struct stat st;

    if (stat(path, &st) < 0) {
        base_err_sys(err, errno == ENOENT || errno == ENOTDIR ? BASE_E_NOT_FOUND : BASE_E_INVALID, errno, path,
                     "the candidates cannot be read");
        return base_err_remedy(err, "give a folder of ID.EXT files, a file of JSON lines, canonical or none");
    }
    c->next = S_ISDIR(st.st_mode) ? next_file : next_code;
    return S_ISDIR(st.st_mode) ? eval_folder_list(path, c->tasks, &c->folder, err)
                               : eval_records_open(path, bound, &c->records, err);
}

int eval_candidates_open(const char *spec, const struct eval_tasks *tasks, struct eval_candidates **ret_candidates,
                         struct base_err *err)
{
    AUTO_CANDIDATES struct eval_candidates *c = calloc(1, sizeof(*c));
    int r = 0;

    if (c)
        c->seen = calloc(tasks->count, sizeof(*c->seen));
    if (!c || !c->seen)
        return base_err_set(err, BASE_E_NOMEM, spec, "out of memory");
    c->tasks = tasks;
    if (strcmp(spec, "canonical") == 0)
        c->next = next_canonical;
    else if (strcmp(spec, "none") == 0)
        c->next = next_none;
    else
        r = open_path(c, spec, err);
    if (r < 0)
        return r;
    *ret_candidates = TAKE_PTR(c);
    return 0;
}

/* A kind of task takes only languages that it can judge. A line that says another one is its own verdict; the name of a
 * file, which the user chose, an error. */
static int check_runtime(const struct eval_candidates *c, const struct eval_candidate *candidate, struct base_err *err)
{
    const struct eval_task *task = &c->tasks->items[candidate->task];
    const char *runtime = candidate->runtime->name;

    if (task->kind == EVAL_SCRIPT && strcmp(runtime, "python") != 0)
        return base_err_set(err, BASE_E_INVALID, c->place, "is for the runtime %s, but task \"%s\" has tests in Python",
                            runtime, task->id);
    if (task->kind == EVAL_CALL && !judge_driver_find(runtime))
        return base_err_set(err, BASE_E_INVALID, c->place,
                            "is for the runtime %s, whose functions cannot be called, as task \"%s\" asks", runtime,
                            task->id);
    return 0;
}

static int next_absent(struct eval_candidates *c, struct eval_candidate *ret)
{
    while (c->absent_at < c->tasks->count) {
        size_t i = c->absent_at++;
        if (c->tasks->items[i].chosen && c->seen[i] == 0) {
            *ret = (struct eval_candidate){.task = i, .form = EVAL_ABSENT};
            return 1;
        }
    }
    return 0;
}

int eval_candidates_next(struct eval_candidates *c, struct eval_candidate *ret_candidate, struct base_err *err)
{
    struct eval_candidate candidate;
    int r = c->absent_at == 0 ? c->next(c, &candidate, err) : 0;

    if (r > 0) {
        r = candidate.refused ? 0 : check_runtime(c, &candidate, err);
        if (r < 0 && c->next != next_code)
            return r;
        if (r < 0) {
            (void)snprintf(c->refused, sizeof(c->refused), "%.199s", err->what);
            refuse(c, JUDGE_COMPILE_ERROR, &candidate);
        }
        candidate.sample = c->seen[candidate.task]++;
        *ret_candidate = candidate;
        return 1;
    }
    return r < 0 ? r : next_absent(c, ret_candidate);
}

size_t eval_candidates_unknown(const struct eval_candidates *c, const char **ret_example)
{
    *ret_example = c->folder.unknown ? c->folder.example : c->example;
    return c->folder.unknown ? c->folder.unknown : c->unknown;
}

void eval_candidates_wanted(const struct eval_candidates *c, const struct eval_task *task,
                            char ret_text[EVAL_WANTED_BYTES])
{
    AUTO_FREE char *name = c->folder.path ? eval_folder_name(task->id, false) : NULL;
    const struct stage_runtime *runtime;
    struct base_err err;

    if (name && stage_runtime_find(task->runtime, &runtime, &err) == 0 && runtime->extension_count)
        (void)snprintf(ret_text, EVAL_WANTED_BYTES, "a file %.200s.%s", name, runtime->extensions[0]);
    else
        (void)snprintf(ret_text, EVAL_WANTED_BYTES, "the task_id \"%.200s\"", task->id);
}

void eval_candidates_close(struct eval_candidates *c)
{
    if (!c)
        return;
    eval_folder_release(&c->folder);
    eval_records_close(c->records);
    base_buf_release(&c->code);
    json_decref(c->json);
    free(c->seen);
    free(c);
}
