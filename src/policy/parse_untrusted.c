/* parse_untrusted.c - read a policy document
 *
 * The bytes may come from anybody. Strict: a key, word or value that is not known is an error at its line and column,
 * since a clause that is skipped silently is a protection that is not there.
 */
#include "base/cleanup.h"
#include "base/doc.h"
#include "base/near.h"
#include "policy/internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct base_doc_field fields[] = {
    {"schema", BASE_DOC_SCALAR},
    {"name", BASE_DOC_SCALAR},
    {"tier", BASE_DOC_SCALAR},
    {"network", BASE_DOC_SCALAR},
    {"syscalls", BASE_DOC_SCALAR},
    {"denials", BASE_DOC_SCALAR},
    {"denied_calls", BASE_DOC_SCALAR},
    {"output_limit", BASE_DOC_SCALAR},
    {"limits", BASE_DOC_MAP},
    {"environment", BASE_DOC_MAP},
    {"observe", BASE_DOC_LIST},
    {"proc", BASE_DOC_SCALAR},
    {NULL},
};

#define UNLIMITED "{unlimited: \"why\"}"

struct parse {
    struct policy *policy;
    const char *place;
    struct base_err *err;
};

/* The key's own place, for errors about the key itself. */
static struct base_doc key_of(const struct base_doc *doc)
{
    return (struct base_doc){.line = doc->key_line, .column = doc->key_column};
}

/* Find the scalar @doc in @words, which ends with NULL. */
static int read_word(const struct parse *parse, const struct base_doc *doc, const char *const *words,
                     unsigned *ret_index)
{
    struct base_near near = {.word = doc->text};
    char list[128] = "", guess[64];
    size_t used = 0;

    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(words[i], doc->text) == 0) {
            *ret_index = i;
            return 0;
        }
        base_near_offer(&near, words[i]);
        if (used < sizeof(list))
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    (void)base_doc_err(doc, parse->place, parse->err, "unknown word \"%s\" for %s", doc->text,
                       doc->key ? doc->key : "this list");
    (void)base_err_remedy(parse->err, "%s%s%s", base_near_text(&near, guess, sizeof(guess)),
                          words[1] ? "one of " : "only ", list);
    return BASE_E_INVALID;
}

static int read_schema(const struct parse *parse, const struct base_doc *doc)
{
    static const char *const words[] = {POLICY_SCHEMA, NULL};
    unsigned index;

    return read_word(parse, doc, words, &index);
}

#define NAME_BYTES sizeof(((struct policy *)0)->name)

static int copy_name(const struct parse *parse, const struct base_doc *doc, char name[NAME_BYTES])
{
    size_t length = strlen(doc->text);

    if (length == 0)
        return base_doc_err(doc, parse->place, parse->err, "name is empty");
    if (length >= NAME_BYTES)
        return base_doc_err(doc, parse->place, parse->err, "name has more than %zu bytes", NAME_BYTES - 1);
    memcpy(name, doc->text, length + 1);
    return 0;
}

static int read_name(const struct parse *parse, const struct base_doc *doc)
{
    return copy_name(parse, doc, parse->policy->name);
}

/* syscalls: NAME; "runtime" leaves it to the program's. */
static int read_profile(const struct parse *parse, const struct base_doc *doc)
{
    const char *words[POLICY_PROFILES_MAX + 3] = {POLICY_PROFILE_DEFAULT, POLICY_PROFILE_RUNTIME};
    struct policy_syscalls *syscalls = &parse->policy->syscalls;
    const struct policy_profile *profile;
    unsigned index = 0;
    int r;

    for (unsigned i = 0; i < POLICY_PROFILES_MAX && policy_profile_name(i); i++)
        words[i + 2] = policy_profile_name(i);
    r = read_word(parse, doc, words, &index);
    if (r < 0 || index == 0)
        return r;
    if (index == 1) {
        *syscalls = (struct policy_syscalls){.name = POLICY_PROFILE_RUNTIME, .by_runtime = true};
        return 0;
    }
    r = policy_profile_find(words[index], &profile, parse->err);
    if (r == 0)
        policy_syscalls_set(syscalls, profile);
    return r;
}

/* A list of its own goes by a name of its own, since the name is what a receipt shows first. What policy_json() writes
 * of a built-in one is that one. */
static int check_own_name(const struct parse *parse, const struct base_doc *name, const struct policy_syscalls *own)
{
    const struct policy_profile *profile;

    if (!policy_profile_is_taken(own->name) || (policy_profile_find(own->name, &profile, NULL) == 0 &&
                                                memcmp(&profile->calls, &own->calls, sizeof(own->calls)) == 0))
        return 0;
    (void)base_doc_err(name, parse->place, parse->err, "the name %s is taken by a built-in profile", own->name);
    (void)base_err_remedy(parse->err, "give the list a name of its own, or write syscalls: %s", own->name);
    return BASE_E_INVALID;
}

/* syscalls: {name: NAME, allow: [CALL, ...]} */
static int read_own_profile(const struct parse *parse, const struct base_doc *doc)
{
    static const struct base_doc_field profile_fields[] = {
        {"name", BASE_DOC_SCALAR, true},
        {"allow", BASE_DOC_LIST, true},
        {NULL},
    };
    struct policy_syscalls syscalls = {.narrowed = true};
    const struct base_doc *name, *allow;
    const char *lacking;
    int r = base_doc_check(doc, profile_fields, parse->place, parse->err);

    if (r < 0)
        return r;
    name = base_doc_get(doc, "name");
    allow = base_doc_get(doc, "allow");
    r = copy_name(parse, name, syscalls.name);
    if (r == 0)
        r = policy_set_read(allow, parse->place, &syscalls.calls, parse->err);
    if (r == 0)
        r = check_own_name(parse, name, &syscalls);
    if (r < 0)
        return r;
    lacking = policy_set_lacks(&syscalls.calls);
    if (lacking) {
        (void)base_doc_err(allow, parse->place, parse->err, "%s is not in the list", lacking);
        (void)base_err_remedy(parse->err, "no program can start without execve or end without exit_group");
        return BASE_E_INVALID;
    }
    parse->policy->syscalls = syscalls;
    return 0;
}

static int read_syscalls(const struct parse *parse, const struct base_doc *doc)
{
    return (doc->kind == BASE_DOC_MAP ? read_own_profile : read_profile)(parse, doc);
}

static int read_tier(const struct parse *parse, const struct base_doc *doc)
{
    char place[256];

    (void)snprintf(place, sizeof(place), "%s:%u:%u", parse->place, doc->line, doc->column);
    return policy_tier_read(parse->policy, doc->text, place, BASE_E_INVALID, parse->err);
}

static int read_network(const struct parse *parse, const struct base_doc *doc)
{
    const char *const words[] = {policy_network_name(POLICY_NETWORK_NONE), policy_network_name(POLICY_NETWORK_LOOPBACK),
                                 NULL};
    unsigned index = 0;
    int r = read_word(parse, doc, words, &index);

    parse->policy->network = (enum policy_network)index;
    return r;
}

static int read_proc(const struct parse *parse, const struct base_doc *doc)
{
    const char *const words[] = {policy_proc_name(POLICY_PROC_OWN), policy_proc_name(POLICY_PROC_MACHINE), NULL};
    unsigned index = 0;
    int r = read_word(parse, doc, words, &index);

    parse->policy->proc = (enum policy_proc)index;
    return r;
}

static int read_output(const struct parse *parse, const struct base_doc *doc)
{
    const char *const words[] = {policy_output_name(POLICY_OUTPUT_END), policy_output_name(POLICY_OUTPUT_TRUNCATE),
                                 NULL};
    unsigned index = 0;
    int r = read_word(parse, doc, words, &index);

    parse->policy->output = (enum policy_output)index;
    return r;
}

static int read_denials(const struct parse *parse, const struct base_doc *doc)
{
    const char *const words[] = {policy_denials_name(POLICY_DENIALS_RECORD), policy_denials_name(POLICY_DENIALS_FAIL),
                                 policy_denials_name(POLICY_DENIALS_END), NULL};
    unsigned index = 0;
    int r = read_word(parse, doc, words, &index);

    parse->policy->denials = (enum policy_denials)index;
    return r;
}

/* denied_calls: COUNT, or unlimited. Read after denials, which alone decides where this is unlimited; another bound
 * than its own would not be kept. */
static int read_denied_calls(const struct parse *parse, const struct base_doc *doc)
{
    struct policy *policy = parse->policy;
    uint64_t count;
    bool unlimited;
    const char *why;

    if (base_units_parse(doc->text, BASE_UNIT_COUNT, &count, &unlimited, &why) < 0) {
        (void)base_doc_err(doc, parse->place, parse->err, "%s %s", doc->key, why);
        policy_number_remedy(BASE_UNIT_COUNT, base_units_max(BASE_UNIT_COUNT), why, POLICY_UNLIMITED, parse->err);
        return BASE_E_INVALID;
    }
    policy->denied_calls = unlimited ? POLICY_NO_DENIED_CALL : count;
    if (unlimited || count == policy_denied_calls(policy))
        return 0;
    (void)base_doc_err(doc, parse->place, parse->err, "%s is %s, and denials: end ends the run at the first", doc->key,
                       doc->text);
    (void)base_err_remedy(parse->err, "leave one of the two out, or write denials: record");
    return BASE_E_INVALID;
}

static int read_observe(const struct parse *parse, const struct base_doc *doc)
{
    const char *const words[] = {policy_observe_name(POLICY_OBSERVE_FILES), policy_observe_name(POLICY_OBSERVE_EXEC),
                                 NULL};

    for (const struct base_doc *child = doc->child; child; child = child->next) {
        unsigned index = 0;
        int r;

        if (child->kind != BASE_DOC_SCALAR)
            return base_doc_err(child, parse->place, parse->err, "observe holds something that is not a word");
        r = read_word(parse, child, words, &index);
        if (r < 0)
            return r;
        if (parse->policy->observe >> index & 1)
            return base_doc_err(child, parse->place, parse->err, "%s is listed twice", child->text);
        parse->policy->observe |= 1u << index;
    }
    return 0;
}

/* Readers of YAML and of JSON disagree on what a bare null is, so it is not text here. */
static bool is_bare_null(const struct base_doc *doc)
{
    return !doc->quoted && (doc->text[0] == '\0' || strcmp(doc->text, "null") == 0 || strcmp(doc->text, "~") == 0);
}

static int read_variable(const struct parse *parse, const struct base_doc *doc)
{
    const struct base_doc key = key_of(doc);
    const char *why;
    bool nomem = false;

    if (doc->kind != BASE_DOC_SCALAR)
        return base_doc_err(doc, parse->place, parse->err, "the variable %s must have a single value", doc->key);
    if (is_bare_null(doc)) {
        (void)base_doc_err(doc, parse->place, parse->err, "the variable %s has no value", doc->key);
        (void)base_err_remedy(parse->err, "put it in quotes, also an empty one");
        return BASE_E_INVALID;
    }
    why = policy_env_add(parse->policy, doc->key, strlen(doc->key), doc->text, false, &nomem);
    if (nomem)
        return base_err_set(parse->err, BASE_E_NOMEM, parse->place, "out of memory");
    return why ? base_doc_err(&key, parse->place, parse->err, "\"%s\" %s", doc->key, why) : 0;
}

static int read_environment(const struct parse *parse, const struct base_doc *doc)
{
    int r = 0;

    for (const struct base_doc *child = doc->child; r == 0 && child; child = child->next)
        r = read_variable(parse, child);
    return r;
}

/* {unlimited: REASON} */
static int read_unlimited(const struct parse *parse, const struct base_doc *doc, struct policy_limit *limit)
{
    static const struct base_doc_field unlimited_fields[] = {{"unlimited", BASE_DOC_SCALAR, true}, {NULL}};
    const struct base_doc *reason;
    int r = base_doc_check(doc, unlimited_fields, parse->place, parse->err);

    if (r < 0)
        return r;
    reason = base_doc_get(doc, "unlimited");
    if (is_bare_null(reason) || reason->text[0] == '\0')
        return base_doc_err(reason, parse->place, parse->err, "the reason why %s is unlimited is empty", doc->key);
    if (strlen(reason->text) >= sizeof(limit->reason))
        return base_doc_err(reason, parse->place, parse->err, "the reason has more than %zu bytes",
                            sizeof(limit->reason) - 1);
    limit->unlimited = true;
    (void)snprintf(limit->reason, sizeof(limit->reason), "%s", reason->text);
    return 0;
}

static int read_limit_value(const struct parse *parse, const struct base_doc *doc, enum policy_limit_key key,
                            struct policy_limit *limit)
{
    const char *why;

    if (doc->kind == BASE_DOC_MAP)
        return read_unlimited(parse, doc, limit);
    if (doc->kind != BASE_DOC_SCALAR)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a number with a unit or {unlimited: REASON}",
                            doc->key);
    why = policy_limit_read(key, doc->text, &limit->value, &limit->unlimited);
    if (why) {
        (void)base_doc_err(doc, parse->place, parse->err, "%s %s", doc->key, why);
        policy_limit_remedy(key, why, UNLIMITED, parse->err);
        return BASE_E_INVALID;
    }
    if (limit->unlimited) {
        (void)base_doc_err(doc, parse->place, parse->err, "%s is unlimited without a reason", doc->key);
        (void)base_err_remedy(parse->err, "write %s: " UNLIMITED, doc->key);
        return BASE_E_INVALID;
    }
    return 0;
}

static int unknown_limit(const struct parse *parse, const struct base_doc *doc)
{
    const struct base_doc key = key_of(doc);

    (void)base_doc_err(&key, parse->place, parse->err, "unknown limit \"%s\"", doc->key);
    policy_limit_unknown(doc->key, parse->err);
    return BASE_E_INVALID;
}

static int read_limits(const struct parse *parse, const struct base_doc *doc)
{
    bool seen[POLICY_LIMIT_MAX] = {false};

    for (const struct base_doc *child = doc->child; child; child = child->next) {
        const struct base_doc at_key = key_of(child);
        struct policy_limit limit = {0};
        enum policy_limit_key key;
        int r;

        if (!policy_limit_find(child->key, &key, &limit.if_available))
            return unknown_limit(parse, child);
        if (seen[key])
            return base_doc_err(&at_key, parse->place, parse->err, "%s is given with and without " POLICY_IF_AVAILABLE,
                                policy_limit_name(key));
        seen[key] = true;
        r = read_limit_value(parse, child, key, &limit);
        if (r < 0)
            return r;
        parse->policy->limits[key] = limit;
    }
    return 0;
}

static const struct clause {
    const char *key;
    int (*read)(const struct parse *parse, const struct base_doc *doc);
} clauses[] = {
    {"schema", read_schema},
    {"name", read_name},
    {"tier", read_tier},
    {"network", read_network},
    {"syscalls", read_syscalls},
    {"denials", read_denials},
    {"denied_calls", read_denied_calls},
    {"output_limit", read_output},
    {"limits", read_limits},
    {"environment", read_environment},
    {"observe", read_observe},
    {"proc", read_proc},
};

/* A limit one level too high is not just an unknown key. */
static int find_stray_limit(const struct parse *parse, const struct base_doc *doc)
{
    enum policy_limit_key key;
    bool if_available;

    for (const struct base_doc *child = doc->kind == BASE_DOC_MAP ? doc->child : NULL; child; child = child->next) {
        const struct base_doc at_key = key_of(child);

        if (!policy_limit_find(child->key, &key, &if_available))
            continue;
        (void)base_doc_err(&at_key, parse->place, parse->err, "the limit %s stands outside limits", child->key);
        (void)base_err_remedy(parse->err, "put it below limits:, further to the right");
        return BASE_E_INVALID;
    }
    return 0;
}

/* One key may be a word or a map. */
static int check_fields(const struct parse *parse, const struct base_doc *doc)
{
    const struct base_doc *syscalls = doc->kind == BASE_DOC_MAP ? base_doc_get(doc, "syscalls") : NULL;
    struct base_doc_field now[ARRAY_COUNT(fields)];

    memcpy(now, fields, sizeof(now));
    for (size_t i = 0; i < ARRAY_COUNT(now) - 1; i++)
        if (syscalls && syscalls->kind == BASE_DOC_MAP && strcmp(now[i].key, "syscalls") == 0)
            now[i].kind = BASE_DOC_MAP;
    return base_doc_check(doc, now, parse->place, parse->err);
}

static int read_document(const struct parse *parse, const struct base_doc *doc)
{
    int r = find_stray_limit(parse, doc);

    if (r == 0)
        r = check_fields(parse, doc);
    for (size_t i = 0; r == 0 && i < ARRAY_COUNT(clauses); i++) {
        const struct base_doc *child = base_doc_get(doc, clauses[i].key);

        r = child ? clauses[i].read(parse, child) : 0;
    }
    return r;
}

int policy_apply(const struct base_doc *doc, const char *place, struct policy *policy, struct base_err *err)
{
    const struct parse parse = {policy, place, err};

    return read_document(&parse, doc);
}

int policy_parse(const char *bytes, size_t count, const char *place, struct policy *ret_policy, struct base_err *err)
{
    AUTO_DOC struct base_doc *doc = NULL;
    AUTO_POLICY struct policy policy = {0};
    int r = base_doc_parse(bytes, count, place, &doc, err);

    if (r == 0)
        r = policy_builtin("default", &policy, err);
    if (r < 0)
        return r;
    (void)snprintf(policy.name, sizeof(policy.name), "unnamed");
    r = policy_apply(doc, place, &policy, err);
    if (r < 0)
        return r;
    *ret_policy = policy;
    policy.env_count = 0; /* given away */
    return 0;
}
