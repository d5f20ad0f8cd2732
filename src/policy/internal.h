/* internal.h - what the files of this room share; not for others */
#pragma once

#include "policy/policy.h"

#define POLICY_SCHEMA          "fumehood.policy/1"
#define POLICY_IF_AVAILABLE    "_if_available"
#define POLICY_UNLIMITED       "unlimited"
#define POLICY_PROFILE_DEFAULT "default"
#define POLICY_PROFILE_RUNTIME "runtime"

/* Find the limit that @name spells, with or without _if_available. False when there is none. */
bool policy_limit_find(const char *name, enum policy_limit_key *ret_key, bool *ret_if_available);

/* The same for a command line, with what people call them besides: wall, timeout, memory. */
bool policy_limit_find_any(const char *name, enum policy_limit_key *ret_key, bool *ret_if_available);

/* As policy_set_limit(); @by is the reason that "unlimited" then has. */
int policy_limit_set(struct policy *policy, const char *assignment, const char *by, struct base_err *err);

/* Read @text as a value of @key. Returns NULL, or a static clause that says what is wrong. */
const char *policy_limit_read(enum policy_limit_key key, const char *text, uint64_t *ret_value, bool *ret_unlimited);

/* The remedy for a value of @key that policy_limit_read() refused with @why; @unlimited is how no limit is spelled. */
void policy_limit_remedy(enum policy_limit_key key, const char *why, const char *unlimited, struct base_err *err);

/* The same for a count or size that is no limit, of at most @most. */
void policy_number_remedy(enum base_unit unit, uint64_t most, const char *why, const char *unlimited,
                          struct base_err *err);

/* The remedy for @name, which is no limit: a close one, and all of them. */
void policy_limit_unknown(const char *name, struct base_err *err);

/* As policy_add_env(), with the name and value apart; without @replace a name that is there already is wrong. Returns a
 * static clause that says what is wrong, NULL when nothing is, or a clause with *@ret_nomem true. */
const char *policy_env_add(struct policy *policy, const char *name, size_t name_count, const char *value, bool replace,
                           bool *ret_nomem);

/* What of the default @profile leaves. */
void policy_syscalls_set(struct policy_syscalls *syscalls, const struct policy_profile *profile);

/* As policy_set_tier(), with the error at @place and an unknown word as @unknown_code. */
int policy_tier_read(struct policy *policy, const char *name, const char *place, int unknown_code,
                     struct base_err *err);
