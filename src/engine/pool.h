/* pool.h - N processes that each run one cage at a time
 *
 * Start the pool while the process is still small: every worker is a fork of it, and a fork of a large process is slow.
 * The parent stays in charge: it submits, collects and writes. A worker that dies is replaced, and the run that it had
 * comes back as `lost`.
 */
#pragma once

#include "base/err.h"
#include "run/run.h"

struct engine_pool;

/* @policy is copied into the workers. */
int engine_pool_start(unsigned jobs, const struct policy *policy, struct engine_pool **ret_pool, struct base_err *err);

/* Number of workers without a job. */
unsigned engine_pool_idle(const struct engine_pool *pool);

/* Hand a job to an idle worker. @request->policy, stdin_fd, stdout_fd and stderr_fd are not used; the bytes are copied.
 * @tag comes back with the result. */
int engine_pool_submit(struct engine_pool *pool, const struct run_request *request, void *tag, struct base_err *err);

/* Wait for any job to end, at most @timeout_ms (-1: for ever). Returns 1 with *ret_tag and *ret_result (an outcome, and
 * code 0; or an error in *ret_error with its code as *ret_code); 0 on time-out or when a signal arrived or nothing
 * runs. */
int engine_pool_wait(struct engine_pool *pool, int timeout_ms, void **ret_tag, struct warden_outcome *ret_outcome,
                     int *ret_code, struct base_err *ret_error);

/* End all workers and what they run, and free. NULL is fine. */
void engine_pool_stop(struct engine_pool *pool);
