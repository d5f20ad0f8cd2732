/* profile_file.c - read one profile's declaration, strictly
 *
 * The files are the project's own and come with the program, but a mistake in one is still an error with its place.
 */
#include "base/cleanup.h"
#include "base/doc.h"
#include "policy/profile.h"
#include <stdlib.h>
#include <string.h>

static const struct base_doc_field fields[] = {
    {"schema", BASE_DOC_SCALAR, true},
    {"name", BASE_DOC_SCALAR, true},
    {"text", BASE_DOC_SCALAR, true},
    {"extends", BASE_DOC_SCALAR, false},
    {"groups", BASE_DOC_LIST, true},
    {"runtimes", BASE_DOC_LIST, false},
    {NULL},
};
static const struct base_doc_field group_fields[] = {
    {"why", BASE_DOC_SCALAR, true},
    {"allow", BASE_DOC_LIST, true},
    {NULL},
};

static int read_text(const struct base_doc *doc, const char *place, char **ret_text, struct base_err *err)
{
    if (doc->text[0] == '\0')
        return base_doc_err(doc, place, err, "%s is empty", doc->key);
    *ret_text = strdup(doc->text);
    return *ret_text ? 0 : base_err_set(err, BASE_E_NOMEM, place, "out of memory");
}

static int read_name(const struct base_doc *doc, const char *place, struct policy_profile *profile,
                     struct base_err *err)
{
    size_t length = strlen(doc->text);

    if (length == 0 || length >= sizeof(profile->name))
        return base_doc_err(doc, place, err, "name must have 1 to %zu bytes", sizeof(profile->name) - 1);
    memcpy(profile->name, doc->text, length + 1);
    return 0;
}

/* A call stands in one group only: each is there for one reason. */
static int read_group(const struct base_doc *doc, const char *place, struct policy_profile *profile,
                      struct base_err *err)
{
    struct policy_group *group = &profile->groups[profile->group_count];
    struct policy_set before = profile->calls;
    int r;

    if (profile->group_count == POLICY_PROFILE_GROUPS_MAX)
        return base_doc_err(doc, place, err, "has more than %d groups", POLICY_PROFILE_GROUPS_MAX);
    r = base_doc_check(doc, group_fields, place, err);
    if (r == 0)
        r = read_text(base_doc_get(doc, "why"), place, &group->why, err);
    if (r < 0)
        return r;
    profile->group_count++;
    r = policy_set_read(base_doc_get(doc, "allow"), place, &profile->calls, err);
    for (size_t i = 0; i < POLICY_CALLS_MAX / 64; i++)
        group->calls.bits[i] = profile->calls.bits[i] & ~before.bits[i];
    return r;
}

static int read_runtimes(const struct base_doc *doc, const char *place, struct policy_profile *profile,
                         struct base_err *err)
{
    int r = 0;

    for (const struct base_doc *child = doc ? doc->child : NULL; r == 0 && child; child = child->next) {
        if (child->kind != BASE_DOC_SCALAR || profile->runtime_count == ARRAY_COUNT(profile->runtimes))
            return base_doc_err(child, place, err, "runtimes holds something that is not a word, or too many");
        r = read_text(child, place, &profile->runtimes[profile->runtime_count], err);
        profile->runtime_count += r == 0;
    }
    return r;
}

static int read_doc(const struct base_doc *doc, const char *place, struct policy_profile *profile, struct base_err *err)
{
    const struct base_doc *schema, *extends;
    int r = base_doc_check(doc, fields, place, err);

    if (r < 0)
        return r;
    schema = base_doc_get(doc, "schema");
    if (strcmp(schema->text, "fumehood.profile/1") != 0)
        return base_doc_err(schema, place, err, "schema must be fumehood.profile/1");
    r = read_name(base_doc_get(doc, "name"), place, profile, err);
    if (r == 0)
        r = read_text(base_doc_get(doc, "text"), place, &profile->text, err);
    if (r == 0)
        r = read_runtimes(base_doc_get(doc, "runtimes"), place, profile, err);
    extends = base_doc_get(doc, "extends");
    if (r == 0 && extends)
        r = read_text(extends, place, &profile->extends, err);
    for (const struct base_doc *group = base_doc_get(doc, "groups")->child; r == 0 && group; group = group->next)
        r = read_group(group, place, profile, err);
    return r;
}

int policy_profile_parse(const char *bytes, size_t count, const char *place, struct policy_profile *ret_profile,
                         struct base_err *err)
{
    AUTO_DOC struct base_doc *doc = NULL;
    struct policy_profile profile = {0};
    int r = base_doc_parse(bytes, count, place, &doc, err);

    if (r == 0)
        r = read_doc(doc, place, &profile, err);
    if (r < 0) {
        policy_profile_release(&profile);
        return r;
    }
    *ret_profile = profile;
    return 0;
}

void policy_profile_release(struct policy_profile *profile)
{
    for (size_t i = 0; i < profile->group_count; i++)
        free(profile->groups[i].why);
    for (size_t i = 0; i < profile->runtime_count; i++)
        free(profile->runtimes[i]);
    free(profile->text);
    free(profile->extends);
    *profile = (struct policy_profile){0};
}
