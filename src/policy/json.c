/* json.c - a policy as canonical JSON, and its hash */
#include "base/json.h"
#include "policy/internal.h"
#include <stdio.h>
#include <string.h>

static json_t *limit_value(const struct policy_limit *limit)
{
    if (!limit->unlimited)
        return json_integer((json_int_t)limit->value);
    return json_pack("{s:o}", "unlimited", base_json_text(limit->reason, strlen(limit->reason)));
}

static json_t *limits_json(const struct policy *policy)
{
    AUTO_JSON json_t *limits = json_object();
    char name[64];

    for (size_t key = 0; key < POLICY_LIMIT_MAX; key++) {
        const struct policy_limit *limit = &policy->limits[key];

        (void)snprintf(name, sizeof(name), "%s%s", policy_limit_name((enum policy_limit_key)key),
                       limit->if_available ? POLICY_IF_AVAILABLE : "");
        if (json_object_set_new(limits, name, limit_value(limit)) < 0)
            return NULL;
    }
    return json_incref(limits);
}

static json_t *environment_json(const struct policy *policy)
{
    AUTO_JSON json_t *environment = json_object();

    for (size_t i = 0; i < policy->env_count; i++) {
        const char *equals = strchr(policy->env[i], '=');
        size_t count = (size_t)(equals - policy->env[i]);

        if (json_object_setn_new(environment, policy->env[i], count, json_string(equals + 1)) < 0)
            return NULL;
    }
    return json_incref(environment);
}

/* The default by its name, and so what depends on the program; all others with what they hold, so that the hash is of
 * that. */
static json_t *syscalls_json(const struct policy_syscalls *syscalls)
{
    AUTO_JSON json_t *allow = json_array();

    if (!syscalls->narrowed)
        return json_string(syscalls->by_runtime ? POLICY_PROFILE_RUNTIME : POLICY_PROFILE_DEFAULT);
    for (unsigned i = 0; i < policy_call_count; i++)
        if (policy_set_has(&syscalls->calls, i) && json_array_append_new(allow, json_string(policy_calls[i].name)) < 0)
            return NULL;
    return json_pack("{s:o, s:O}", "name", base_json_text(syscalls->name, strlen(syscalls->name)), "allow", allow);
}

static json_t *observe_json(unsigned observe)
{
    AUTO_JSON json_t *words = json_array();

    for (unsigned i = 0; i < POLICY_OBSERVE_MAX; i++)
        if ((observe >> i & 1) &&
            json_array_append_new(words, json_string(policy_observe_name((enum policy_observe)i))) < 0)
            return NULL;
    return json_incref(words);
}

static json_t *denied_calls_json(uint64_t count)
{
    return count == POLICY_NO_DENIED_CALL ? json_string(POLICY_UNLIMITED) : json_integer((json_int_t)count);
}

json_t *policy_json(const struct policy *policy)
{
    /* "s" here only for words of ours; a name may hold anything, so base_json_text() makes it text. */
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "schema", POLICY_SCHEMA, "name",
        base_json_text(policy->name, strlen(policy->name)), "tier", policy_tier_name(policy->tier), "network",
        policy_network_name(policy->network), "proc", policy_proc_name(policy->proc), "output_limit",
        policy_output_name(policy->output), "denials", policy_denials_name(policy->denials), "denied_calls",
        denied_calls_json(policy_denied_calls(policy)), "environment", environment_json(policy), "limits",
        limits_json(policy), "syscalls", syscalls_json(&policy->syscalls), "observe", observe_json(policy->observe));
}

struct policy_set policy_allowed(const struct policy *policy)
{
    return policy->syscalls.narrowed ? policy->syscalls.calls : policy_calls_default;
}

void policy_allowed_hash(const struct policy *policy, char ret_hex[BASE_HASH_HEX])
{
    const struct policy_set allowed = policy_allowed(policy);
    char names[1024]; /* to hash in few steps; a starter's stack may be small */
    struct base_hash hash;
    size_t count = 0;

    base_hash_init(&hash);
    for (unsigned i = 0; i < policy_call_count; i++) {
        size_t length = strlen(policy_calls[i].name); /* less than POLICY_CALL_BYTES */

        if (!policy_set_has(&allowed, i))
            continue;
        if (count + POLICY_CALL_BYTES > sizeof(names)) {
            base_hash_update(&hash, names, count);
            count = 0;
        }
        memcpy(names + count, policy_calls[i].name, length);
        names[count + length] = '\n';
        count += length + 1;
    }
    base_hash_update(&hash, names, count);
    base_hash_hex(&hash, ret_hex);
}

int policy_hash(const struct policy *policy, char ret_hex[BASE_HASH_HEX], struct base_err *err)
{
    AUTO_JSON json_t *json = policy_json(policy);
    int r = json ? base_json_hash(json, ret_hex) : BASE_E_NOMEM;

    return r < 0 ? base_err_set(err, r, "policy", "cannot be hashed: out of memory") : 0;
}
