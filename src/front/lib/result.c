/* result.c - what is known of a run */
#include "base/cleanup.h"
#include "base/json.h"
#include "front/lib/lib.h"
#include "receipt/receipt.h"
#include "run/run.h"
#include <stdio.h>
#include <stdlib.h>

#define SAME(name) _Static_assert((int)FUMEHOOD_##name == (int)WARDEN_##name, #name)
SAME(EXITED);
SAME(SIGNALED);
SAME(LIMIT);
SAME(DENIED);
SAME(CANCELLED);
SAME(SETUP_ERROR);
SAME(LOST);
_Static_assert(FUMEHOOD_UNKNOWN == WARDEN_UNKNOWN, "UNKNOWN");

enum fumehood_ending fumehood_result_ending(const struct fumehood_result *result)
{
    return (enum fumehood_ending)result->outcome.ending;
}

const char *fumehood_result_ending_name(const struct fumehood_result *result)
{
    return warden_ending_name(result->outcome.ending);
}

int fumehood_result_exit_code(const struct fumehood_result *result)
{
    return result->outcome.ending == WARDEN_EXITED ? result->outcome.exit_code : -1;
}

int fumehood_result_signal(const struct fumehood_result *result)
{
    return result->outcome.ending == WARDEN_SIGNALED ? result->outcome.signal : 0;
}

const char *fumehood_result_limit(const struct fumehood_result *result)
{
    return result->outcome.ending == WARDEN_LIMIT ? warden_limit_name(result->outcome.limit) : NULL;
}

const char *fumehood_result_detail(const struct fumehood_result *result)
{
    const struct warden_outcome *outcome = &result->outcome;
    struct base_err err = outcome->error;

    if (outcome->ending != WARDEN_SETUP_ERROR && outcome->ending != WARDEN_LOST)
        return outcome->detail;
    lib_name_fields(&err);
    /* the text is made in the result's own memory, which is its owner's */
    return base_err_text(&err, ((struct fumehood_result *)(uintptr_t)result)->detail, sizeof(result->detail));
}

uint64_t fumehood_result_wall_us(const struct fumehood_result *result)
{
    return result->outcome.wall_us;
}

uint64_t fumehood_result_cpu_us(const struct fumehood_result *result)
{
    return result->outcome.cpu_us;
}

uint64_t fumehood_result_memory_peak_bytes(const struct fumehood_result *result)
{
    return result->outcome.memory_peak_bytes;
}

uint64_t fumehood_result_processes_peak(const struct fumehood_result *result)
{
    return result->outcome.processes_peak;
}

static struct fumehood_output output(const struct warden_stream *stream)
{
    return (struct fumehood_output){
        .bytes = stream->kept.bytes ? stream->kept.bytes : "",
        .count = stream->kept.count,
        .written_bytes = stream->bytes,
        .truncated = stream->truncated,
    };
}

struct fumehood_output fumehood_result_stdout(const struct fumehood_result *result)
{
    return output(&result->outcome.out);
}

struct fumehood_output fumehood_result_stderr(const struct fumehood_result *result)
{
    return output(&result->outcome.err);
}

size_t fumehood_result_denial_count(const struct fumehood_result *result)
{
    return result->outcome.denial_count;
}

struct fumehood_denial fumehood_result_denial(const struct fumehood_result *result, size_t index)
{
    const struct warden_denial *denial = &warden_outcome_denials(&result->outcome)[index];

    return (struct fumehood_denial){denial->class_name, denial->what, denial->count, denial->first_us};
}

void fumehood_result_settle(struct fumehood_result *result)
{
    struct fumehood_pool *pool = atomic_load_explicit(&result->pool, memory_order_acquire);

    if (pool)
        lib_wait_settled(pool, result);
    if (result->merged)
        return;
    engine_event_settle(&result->last, &result->outcome);
    result->merged = true;
}

static int make_receipt(struct fumehood_result *result, struct base_err *err)
{
    const struct run_request request = {
        .policy = result->has_policy ? &result->policy : &result->shared->policy,
        .program = &result->program,
        .files = result->files,
        .file_count = result->file_count,
        .stdin_fd = -1,
        .stdout_fd = -1,
        .stderr_fd = -1,
        .common = result->has_policy ? NULL : result->shared->common,
    };
    AUTO_JSON json_t *receipt = NULL;
    char sha256[BASE_HASH_HEX];
    int r = run_receipt(&request, &result->outcome, &receipt, err);

    return r < 0 ? r : receipt_seal(receipt, NULL, &result->receipt, sha256, err);
}

int fumehood_result_receipt(struct fumehood_result *result, const char **ret_json, struct fumehood_error *error)
{
    struct base_err err;
    int r = 0;

    fumehood_result_settle(result);
    if (result->receipt.count == 0) {
        lib_rooms_lock();
        r = make_receipt(result, &err);
        lib_rooms_unlock();
    }
    if (r < 0)
        return lib_error(&err, error);
    *ret_json = result->receipt.bytes;
    return 0;
}

/* Its warden may still speak of it. */
static void forget(struct fumehood_result *result)
{
    struct fumehood_pool *pool = atomic_load_explicit(&result->pool, memory_order_acquire);

    if (!pool)
        return;
    (void)pthread_mutex_lock(&pool->lock);
    if (result->job)
        result->job->result = NULL;
    (void)pthread_mutex_unlock(&pool->lock);
}

void fumehood_result_free(struct fumehood_result *result)
{
    if (!result)
        return;
    forget(result);
    warden_outcome_release(&result->outcome);
    policy_release(&result->policy);
    lib_rooms_lock();
    lib_shared_drop(result->shared);
    lib_rooms_unlock();
    stage_program_release(&result->program);
    base_buf_release(&result->receipt);
    free(result->files);
    free(result);
}
