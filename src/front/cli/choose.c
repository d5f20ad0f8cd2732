/* choose.c - policy file, then tier, limits and environment from the command line */

#include "front/cli/choose.h"
#include "base/cleanup.h"
#include "front/cli/say.h"

/* Lists may be NULL: there is no such option. */
static int apply_lists(const struct cli_choice *choice, struct policy *policy, struct base_err *err)
{
    const struct cli_list *limits = choice->limits, *env = choice->env;
    int r = limits ? policy_set_limits(policy, limits->items, limits->count, "command line", err) : 0;

    return r < 0 || !env ? r : policy_add_envs(policy, env->items, env->count, err);
}

int cli_choose_policy(const struct cli_choice *choice, struct policy *ret_policy, struct base_err *err)
{
    AUTO_POLICY struct policy policy = {0};
    int r = policy_load(choice->policy ? choice->policy : "default", &policy, err);

    r = cli_say_usage_if_missing(r, err);
    if (r >= 0 && choice->tier)
        r = policy_set_tier(&policy, choice->tier, err);
    if (r >= 0)
        r = apply_lists(choice, &policy, err);
    if (r < 0)
        return r;
    *ret_policy = policy;
    policy = (struct policy){0}; /* given away */
    return 0;
}

int cli_choose_cage(const struct cli_syntax *syntax, const char *cage, bool fresh, enum run_cage by_default,
                    enum run_cage *ret_cage, struct base_err *err)
{
    *ret_cage = fresh ? RUN_CAGE_FRESH : by_default;
    if (!cage)
        return 0;
    if (!run_cage_find(cage, ret_cage))
        return cli_options_err(syntax, err, "--cage is fresh, slot or zygote");
    if (fresh && *ret_cage != RUN_CAGE_FRESH)
        return cli_options_err(syntax, err, "--fresh and --cage %s exclude each other", cage);
    return 0;
}
