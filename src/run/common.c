/* common.c - values that many receipts have, made once */
#include "run/common.h"
#include <stdlib.h>
#include <string.h>

/* What a value depends on, beside the policy. */
union key {
    const struct stage_runtime *runtime;
    uint64_t steps[3];
    unsigned char limits[sizeof(((struct warden_outcome *)0)->limits)];
    unsigned char groups[sizeof(((struct warden_outcome *)0)->groups)];
};

struct run_common {
    struct {
        json_t *value;
        union key key;
    } rows[RUN_COMMON_MAX];
};

struct run_common *run_common_new(void)
{
    return calloc(1, sizeof(struct run_common));
}

void run_common_free(struct run_common *common)
{
    for (unsigned i = 0; common && i < RUN_COMMON_MAX; i++)
        json_decref(common->rows[i].value);
    free(common);
}

static void fill_key(enum run_common_kind kind, const struct run_request *request, const struct warden_outcome *outcome,
                     union key *key)
{
    memset(key, 0, sizeof(*key));
    if (kind == RUN_COMMON_SYSCALLS)
        key->runtime = request->program->runtime;
    if (kind == RUN_COMMON_MOUNTS)
        key->steps[0] = outcome->settings;
    if (kind == RUN_COMMON_LIMITS)
        memcpy(key->limits, outcome->limits, sizeof(key->limits));
    if (kind == RUN_COMMON_CGROUP)
        memcpy(key->groups, &outcome->groups, sizeof(key->groups));
    if (kind == RUN_COMMON_PROTECTIONS) {
        key->steps[0] = outcome->protections_requested;
        key->steps[1] = outcome->protections_achieved;
        key->steps[2] = outcome->protections_missing;
    }
}

json_t *run_common_get(enum run_common_kind kind, const struct run_request *request,
                       const struct warden_outcome *outcome, run_common_make *make)
{
    struct run_common *common = request->common;
    union key key;

    if (!common)
        return make(request, outcome);
    fill_key(kind, request, outcome, &key);
    if (!common->rows[kind].value || memcmp(&common->rows[kind].key, &key, sizeof(key)) != 0) {
        json_decref(common->rows[kind].value);
        common->rows[kind].value = make(request, outcome);
        common->rows[kind].key = key;
    }
    return json_incref(common->rows[kind].value);
}
