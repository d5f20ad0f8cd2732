/* job.c - what goes into a cage for one run */

#include "eval/job.h"
#include "base/cleanup.h"
#include "judge/head.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool eval_job_is_blank(const char *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!memchr(" \t\r\n\f\v", code[i], 6))
            return false;
    return true;
}

static enum eval_fence find_fence(const char *code, size_t count)
{
    const char *end = code + count, *line = code;
    bool first = true;

    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line)), *at = line;

        while (at < end && memchr(" \t\r", *at, 3))
            at++;
        if (end - at >= 3 && (memcmp(at, "```", 3) == 0 || memcmp(at, "~~~", 3) == 0))
            return first ? EVAL_FENCE_FIRST : EVAL_FENCE_SOMEWHERE;
        first = first && (at == end || *at == '\n');
        line = newline ? newline + 1 : end;
    }
    return EVAL_FENCE_NONE;
}

static void add_file(struct eval_job *job, const char *path, const void *bytes, size_t count)
{
    struct stage_file *file = &job->files[job->request.file_count++];

    (void)snprintf(file->path, sizeof(file->path), "%s", path);
    file->bytes = bytes;
    file->count = count;
    file->mode = 0644;
    base_hash_bytes_hex(bytes, count, file->sha256);
}

static int no_memory(const struct eval_job *job, int code, struct base_err *err)
{
    return base_err_set(err, code, job->task->id, "the candidate is too large");
}

static int keep_code(struct eval_job *job, const struct eval_candidate *candidate, struct base_err *err)
{
    int r = base_buf_append(&job->code, candidate->code, candidate->count);

    return r < 0 ? no_memory(job, r, err) : 0;
}

static int prepare_stdio(struct eval_job *job, const struct eval_candidate *candidate, struct base_err *err)
{
    const struct stage_runtime *runtime = candidate->runtime;
    int r = keep_code(job, candidate, err);

    (void)snprintf(job->cage_name, sizeof(job->cage_name), "candidate%s%s", runtime->extension_count ? "." : "",
                   runtime->extension_count ? runtime->extensions[0] : "");
    job->kind = JUDGE_PROGRAM;
    job->request.stdin_bytes = job->task->given.bytes;
    job->request.stdin_count = job->task->given.count;
    return r < 0 ? r
                 : stage_program_from_bytes(job->cage_name, job->code.bytes, job->code.count, runtime->name,
                                            &job->program, err);
}

static int prepare_call(struct eval_job *job, const struct eval_candidate *candidate, struct base_err *err)
{
    const struct judge_driver *driver = judge_driver_find(candidate->runtime->name);
    const struct eval_case *c = &job->task->cases[job->place.case_index];
    struct judge_call call = {job->task->entry_point, c->args, c->no_mutation};
    int r = driver ? keep_code(job, candidate, err)
                   : base_err_set(err, BASE_E_INTERNAL, job->task->id, "there is no driver for its language");

    if (r >= 0)
        r = judge_call_write(&call, driver, job->nonce, &job->case_text, err);
    if (r < 0)
        return r;
    (void)snprintf(job->cage_name, sizeof(job->cage_name), "%s", driver->candidate);
    add_file(job, driver->candidate, job->code.bytes, job->code.count);
    add_file(job, JUDGE_CASE_FILE, job->case_text.bytes, job->case_text.count);
    job->kind = c->no_mutation ? JUDGE_MUTATION : JUDGE_CALL;
    return stage_program_from_bytes(driver->program, driver->bytes, driver->count, driver->runtime, &job->program, err);
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The first line that is code is indented: it goes on inside of a function. */
static bool is_body(const char *code, size_t count)
{
    const char *end = code + count, *line = code;

    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
        const char *at = line, *margin = line; /* a form feed begins the line anew */

        for (; at < stop && memchr(" \t\r\f", *at, 4); at++)
            margin = *at == '\f' ? at + 1 : margin;
        if (at < stop && *at != '#')
            return at > margin;
        line = newline ? newline + 1 : end;
    }
    return false;
}

/* "def NAME" or "class NAME" is in the code: it does not go on where the prompt ends. */
static bool defines(const char *code, size_t count, const char *name)
{
    static const char *const keywords[] = {"def ", "class "};
    char text[256];

    for (size_t i = 0; i < ARRAY_COUNT(keywords); i++) {
        const char *at = code, *end = code + count;
        int n = snprintf(text, sizeof(text), "%s%s", keywords[i], name);

        while ((at = memmem(at, (size_t)(end - at), text, (size_t)n))) {
            bool begins = at == code || !is_word_char(at[-1]);

            at += n;
            if (begins && (at == end || !is_word_char(*at)))
                return true;
        }
    }
    return false;
}

/* The one rule of what stands before a candidate. A completion goes on where code ends that has its own imports. What
 * is whole gets the usual imports, and what the prompt has beside the function; what claims to be whole and is not goes
 * on as well. */
static enum judge_prompt prompt_for(const struct eval_candidate *candidate, const struct eval_task *task)
{
    if (!task->prompt_is_code || task->prompt.count == 0)
        return JUDGE_PROMPT_NONE;
    if (candidate->form != EVAL_COMPLETION && defines(candidate->code, candidate->count, task->defined) &&
        !is_body(candidate->code, candidate->count))
        return judge_prompt_adds(task->prompt.bytes, task->prompt.count, task->defined) ? JUDGE_PROMPT_APART
                                                                                        : JUDGE_PROMPT_NONE;
    return JUDGE_PROMPT_JOINED;
}

static int prepare_script(struct eval_job *job, const struct eval_candidate *candidate, struct base_err *err)
{
    const struct eval_task *task = job->task;
    const struct judge_script script = {
        .prelude = candidate->form != EVAL_COMPLETION,
        .is_text = candidate->is_text,
        .prompt = prompt_for(candidate, task),
        .prompt_text = task->prompt.bytes,
        .prompt_count = task->prompt.count,
        .code = candidate->code,
        .code_count = candidate->count,
        .tests = task->tests.bytes,
        .tests_count = task->tests.count,
    };
    int r = judge_script_compose(&script, &job->code, err);

    if (r < 0)
        return r;
    (void)snprintf(job->cage_name, sizeof(job->cage_name), "candidate.py");
    add_file(job, JUDGE_NONCE_FILE, job->nonce, JUDGE_NONCE_CHARS);
    job->kind = JUDGE_SCRIPT;
    job->assembly = judge_script_assembly(&script);
    return stage_program_from_bytes(job->cage_name, job->code.bytes, job->code.count, "python", &job->program, err);
}

static int prepare_tests(struct eval_job *job, const struct eval_candidate *candidate, struct base_err *err)
{
    const struct judge_driver *driver = judge_driver_tests();
    const struct eval_text *tests = &job->task->tests;
    int r = judge_tests_compose(tests->bytes, tests->count, &job->code, err);

    (void)candidate; /* there is none */
    if (r < 0)
        return r;
    (void)snprintf(job->cage_name, sizeof(job->cage_name), "%s", driver->candidate);
    add_file(job, driver->candidate, job->code.bytes, job->code.count);
    add_file(job, JUDGE_NONCE_FILE, job->nonce, JUDGE_NONCE_CHARS);
    job->kind = JUDGE_TESTS;
    return stage_program_from_bytes(driver->program, driver->bytes, driver->count, driver->runtime, &job->program, err);
}

typedef int prepare_fn(struct eval_job *job, const struct eval_candidate *candidate, struct base_err *err);

static prepare_fn *const prepare[] = {
    [EVAL_STDIO] = prepare_stdio,
    [EVAL_CALL] = prepare_call,
    [EVAL_SCRIPT] = prepare_script,
};

static void free_job(struct eval_job **job)
{
    eval_job_free(*job);
}

static int make(const struct eval_candidate *candidate, const struct eval_task *task, size_t case_index,
                const struct policy *policy, prepare_fn *prepare_it, struct eval_job **ret_job, struct base_err *err)
{
    CLEANUP(free_job) struct eval_job *job = calloc(1, sizeof(*job));
    int r;

    if (!job)
        return base_err_set(err, BASE_E_NOMEM, task->id, "out of memory");
    job->task = task;
    job->place = (struct eval_place){candidate->task, candidate->sample, case_index};
    r = base_random_hex(job->nonce, JUDGE_NONCE_CHARS, err);
    if (r < 0)
        return r;
    if (candidate->file_name)
        (void)snprintf(job->file_name, sizeof(job->file_name), "%s", candidate->file_name);
    job->fence = find_fence(candidate->code, candidate->count);
    job->request.stdin_fd = job->request.stdout_fd = job->request.stderr_fd = -1;
    r = prepare_it(job, candidate, err);
    if (r < 0)
        return r;
    base_hash_bytes_hex(job->code.bytes, job->code.count, job->code_sha256);
    stage_program_sha256(&job->program, job->program_sha256);
    job->request.policy = policy;
    job->request.mark = judge_kind_speaks(job->kind);
    job->request.program = &job->program;
    job->request.files = job->files;
    *ret_job = TAKE_PTR(job);
    return 0;
}

int eval_job_make(const struct eval_candidate *candidate, const struct eval_task *task, size_t case_index,
                  const struct policy *policy, struct eval_job **ret_job, struct base_err *err)
{
    return make(candidate, task, case_index, policy, prepare[task->kind], ret_job, err);
}

int eval_job_make_tests(const struct eval_task *task, size_t index, const struct policy *policy,
                        struct eval_job **ret_job, struct base_err *err)
{
    const struct eval_candidate none = {.task = index, .code = ""};

    return make(&none, task, 0, policy, prepare_tests, ret_job, err);
}

size_t eval_job_bytes(const struct eval_job *job)
{
    const struct warden_outcome *o = &job->outcome;

    return job->code.count + job->case_text.count + o->out.kept.count + o->err.kept.count + o->mark.count +
           o->denials.count + o->observed.count;
}

void eval_job_free(struct eval_job *job)
{
    if (!job)
        return;
    warden_outcome_release(&job->outcome);
    stage_program_release(&job->program);
    base_buf_release(&job->code);
    base_buf_release(&job->case_text);
    free(job);
}
