/* words.c - the words of the contract for the values of a policy */
#include "base/cleanup.h"
#include "policy/internal.h"
#include <stdio.h>
#include <string.h>

static const char *const tiers[] = {
    [POLICY_TIER_PROCESS] = "process", [POLICY_TIER_CONTAINER] = "container", [POLICY_TIER_GVISOR] = "gvisor",
    [POLICY_TIER_MICROVM] = "microvm", [POLICY_TIER_HOST] = "host",
};
static const char *const networks[] = {[POLICY_NETWORK_NONE] = "none", [POLICY_NETWORK_LOOPBACK] = "loopback"};
static const char *const procs[] = {[POLICY_PROC_OWN] = "own", [POLICY_PROC_MACHINE] = "machine"};
static const char *const outputs[] = {[POLICY_OUTPUT_END] = "end", [POLICY_OUTPUT_TRUNCATE] = "truncate"};
static const char *const denials[] = {
    [POLICY_DENIALS_RECORD] = "record",
    [POLICY_DENIALS_FAIL] = "fail",
    [POLICY_DENIALS_END] = "end",
};

static const char *const observes[] = {[POLICY_OBSERVE_FILES] = "files", [POLICY_OBSERVE_EXEC] = "exec"};

#define WORD(table, index) ((size_t)(index) < ARRAY_COUNT(table) ? (table)[index] : NULL)

const char *policy_tier_name(enum policy_tier tier)
{
    return WORD(tiers, tier);
}

const char *policy_network_name(enum policy_network network)
{
    return WORD(networks, network);
}

const char *policy_proc_name(enum policy_proc proc)
{
    return WORD(procs, proc);
}

const char *policy_output_name(enum policy_output output)
{
    return WORD(outputs, output);
}

const char *policy_denials_name(enum policy_denials value)
{
    return WORD(denials, value);
}

const char *policy_observe_name(enum policy_observe observe)
{
    return WORD(observes, observe);
}

int policy_tier_read(struct policy *policy, const char *name, const char *place, int unknown_code, struct base_err *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(tiers); i++) {
        if (strcmp(tiers[i], name) != 0)
            continue;
        if (i == POLICY_TIER_CONTAINER) {
            policy->tier = POLICY_TIER_CONTAINER;
            return 0;
        }
        (void)base_err_set(err, BASE_E_REFUSED, place, "tier %s is not built in this version", name);
        (void)base_err_remedy(err, "this version has the tier container only");
        return BASE_E_REFUSED;
    }
    (void)base_err_set(err, unknown_code, place, "unknown tier \"%s\"", name);
    (void)base_err_remedy(err, "one of process, container, gvisor, microvm, host; this version has container only");
    return unknown_code;
}

int policy_set_tier(struct policy *policy, const char *name, struct base_err *err)
{
    return policy_tier_read(policy, name, "--tier", BASE_E_USAGE, err);
}
