/* watched.h - a run that is watched, as a value: made-up policy, report, counters and control group */
#pragma once

#include "../apart.h"
#include "base/clock.h"
#include "warden/watch.h"

struct watched {
    struct policy policy;
    struct cage_host host;
    struct cage_plan plan;
    struct warden_job job;
    struct warden_outcome outcome;
    struct cage_report report;
    struct cage_counters counters;
    struct warden_watch watch;
};

/* A run with the default policy, in which nothing has happened yet. */
static inline struct watched *watched_new(void)
{
    struct watched *run = test_calloc(1, sizeof(*run));

    assert_int_equal(policy_builtin("default", &run->policy, NULL), 0);
    run->plan.policy = &run->policy;
    run->host.manager = CAGE_MANAGER_V1;
    run->job = (struct warden_job){
        .host = &run->host, .plan = &run->plan, .stdin_fd = -1, .stdin_bytes = "", .stdout_fd = -1, .stderr_fd = -1};
    run->report.failed_step = -1;
    run->counters = (struct cage_counters){UINT64_MAX, UINT64_MAX, UINT64_MAX, {UINT64_MAX, UINT64_MAX, false, false}};
    run->watch.job = &run->job;
    run->watch.outcome = &run->outcome;
    run->watch.report = &run->report;
    run->watch.taken = CAGE_CONTROLLER_MAX;
    run->watch.cage = (struct cage)CAGE_NONE;
    run->watch.cage.cgroup.host = &run->host;
    run->watch.signal_fd = run->watch.source.write_fd = run->watch.source.file_fd = -1;
    for (int i = 0; i < 4; i++)
        run->watch.guest_fds[i] = -1;
    for (int i = 0; i < WARDEN_SINK_MAX; i++)
        run->watch.sinks[i].read_fd = -1;
    return run;
}

static inline void watched_free(struct watched *run)
{
    cage_forget(&run->watch.cage);
    warden_streams_close(&run->watch);
    warden_outcome_release(&run->outcome);
    policy_release(&run->policy);
    test_free(run);
}

static inline void watched_set(struct watched *run, const char *assignment)
{
    struct base_err err = {0};

    if (policy_set_limit(&run->policy, assignment, &err) < 0)
        fail_msg("%s: %s", assignment, err.what);
}
