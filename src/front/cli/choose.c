/* choose.c - policy file, then tier, limits and environment from the command line */

#include "front/cli/choose.h"
#include "base/cleanup.h"
#include "front/cli/say.h"
#include <string.h>

typedef int (*apply_fn)(struct policy *policy, const char *text, struct base_err *err);

static int apply_all(const struct cli_list *list, apply_fn apply, struct policy *policy, struct base_err *err)
{
    for (size_t i = 0; list && i < list->count; i++) {
        int r = apply(policy, list->items[i], err);
        if (r < 0)
            return r;
    }
    return 0;
}

/* The length of what "KEY=VALUE" names, without the suffix: a limit is the same one with _if_available. */
static size_t name_length(const char *text, const char *suffix)
{
    size_t length = strcspn(text, "="), tail = strlen(suffix);

    return length > tail && strncmp(text + length - tail, suffix, tail) == 0 ? length - tail : length;
}

/* Which of two values is meant is not for us to say. */
static int refuse_twice(const struct cli_list *list, const char *option, const char *suffix, struct base_err *err)
{
    for (size_t i = 0; list && i < list->count; i++)
        for (size_t j = 0; j < i; j++) {
            size_t length = name_length(list->items[i], suffix);

            if (length == name_length(list->items[j], suffix) && strncmp(list->items[i], list->items[j], length) == 0)
                return base_err_set(err, BASE_E_USAGE, option, "%.*s is given twice", (int)length, list->items[i]);
        }
    return 0;
}

int cli_choose_policy(const struct cli_choice *choice, struct policy *ret_policy, struct base_err *err)
{
    AUTO_POLICY struct policy policy = {0};
    int r = policy_load(choice->policy ? choice->policy : "default", &policy, err);

    r = cli_say_usage_if_missing(r, err);
    if (r >= 0)
        r = refuse_twice(choice->limits, "--limit", "_if_available", err);
    if (r >= 0)
        r = refuse_twice(choice->env, "--env", "", err);
    if (r >= 0 && choice->tier)
        r = policy_set_tier(&policy, choice->tier, err);
    if (r >= 0)
        r = apply_all(choice->limits, policy_set_limit, &policy, err);
    if (r >= 0)
        r = apply_all(choice->env, policy_add_env, &policy, err);
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
