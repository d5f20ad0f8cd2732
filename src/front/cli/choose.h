/* choose.h - the policy that the options of run, eval and explain add up to */
#pragma once

#include "front/cli/options.h"
#include "policy/policy.h"
#include "run/run.h"

/* What the options gave; unset members are NULL or empty. */
struct cli_choice {
    const char *policy;            /* --policy: a file or a built-in name; "default" when NULL */
    const char *tier;              /* --tier */
    const struct cli_list *limits; /* --limit, may be NULL */
    const struct cli_list *env;    /* --env, may be NULL */
};

/* What --cage and --fresh add up to; @cage may be NULL. */
int cli_choose_cage(const struct cli_syntax *syntax, const char *cage, bool fresh, enum run_cage by_default,
                    enum run_cage *ret_cage, struct base_err *err);

/* Load the policy and apply the options over it, in the order of the struct. Release with policy_release(). */
int cli_choose_policy(const struct cli_choice *choice, struct policy *ret_policy, struct base_err *err);
