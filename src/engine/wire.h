/* wire.h - messages between the pool and its workers
 *
 * Both ends are of one build, which the first message of each proves (engine_stamp), so fixed structs travel as they
 * are; only what pointers point to is spelled out. A message is its length and then its bytes; the halves of each
 * message stand side by side in wire.c.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "run/run.h"

/* Of all sources that say what the messages look like; made by the build. */
extern const char engine_stamp[BASE_HASH_HEX];

/* A request as the worker has it; everything in it points into the message or is owned here. */
struct engine_job {
    uint64_t number;
    struct base_buf message;
    struct stage_program program;
    struct stage_file *files;
    const char **args;
    struct policy policy; /* the worker's, with the environment of this run; borrowed, not to be released */
    struct run_request request;
};
void engine_job_release(struct engine_job *job);

/* What a worker says of a job: first its verdict, then, once its cage is proved gone, the same with all counters, but
 * without the buffers. A job that could not be run has one answer: settled, with a code. */
struct engine_answer {
    uint64_t number; /* of the job */
    bool settled;
    int code;              /* 0, or BASE_E_* with .error */
    struct base_err error; /* code < 0 */
    struct warden_outcome outcome;
};

/* All return 0, or BASE_E_LOST when the other end is gone (with the errno ECONNRESET: it left something unread), or
 * BASE_E_NOMEM, BASE_E_TOO_LARGE, BASE_E_INTERNAL. A request carries the environment of its policy, and nothing else of
 * it: the worker has @policy from the beginning. */
int engine_wire_send_request(int fd, uint64_t number, const struct run_request *request, struct base_err *err);
int engine_wire_receive_request(int fd, const struct policy *policy, struct engine_job *ret_job, struct base_err *err);
int engine_wire_send_answer(int fd, const struct engine_answer *answer, struct base_err *err);
int engine_wire_receive_answer(int fd, struct engine_answer *ret_answer, struct base_err *err);

/* The first message in both directions. BASE_E_INVALID: the other end is of another build, or no warden at all. */
int engine_wire_send_hello(int fd, struct base_err *err);
int engine_wire_receive_hello(int fd, struct base_err *err);

/* What a worker says once it has its policy; sent as bytes. */
struct engine_ready {
    int code; /* 0, or BASE_E_* with .error: the policy cannot be enforced here */
    struct base_err error;
    char policy_sha256[BASE_HASH_HEX]; /* of what it understood */
};

/* A message of bytes: the number of its processor (engine_link.processor), the policy, and what is said to it. */
int engine_wire_send_bytes(int fd, const void *bytes, size_t count, struct base_err *err);
int engine_wire_receive_bytes(int fd, struct base_buf *ret_bytes, struct base_err *err);
