/* common.h - inside the room: values that many receipts have, made once */
#pragma once

#include "run/run.h"

enum run_common_kind {
    RUN_COMMON_POLICY,
    RUN_COMMON_ROOT,
    RUN_COMMON_MOUNTS,
    RUN_COMMON_RESIDUAL,
    RUN_COMMON_ARTIFACTS,
    RUN_COMMON_SYSCALLS,
    RUN_COMMON_PROTECTIONS,
    RUN_COMMON_LIMITS,
    RUN_COMMON_CGROUP,
    RUN_COMMON_MAX
};

typedef json_t *run_common_make(const struct run_request *request, const struct warden_outcome *outcome);

/* The value of @kind that @request->common has, where what it depends on is as it was; else what @make makes, which is
 * then kept there. It is never changed by anybody. New reference, NULL without memory. */
json_t *run_common_get(enum run_common_kind kind, const struct run_request *request,
                       const struct warden_outcome *outcome, run_common_make *make);
