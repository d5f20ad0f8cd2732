/* copy.c - a policy twice */
#include "policy/policy.h"
#include <string.h>

int policy_copy(const struct policy *policy, struct policy *ret_policy, struct base_err *err)
{
    AUTO_POLICY struct policy copy = *policy;

    memset(copy.env, 0, sizeof(copy.env));
    for (size_t i = 0; i < policy->env_count; i++) {
        copy.env[i] = strdup(policy->env[i]);
        if (!copy.env[i])
            return base_err_set(err, BASE_E_NOMEM, "policy", "cannot be copied: out of memory");
    }
    *ret_policy = copy;
    copy.env_count = 0; /* moved */
    return 0;
}
