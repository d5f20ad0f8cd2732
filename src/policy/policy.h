/* policy.h - the execution contract as a value
 *
 * Everything that is not granted here is denied. A policy has no side effects: it is parsed, merged, hashed and
 * explained; other rooms enforce it.
 */
#pragma once

#include "base/cleanup.h"
#include "base/doc.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/units.h"
#include "policy/profile.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_limit_key {
#define POLICY_LIMIT(name, unit, value, text) POLICY_LIMIT_##name,
#include "policy/limits.def"
#undef POLICY_LIMIT
    POLICY_LIMIT_MAX
};

struct policy_limit {
    uint64_t value; /* in the key's unit; meaningless when unlimited */
    bool unlimited;
    bool if_available; /* spelled KEY_if_available: run without it where the machine cannot enforce it */
    char reason[128];  /* why it is unlimited; required in a policy file */
};

enum policy_tier {
    POLICY_TIER_PROCESS,
    POLICY_TIER_CONTAINER,
    POLICY_TIER_GVISOR,
    POLICY_TIER_MICROVM,
    POLICY_TIER_HOST,
    POLICY_TIER_MAX
};
enum policy_network { POLICY_NETWORK_NONE, POLICY_NETWORK_LOOPBACK, POLICY_NETWORK_MAX };
enum policy_proc { POLICY_PROC_OWN, POLICY_PROC_MACHINE, POLICY_PROC_MAX }; /* what /proc shows beside processes */
enum policy_output { POLICY_OUTPUT_END, POLICY_OUTPUT_TRUNCATE, POLICY_OUTPUT_MAX };
enum policy_denials { POLICY_DENIALS_RECORD, POLICY_DENIALS_FAIL, POLICY_DENIALS_END, POLICY_DENIALS_MAX };

enum policy_observe { POLICY_OBSERVE_FILES, POLICY_OBSERVE_EXEC, POLICY_OBSERVE_MAX };

/* What of the default's system calls is left. */
struct policy_syscalls {
    char name[64];           /* of the profile, for people */
    bool by_runtime;         /* not known before the program is; see policy_settle() */
    bool narrowed;           /* else it is the default, and the set does not matter */
    struct policy_set calls; /* narrowed: what stays */
};

#define POLICY_ENV_MAX 64

struct policy {
    char name[64];
    enum policy_tier tier;
    struct policy_limit limits[POLICY_LIMIT_MAX];
    enum policy_network network;
    enum policy_proc proc;
    enum policy_output output;   /* what happens at the stdout or stderr limit */
    enum policy_denials denials; /* what a denied attempt means for the run and the verdict */
    uint64_t denied_calls;       /* so many end the run, unless the first does; see policy_denied_calls() */
    struct policy_syscalls syscalls;
    unsigned observe;          /* bits of enum policy_observe: also noted, never decided on */
    char *env[POLICY_ENV_MAX]; /* "NAME=VALUE", owned; added to the fixed environment */
    size_t env_count;
};

/* The built-in policy @name: "default", or "if-available" (the same, with the limits that need a control group spelled
 * _if_available). BASE_E_NOT_FOUND for any other name. */
int policy_builtin(const char *name, struct policy *ret_policy, struct base_err *err);

/* Parse a policy document over the default policy. @place names it in errors. Foreign bytes: has a fuzzer. */
int policy_parse(const char *bytes, size_t count, const char *place, struct policy *ret_policy, struct base_err *err);

/* Apply the clauses of @doc, a policy that stands inside another document, over *@policy. */
int policy_apply(const struct base_doc *doc, const char *place, struct policy *policy, struct base_err *err);

/* @ref is a built-in name, or a file when it holds '/' or '.'. BASE_E_NOT_FOUND: there is none; BASE_E_IO: the file
 * cannot be read; BASE_E_INVALID, _REFUSED, _TOO_LARGE: it is no policy that can be kept. */
int policy_load(const char *ref, struct policy *ret_policy, struct base_err *err);

/* A copy that owns all it has. BASE_E_NOMEM. */
int policy_copy(const struct policy *policy, struct policy *ret_policy, struct base_err *err);

/* Spell every limit KEY_if_available. */
void policy_soften(struct policy *policy);

/* Apply "KEY=VALUE" or "KEY_if_available=VALUE" from the command line. BASE_E_USAGE. */
int policy_set_limit(struct policy *policy, const char *assignment, struct base_err *err);

/* Add "NAME=VALUE", over a value that the policy gave it. The fixed names (PATH, HOME, LANG, TZ, TMPDIR) and loader
 * variables (LD_*) may be set: the guest could set them itself. BASE_E_USAGE for a name that is not
 * [A-Za-z_][A-Za-z0-9_]*, or too many. */
int policy_add_env(struct policy *policy, const char *assignment, struct base_err *err);

/* All of @assignments, each name once, whether with _if_available or without: BASE_E_USAGE. @by is who gives them, the
 * reason of one that is unlimited. */
int policy_set_limits(struct policy *policy, const char *const *assignments, size_t count, const char *by,
                      struct base_err *err);
int policy_add_envs(struct policy *policy, const char *const *assignments, size_t count, struct base_err *err);

/* The denied call that ends the run: the first under `denials: end`, else what the policy says. */
#define POLICY_NO_DENIED_CALL UINT64_MAX
uint64_t policy_denied_calls(const struct policy *policy);

/* Canonical JSON of the whole value ("fumehood.policy/1"), which policy_parse() accepts again. New reference. */
json_t *policy_json(const struct policy *policy);

/* @policy for a program of @runtime: where it says `syscalls: runtime`, with the profile of that. A copy that borrows
 * everything; not to be released. */
struct policy policy_settle(const struct policy *policy, const char *runtime);

/* What is left of the default's calls: the profile's set, or all that the default allows. */
struct policy_set policy_allowed(const struct policy *policy);

/* SHA-256 of their names, sorted, each with a newline after it. */
void policy_allowed_hash(const struct policy *policy, char ret_hex[BASE_HASH_HEX]);

/* SHA-256 of the canonical JSON. */
int policy_hash(const struct policy *policy, char ret_hex[BASE_HASH_HEX], struct base_err *err);

void policy_release(struct policy *policy);
#define AUTO_POLICY CLEANUP(policy_release)

/* Words of the contract; NULL past the end. */
const char *policy_limit_name(enum policy_limit_key key);
enum base_unit policy_limit_unit(enum policy_limit_key key);
const char *policy_limit_text(enum policy_limit_key key); /* one line for people */
const char *policy_tier_name(enum policy_tier tier);
const char *policy_network_name(enum policy_network network);
const char *policy_proc_name(enum policy_proc proc);
const char *policy_output_name(enum policy_output output);
const char *policy_denials_name(enum policy_denials denials);
const char *policy_observe_name(enum policy_observe observe);

/* Parse a tier's name; the tiers other than container are not built in this version: BASE_E_REFUSED names that. */
int policy_set_tier(struct policy *policy, const char *name, struct base_err *err);
