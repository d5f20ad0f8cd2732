/* run.c - one program through the pool */
#include "base/cleanup.h"
#include "front/lib/lib.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct base_err *err)
{
    return base_err_set(err, BASE_E_NOMEM, "run", "out of memory");
}

static int check(const struct fumehood_program *program, struct base_err *err)
{
    if (program->size != sizeof(*program))
        return base_err_set(err, BASE_E_USAGE, "size", "is not that of the program of this version");
    if (!program->name || !program->name[0])
        return base_err_set(err, BASE_E_USAGE, "name", "is missing");
    if (strchr(program->name, '/'))
        return base_err_set(err, BASE_E_USAGE, "name", "\"%.200s\" is a path, not the name of a file", program->name);
    if (program->count && !program->bytes)
        return base_err_set(err, BASE_E_USAGE, "bytes", "is NULL, and count is not 0");
    if (program->stdin_count && !program->stdin_bytes)
        return base_err_set(err, BASE_E_USAGE, "stdin_bytes", "is NULL, and stdin_count is not 0");
    if (program->file_count && !program->files)
        return base_err_set(err, BASE_E_USAGE, "files", "is NULL, and file_count is not 0");
    return 0;
}

static const struct policy *policy_of(const struct fumehood_result *result)
{
    return result->has_policy ? &result->policy : &result->shared->policy;
}

/* The result keeps the program's bytes: its receipt may be asked for later. */
static int stage_program(const struct fumehood_program *program, struct fumehood_result *result, struct base_err *err)
{
    struct base_buf owned = {0};
    int r = base_buf_append(&owned, program->count ? program->bytes : "", program->count);

    if (r < 0)
        return base_err_set(err, r, program->name, "is too large");
    r = stage_program_from_bytes(program->name, owned.bytes, owned.count, program->runtime, &result->program, err);
    result->program.owned = owned; /* also where it failed: freed with the result */
    if (r == BASE_E_NOT_FOUND && program->runtime && strcmp(err->place, program->runtime) == 0)
        (void)snprintf(err->place, sizeof(err->place), "runtime %.200s", program->runtime);
    return r < 0 ? r : stage_runtime_check(result->program.runtime, err);
}

static int stage_files(const struct fumehood_program *program, struct fumehood_result *result, struct base_err *err)
{
    int r = 0;

    result->files = calloc(program->file_count + 1, sizeof(*result->files));
    if (!result->files)
        return no_memory(err);
    for (; r >= 0 && result->file_count < program->file_count; result->file_count++) {
        const struct fumehood_file *file = &program->files[result->file_count];

        if (!file->path || (file->count && !file->bytes))
            return base_err_set(err, BASE_E_USAGE, "files", "has one without a path, or without its bytes");
        r = stage_file_from_bytes(file->path, file->bytes, file->count, file->executable ? 0755 : 0644,
                                  &result->files[result->file_count], err);
    }
    return r < 0 ? r : stage_files_check(&result->program, result->files, result->file_count, err);
}

static int set_environment(const struct fumehood_program *program, struct fumehood_result *result, struct base_err *err)
{
    size_t count = lib_count(program->environment);
    int r;

    if (count == 0)
        return 0;
    r = policy_copy(&result->shared->policy, &result->policy, err);
    result->has_policy = r >= 0;
    return r < 0 ? r : policy_add_envs(&result->policy, program->environment, count, err);
}

static int stage(struct fumehood_pool *pool, const struct fumehood_program *program, struct fumehood_result *result,
                 struct base_err *err)
{
    int r = check(program, err);

    if (r < 0)
        return r;
    lib_rooms_lock();
    result->shared = lib_shared_take(pool->shared);
    r = set_environment(program, result, err);
    if (r >= 0)
        r = stage_program(program, result, err);
    if (r >= 0)
        r = stage_files(program, result, err);
    if (r >= 0) /* a warden would say the same, after all of it was sent */
        r = run_staged_check(policy_of(result), &result->program, result->files, result->file_count, err);
    lib_rooms_unlock();
    return r;
}

static int submit(struct fumehood_pool *pool, struct lib_warden *warden, const struct fumehood_program *program,
                  struct fumehood_result *result, struct base_err *err)
{
    const struct run_request request = {
        .policy = policy_of(result),
        .program = &result->program,
        .args = program->args,
        .files = result->files,
        .file_count = result->file_count,
        .stdin_fd = -1,
        .stdin_bytes = program->stdin_bytes,
        .stdin_count = program->stdin_count,
        .stdout_fd = -1,
        .stderr_fd = -1,
        .cage = pool->cage,
    };
    struct lib_job *job = calloc(1, sizeof(*job));
    int r;

    if (!job)
        return no_memory(err);
    *job = (struct lib_job){.result = result};
    r = engine_link_submit(&warden->link, &pool->start, &request, job, err);
    if (r < 0) {
        free(job);
        return r;
    }
    result->job = job;
    atomic_store_explicit(&result->pool, pool, memory_order_relaxed); /* nobody else knows it yet */
    return 0;
}

/* The taken warden has only this job without an answer, so nobody else can hear of it. */
static void wait_answer(struct fumehood_pool *pool, struct lib_warden *warden, struct fumehood_result *result)
{
    while (result->job && !result->job->answered)
        lib_warden_listen(pool, warden);
}

static int run_once(struct fumehood_pool *pool, const struct fumehood_program *program, struct fumehood_result *result,
                    struct base_err *err)
{
    struct lib_warden *warden = lib_warden_take(pool);
    int r;

    result->last = (struct engine_event){0};
    r = submit(pool, warden, program, result, err);
    if (r >= 0) {
        wait_answer(pool, warden, result);
        result->outcome = result->last.answer.outcome;
        result->merged = result->last.kind == ENGINE_SETTLED;
        if (result->last.answer.code < 0) {
            *err = result->last.answer.error;
            r = result->last.answer.code;
        }
    }
    lib_warden_give_back(pool, warden);
    return r;
}

/* What a dying warden did not take is for another one; what it took may have run, and is not done twice. */
static int run(struct fumehood_pool *pool, const struct fumehood_program *program, struct fumehood_result *result,
               struct base_err *err)
{
    int r = stage(pool, program, result, err);

    if (r >= 0)
        r = run_once(pool, program, result, err);
    if (r < 0 && result->last.untaken)
        r = run_once(pool, program, result, err);
    return r;
}

int fumehood_run(struct fumehood_pool *pool, const struct fumehood_program *program,
                 struct fumehood_result **ret_result, struct fumehood_error *error)
{
    struct fumehood_result *result = calloc(1, sizeof(*result));
    struct base_err err;
    int r = result ? run(pool, program, result, &err) : no_memory(&err);

    for (size_t i = 0; result && i < result->file_count; i++)
        result->files[i].bytes = NULL; /* the caller's again */
    if (r < 0) {
        fumehood_result_free(result);
        return lib_error(&err, error);
    }
    *ret_result = result;
    return 0;
}
