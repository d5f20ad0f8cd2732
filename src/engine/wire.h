/* wire.h - requests and results between the pool and its workers
 *
 * Both ends are the same program (a worker is a fork), so fixed structs travel as they are; only what pointers point to
 * is spelled out. A message is its length and then its bytes; the halves of each message stand side by side in wire.c.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "run/run.h"

/* A request as the worker has it; everything in it points into the message or is owned here. */
struct engine_job {
    struct base_buf message;
    struct stage_program program;
    struct stage_file *files;
    const char **args;
    struct run_request request;
};
void engine_job_release(struct engine_job *job);

/* All return 0, or BASE_E_LOST when the other end is gone, or BASE_E_NOMEM, BASE_E_TOO_LARGE, BASE_E_INTERNAL. */
int engine_wire_send_request(int fd, const struct run_request *request, struct base_err *err);
int engine_wire_receive_request(int fd, struct engine_job *ret_job, struct base_err *err);
int engine_wire_send_result(int fd, int code, const struct base_err *error, const struct warden_outcome *outcome,
                            struct base_err *err);
int engine_wire_receive_result(int fd, int *ret_code, struct base_err *ret_error, struct warden_outcome *ret_outcome,
                               struct base_err *err);
