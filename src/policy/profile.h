/* profile.h - sets of system calls, by name: what a policy leaves of the default
 *
 * Which calls there are, and what the default says about each, comes from one list (cage/syscalls.def). Only names are
 * known here; numbers are the machine's.
 */
#pragma once

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_doc;

/* --- calls --- */

enum policy_grant {
    POLICY_CALL_ALLOWED,
    POLICY_CALL_IN_PART, /* by its arguments; what is left of it keeps its conditions */
    POLICY_CALL_DENIED,
};

struct policy_call {
    const char *name;
    enum policy_grant grant; /* of the default */
};
/* Sorted by name; the same on every machine, made by the build. */
extern const struct policy_call policy_calls[];
extern const unsigned policy_call_count;

#define POLICY_CALL_BYTES 32 /* of a name, with its end */

/* A set of them, by index of policy_calls[]. A value. */
#define POLICY_CALLS_MAX 512
struct policy_set {
    uint64_t bits[POLICY_CALLS_MAX / 64];
};
static inline bool policy_set_has(const struct policy_set *set, unsigned index)
{
    return set->bits[index / 64] >> index % 64 & 1;
}
static inline void policy_set_add(struct policy_set *set, unsigned index)
{
    set->bits[index / 64] |= UINT64_C(1) << index % 64;
}

/* The index of the call @name, or -1. */
int policy_call_find(const char *name);

/* Everything that the default allows, wholly or in part; made by the build. */
extern const struct policy_set policy_calls_default;

/* Add the calls that the list @doc names. Unknown ones, those that the default denies, and those that are in the set
 * already are errors at their place. */
int policy_set_read(const struct base_doc *doc, const char *place, struct policy_set *set, struct base_err *err);

/* Without these the cage cannot start a program, or hear of its end. Returns the first that is not in @set, or NULL. */
const char *policy_set_lacks(const struct policy_set *set);

/* --- profiles: named sets that come with the program --- */

#define POLICY_PROFILE_GROUPS_MAX 24
struct policy_profile {
    char name[64];
    char *text;        /* what it is for */
    char *runtimes[8]; /* whose programs get it under `syscalls: runtime` */
    size_t runtime_count;
    char *extends; /* the profile whose groups come first; NULL: none */
    struct policy_group {
        char *why;
        struct policy_set calls;
    } groups[POLICY_PROFILE_GROUPS_MAX];
    size_t group_count;
    struct policy_set calls; /* all of them */
};

#define POLICY_PROFILES_MAX 16

/* The built-in profile @name, which lives until the process ends. "default" is none of these: it is what they narrow.
 * BASE_E_NOT_FOUND without words. */
int policy_profile_find(const char *name, const struct policy_profile **ret_profile, struct base_err *err);

/* The profile for programs of @runtime, or NULL: the default. */
const struct policy_profile *policy_profile_of_runtime(const char *runtime);

/* Whether @name is that of one, or a word of its own (default, runtime): no other list goes by it. */
bool policy_profile_is_taken(const char *name);

/* Their names; NULL past the end. */
const char *policy_profile_name(unsigned index);

/* Parse the schema "fumehood.profile/1"; @place names it in errors. Release with policy_profile_release(). */
int policy_profile_parse(const char *bytes, size_t count, const char *place, struct policy_profile *ret_profile,
                         struct base_err *err);
void policy_profile_release(struct policy_profile *profile);
