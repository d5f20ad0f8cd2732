/* started.h - requests for runs, and what every test of real runs needs first */
#pragma once

#include "../apart.h"
#include "base/json.h"
#include "run/run.h"

#define MACHINE_STOP "/var/lib/fumehood/disabled"

/* "if-available" has the default limits; a test then asserts only what does not depend on control groups. */
static inline struct policy started_policy(void)
{
    struct policy policy;

    assert_int_equal(policy_builtin("if-available", &policy, NULL), 0);
    return policy;
}

static inline void started_program(struct stage_program *program, const char *name, const char *runtime,
                                   const char *text)
{
    struct base_err err = {0};

    if (stage_program_from_bytes(name, text, strlen(text), runtime, program, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
}

/* A program of this machine as if it were a candidate: it runs from /work, by itself. */
static inline void started_native(struct stage_program *program, const char *path)
{
    struct base_err err = {0};

    if (stage_program_load(path, "native", 64 << 20, program, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
}

static inline struct run_request started_request(const struct policy *policy, const struct stage_program *program)
{
    return (struct run_request){
        .policy = policy, .program = program, .stdin_fd = -1, .stdin_bytes = "", .stdout_fd = -1, .stderr_fd = -1};
}

static inline void started_run(const struct run_request *request, struct warden_outcome *ret_outcome)
{
    struct base_err err = {0};

    apart_need(access(MACHINE_STOP, F_OK) < 0, "the emergency stop of this machine is set");
    apart_need_namespaces();
    if (run_execute(request, ret_outcome, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
}

/* A run that must get as far as its own exit. */
static inline void started_exited(const struct run_request *request, struct warden_outcome *ret_outcome, int exit_code)
{
    started_run(request, ret_outcome);
    if (ret_outcome->ending != WARDEN_EXITED || ret_outcome->exit_code != exit_code)
        fail_msg("%s %d (%s): %s%s", warden_ending_name(ret_outcome->ending), ret_outcome->exit_code,
                 ret_outcome->detail, ret_outcome->error.what,
                 ret_outcome->err.kept.bytes ? ret_outcome->err.kept.bytes : "");
}
