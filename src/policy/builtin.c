/* builtin.c - the policies that need no file */
#include "base/cleanup.h"
#include "base/near.h"
#include "policy/internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t defaults[] = {
#define POLICY_LIMIT(name, unit, value, text) [POLICY_LIMIT_##name] = value,
#include "policy/limits.def"
#undef POLICY_LIMIT
};

/* Without a control group nothing else bounds these for a whole tree of processes. */
static const enum policy_limit_key need_cgroup[] = {POLICY_LIMIT_MEMORY_BYTES, POLICY_LIMIT_PROCESSES,
                                                    POLICY_LIMIT_CPUS};

static void fill_default(struct policy *policy)
{
    *policy = (struct policy){
        .name = "default",
        .tier = POLICY_TIER_CONTAINER,
        .network = POLICY_NETWORK_NONE,
        .output = POLICY_OUTPUT_END,
        .denials = POLICY_DENIALS_RECORD,
        .denied_calls = POLICY_NO_DENIED_CALL,
        .syscalls = {.name = POLICY_PROFILE_DEFAULT},
    };
    for (size_t key = 0; key < POLICY_LIMIT_MAX; key++) {
        struct policy_limit *limit = &policy->limits[key];

        limit->value = defaults[key];
        limit->unlimited = defaults[key] == 0;
        if (limit->unlimited)
            (void)snprintf(limit->reason, sizeof(limit->reason), "bounded by wall_ms and cpus");
    }
}

int policy_builtin(const char *name, struct policy *ret_policy, struct base_err *err)
{
    bool if_available = strcmp(name, "if-available") == 0;
    struct base_near near = {.word = name};
    char guess[64];

    if (!if_available && strcmp(name, "default") != 0) {
        (void)base_err_set(err, BASE_E_NOT_FOUND, NULL, "no built-in policy \"%s\"", name);
        base_near_offer(&near, "default");
        base_near_offer(&near, "if-available");
        (void)base_err_remedy(err, "%sdefault or if-available; the name of a file holds a / or a .",
                              base_near_text(&near, guess, sizeof(guess)));
        return BASE_E_NOT_FOUND;
    }
    fill_default(ret_policy);
    (void)snprintf(ret_policy->name, sizeof(ret_policy->name), "%s", name);
    if (if_available)
        for (size_t i = 0; i < ARRAY_COUNT(need_cgroup); i++)
            ret_policy->limits[need_cgroup[i]].if_available = true;
    return 0;
}

struct policy policy_settle(const struct policy *policy, const char *runtime)
{
    const struct policy_profile *profile = policy->syscalls.by_runtime ? policy_profile_of_runtime(runtime) : NULL;
    struct policy settled = *policy;

    if (!policy->syscalls.by_runtime)
        return settled;
    settled.syscalls = (struct policy_syscalls){.name = POLICY_PROFILE_DEFAULT};
    if (profile)
        policy_syscalls_set(&settled.syscalls, profile);
    return settled;
}

void policy_syscalls_set(struct policy_syscalls *syscalls, const struct policy_profile *profile)
{
    *syscalls = (struct policy_syscalls){.narrowed = true, .calls = profile->calls};
    memcpy(syscalls->name, profile->name, sizeof(syscalls->name));
}

uint64_t policy_denied_calls(const struct policy *policy)
{
    return policy->denials == POLICY_DENIALS_END ? 1 : policy->denied_calls;
}

void policy_release(struct policy *policy)
{
    for (size_t i = 0; i < policy->env_count; i++)
        free(policy->env[i]);
    policy->env_count = 0;
}
