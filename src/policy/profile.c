/* profile.c - the profiles that the program carries (profiles/NAME.yaml), read when first needed */
#include "base/embedded.h"
#include "policy/internal.h"
#include <stdio.h>
#include <string.h>

extern const struct base_embedded policy_profile_files[]; /* made by the build from profiles/ */

static struct policy_profile parsed[POLICY_PROFILES_MAX]; /* by index of policy_profile_files; no name: not read yet */

const char *policy_profile_name(unsigned index)
{
    static char names[POLICY_PROFILES_MAX][sizeof(parsed[0].name)];

    for (unsigned i = 0; i <= index; i++)
        if (i == POLICY_PROFILES_MAX || !policy_profile_files[i].name)
            return NULL;
    (void)snprintf(names[index], sizeof(names[index]), "%.*s", (int)strcspn(policy_profile_files[index].name, "."),
                   policy_profile_files[index].name);
    return names[index];
}

/* The groups of the extended one come first. */
static int extend(struct policy_profile *profile, const struct policy_profile *base, const char *place,
                  struct base_err *err)
{
    if (profile->group_count + base->group_count > POLICY_PROFILE_GROUPS_MAX)
        return base_err_set(err, BASE_E_INVALID, place, "has too many groups");
    memmove(profile->groups + base->group_count, profile->groups, profile->group_count * sizeof(profile->groups[0]));
    memset(profile->groups, 0, base->group_count * sizeof(profile->groups[0]));
    profile->group_count += base->group_count;
    for (size_t i = 0; i < base->group_count; i++) {
        profile->groups[i].calls = base->groups[i].calls;
        profile->groups[i].why = strdup(base->groups[i].why);
        if (!profile->groups[i].why)
            return base_err_set(err, BASE_E_NOMEM, place, "out of memory");
    }
    for (size_t i = 0; i < POLICY_CALLS_MAX / 64; i++) {
        if (profile->calls.bits[i] & base->calls.bits[i])
            return base_err_set(err, BASE_E_INVALID, place, "lists what %s has already", base->name);
        profile->calls.bits[i] |= base->calls.bits[i];
    }
    return 0;
}

static int complete(struct policy_profile *profile, const char *place, struct base_err *err)
{
    const struct policy_profile *base;
    const char *lacking;
    int r = 0;

    if (profile->extends) {
        r = policy_profile_find(profile->extends, &base, err);
        if (r == 0)
            r = extend(profile, base, place, err);
    }
    lacking = r == 0 ? policy_set_lacks(&profile->calls) : NULL;
    return lacking ? base_err_set(err, BASE_E_INVALID, place, "%s is missing", lacking) : r;
}

static int load(unsigned index, struct base_err *err)
{
    const struct base_embedded *file = &policy_profile_files[index];
    struct policy_profile fresh = {0};
    int r = policy_profile_parse((const char *)file->bytes, file->count, file->name, &fresh, err);

    if (r == 0)
        r = complete(&fresh, file->name, err);
    if (r < 0)
        policy_profile_release(&fresh);
    else
        parsed[index] = fresh;
    return r;
}

int policy_profile_find(const char *name, const struct policy_profile **ret_profile, struct base_err *err)
{
    for (unsigned i = 0; policy_profile_name(i); i++) {
        if (strcmp(policy_profile_name(i), name) != 0)
            continue;
        int r = parsed[i].name[0] ? 0 : load(i, err);
        *ret_profile = &parsed[i];
        return r;
    }
    return base_err_set(err, BASE_E_NOT_FOUND, name, "is no system call profile");
}

bool policy_profile_is_taken(const char *name)
{
    if (strcmp(name, POLICY_PROFILE_DEFAULT) == 0 || strcmp(name, POLICY_PROFILE_RUNTIME) == 0)
        return true;
    for (unsigned i = 0; policy_profile_name(i); i++)
        if (strcmp(policy_profile_name(i), name) == 0)
            return true;
    return false;
}

static bool is_for(const struct policy_profile *profile, const char *runtime)
{
    for (size_t i = 0; i < profile->runtime_count; i++)
        if (strcmp(profile->runtimes[i], runtime) == 0)
            return true;
    return false;
}

/* A declaration that does not parse is a fault of the build; the tests parse each, so here it counts as no match. */
const struct policy_profile *policy_profile_of_runtime(const char *runtime)
{
    const struct policy_profile *profile;

    for (unsigned i = 0; policy_profile_name(i); i++)
        if (policy_profile_find(policy_profile_name(i), &profile, NULL) == 0 && is_for(profile, runtime))
            return profile;
    return NULL;
}
