/* env.c - variables that a policy adds to the guest's environment */
#include "base/json.h"
#include "policy/internal.h"
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX_BYTES 32768 /* POLICY_ENV_MAX of them fit well within what execve() takes */

static bool is_name(const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool letter = (name[i] >= 'A' && name[i] <= 'Z') || (name[i] >= 'a' && name[i] <= 'z') || name[i] == '_';
        bool digit = name[i] >= '0' && name[i] <= '9';

        if (!letter && !(digit && i > 0))
            return false;
    }
    return count > 0;
}

/* Where the variable is; env_count when it is not there. */
static size_t find_name(const struct policy *policy, const char *name, size_t count)
{
    size_t at = 0;

    while (at < policy->env_count && (strncmp(policy->env[at], name, count) != 0 || policy->env[at][count] != '='))
        at++;
    return at;
}

static char *join(const char *name, size_t name_count, const char *value, size_t value_count)
{
    char *entry = malloc(name_count + value_count + 2);

    if (!entry)
        return NULL;
    memcpy(entry, name, name_count);
    entry[name_count] = '=';
    memcpy(entry + name_count + 1, value, value_count + 1);
    return entry;
}

const char *policy_env_add(struct policy *policy, const char *name, size_t name_count, const char *value, bool replace,
                           bool *ret_nomem)
{
    size_t value_count = strlen(value), at = find_name(policy, name, name_count);
    char *entry;

    *ret_nomem = false;
    if (!is_name(name, name_count))
        return "is not a variable's name of letters, digits and _";
    if (name_count + value_count > VALUE_MAX_BYTES)
        return "is too long";
    if (!base_json_is_utf8(value, value_count)) /* a policy is text: it is hashed and shown as JSON */
        return "has a value that is not UTF-8";
    if (at < policy->env_count && !replace)
        return "is set twice";
    if (at == POLICY_ENV_MAX)
        return "is one variable too many";
    entry = join(name, name_count, value, value_count);
    if (!entry) {
        *ret_nomem = true;
        return "cannot be kept: out of memory";
    }
    if (at < policy->env_count)
        free(policy->env[at]);
    else
        policy->env_count++;
    policy->env[at] = entry;
    return NULL;
}

int policy_add_env(struct policy *policy, const char *assignment, struct base_err *err)
{
    const char *equals = strchr(assignment, '=');
    size_t name_count = equals ? (size_t)(equals - assignment) : strlen(assignment);
    const char *why;
    bool nomem = false;

    if (!equals) {
        (void)base_err_set(err, BASE_E_USAGE, "--env", "\"%.64s\" has no value", assignment);
        (void)base_err_remedy(err, "give NAME=VALUE; nothing is taken over from the environment");
        return BASE_E_USAGE;
    }
    why = policy_env_add(policy, assignment, name_count, equals + 1, true, &nomem);
    if (!why)
        return 0;
    return base_err_set(err, nomem ? BASE_E_NOMEM : BASE_E_USAGE, "--env", "\"%.*s\" %s",
                        (int)(name_count < 64 ? name_count : 64), assignment, why);
}
