/* choose.h - the policy that the options of run, eval and explain add up to */
#pragma once

#include "front/cli/options.h"
#include "policy/policy.h"
#include "run/run.h"

/* What the options gave; unset members are NULL or empty. */
struct cli_choice {
    const char *policy;            /* --policy: a file or a built-in name; NULL: the user's own, else "default" */
    const char *tier;              /* --tier */
    const struct cli_list *limits; /* --limit, may be NULL */
    const struct cli_list *env;    /* --env, may be NULL */
    bool if_available;             /* --if-available */
};

/* What --if-available and --policy say in every verb's help. */
#define CLI_CHOOSE_POLICY                                                                                              \
    "a policy file, or the built-in default or if-available; default: your own (~/.config/fumehood/policy.yaml), "     \
    "else "                                                                                                            \
    "default"
#define CLI_CHOOSE_IF_AVAILABLE "go on without those limits that this machine cannot enforce; the receipt says which"

#define CLI_CHOOSE_NO_SCOPE                                                                                            \
    "ask systemd for no scope of its own, which it does where no control group is delegated to it"

/* For this process and all that it starts, as the variable says that --no-scope stands for. */
void cli_choose_scope(bool is_off);

/* What --cage and --fresh add up to; @cage may be NULL. */
int cli_choose_cage(const struct cli_syntax *syntax, const char *cage, bool fresh, enum run_cage by_default,
                    enum run_cage *ret_cage, struct base_err *err);

/* Whether reading it waits for somebody; a plain word is a built-in policy, whatever lies here under that name. */
bool cli_choose_is_stream(const char *named);

/* Load a built-in policy or a file; "-", a FIFO and a shell's <(...) are read to their end. */
int cli_choose_named(const char *named, struct policy *ret_policy, struct base_err *err);

/* Load the policy and apply the options over it, in the order of the struct. A user's own is refused that somebody else
 * may write. Release with policy_release(). */
int cli_choose_policy(const struct cli_choice *choice, struct policy *ret_policy, struct base_err *err);
