/* pool.h - N processes that each run one cage at a time
 *
 * Every worker is this program after an exec, so the process that starts the pool may have any size. It stays in
 * charge: it submits, collects and writes. A worker that dies is replaced, and the run that it had comes back as
 * `lost`. For one thread at a time.
 */
#pragma once

#include "base/err.h"
#include "run/run.h"

struct engine_pool;

/* @program is the path of fumehood, @policy what every run has; both are copied. The workers write to @stderr_fd what
 * they die of; -1: nowhere. BASE_E_REFUSED: the policy cannot be enforced here, or the emergency stop is set. */
int engine_pool_start(unsigned jobs, const char *program, const struct policy *policy, int stderr_fd,
                      struct engine_pool **ret_pool, struct base_err *err);

/* Number of workers that can take a job. */
unsigned engine_pool_idle(const struct engine_pool *pool);

/* Number of jobs that are not settled. At most twice as many as workers. */
unsigned engine_pool_open(const struct engine_pool *pool);

/* Hand a job to an idle worker. Of @request->policy only the environment is used, stdin_fd, stdout_fd and stderr_fd are
 * not; the bytes are copied. @tag comes back with the events. */
int engine_pool_submit(struct engine_pool *pool, const struct run_request *request, void *tag, struct base_err *err);

/* What has happened to a job. First its VERDICT: the outcome is all that is known before its cage is gone, and the
 * worker may already have the next job. Then SETTLED: the outcome is final. One that could not be run is SETTLED
 * without a verdict, with its code and error. */
enum engine_pool_event { ENGINE_POOL_NOTHING, ENGINE_POOL_VERDICT, ENGINE_POOL_SETTLED };
struct engine_pool_report {
    void *tag;
    int code; /* 0, or BASE_E_* with .error */
    struct base_err error;
    struct warden_outcome *outcome; /* VERDICT: lent until it is settled; SETTLED: lent until the next call here */
};

/* Wait for something to happen, at most @timeout_ms (-1: for ever). NOTHING on time-out, when a signal arrived, or
 * where no job is open. */
enum engine_pool_event engine_pool_wait(struct engine_pool *pool, int timeout_ms,
                                        struct engine_pool_report *ret_report);

/* End all workers and what they run, and free. NULL is fine. */
void engine_pool_stop(struct engine_pool *pool);
