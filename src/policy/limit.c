/* limit.c - the table of limits, and one limit given on the command line */
#include "base/cleanup.h"
#include "base/near.h"
#include "policy/internal.h"
#include <stdio.h>
#include <string.h>

static const struct limit_row {
    const char *upper; /* the name in limits.def; keys are its lower case */
    const char *text;
    enum base_unit unit;
} rows[] = {
#define POLICY_LIMIT(name, unit, value, text) [POLICY_LIMIT_##name] = {#name, text, unit},
#include "policy/limits.def"
#undef POLICY_LIMIT
};

/* Ceilings below that of the unit: what a kernel takes. */
static const uint64_t ceilings[POLICY_LIMIT_MAX] = {
    [POLICY_LIMIT_OPEN_FILES] = 1048576,
    [POLICY_LIMIT_CPUS] = 4096,
};

const char *policy_limit_name(enum policy_limit_key key)
{
    static char names[POLICY_LIMIT_MAX][16]; /* made once: the preprocessor has no lower case */

    if ((size_t)key >= POLICY_LIMIT_MAX)
        return NULL;
    if (names[key][0] == '\0')
        for (size_t i = 0; rows[key].upper[i] != '\0' && i < sizeof(names[key]) - 1; i++)
            names[key][i] = rows[key].upper[i] == '_' ? '_' : (char)(rows[key].upper[i] - 'A' + 'a');
    return names[key];
}

enum base_unit policy_limit_unit(enum policy_limit_key key)
{
    return rows[key].unit;
}

const char *policy_limit_text(enum policy_limit_key key)
{
    return (size_t)key < POLICY_LIMIT_MAX ? rows[key].text : NULL;
}

bool policy_limit_find(const char *name, enum policy_limit_key *ret_key, bool *ret_if_available)
{
    for (size_t key = 0; key < POLICY_LIMIT_MAX; key++) {
        const char *known = policy_limit_name((enum policy_limit_key)key);
        size_t length = strlen(known);

        if (strncmp(name, known, length) != 0)
            continue;
        if (name[length] != '\0' && strcmp(name + length, POLICY_IF_AVAILABLE) != 0)
            continue;
        *ret_key = (enum policy_limit_key)key;
        *ret_if_available = name[length] != '\0';
        return true;
    }
    return false;
}

/* What people call them, on a command line. Of a time that has no unit in its name a bare number is seconds. */
static const struct other_name {
    const char *name;
    enum policy_limit_key key;
} other_names[] = {
    {"wall", POLICY_LIMIT_WALL_MS},        {"timeout", POLICY_LIMIT_WALL_MS},
    {"cpu", POLICY_LIMIT_CPU_MS},          {"idle", POLICY_LIMIT_IDLE_MS},
    {"memory", POLICY_LIMIT_MEMORY_BYTES}, {"mem", POLICY_LIMIT_MEMORY_BYTES},
    {"pids", POLICY_LIMIT_PROCESSES},      {"nproc", POLICY_LIMIT_PROCESSES},
    {"nofile", POLICY_LIMIT_OPEN_FILES},   {"files", POLICY_LIMIT_OPEN_FILES},
    {"fsize", POLICY_LIMIT_FILE_BYTES},    {"scratch", POLICY_LIMIT_SCRATCH_BYTES},
    {"disk", POLICY_LIMIT_SCRATCH_BYTES},  {"inodes", POLICY_LIMIT_SCRATCH_INODES},
    {"stdin", POLICY_LIMIT_STDIN_BYTES},   {"stdout", POLICY_LIMIT_STDOUT_BYTES},
    {"stderr", POLICY_LIMIT_STDERR_BYTES}, {"cores", POLICY_LIMIT_CPUS},
    {"stack", POLICY_LIMIT_STACK_BYTES},
};

static bool find_other_name(const char *name, enum policy_limit_key *ret_key, bool *ret_if_available)
{
    for (size_t i = 0; i < ARRAY_COUNT(other_names); i++) {
        size_t length = strlen(other_names[i].name);

        if (strncmp(name, other_names[i].name, length) != 0 ||
            (name[length] != '\0' && strcmp(name + length, POLICY_IF_AVAILABLE) != 0))
            continue;
        *ret_key = other_names[i].key;
        *ret_if_available = name[length] != '\0';
        return true;
    }
    return false;
}

bool policy_limit_find_any(const char *name, enum policy_limit_key *ret_key, bool *ret_if_available)
{
    return policy_limit_find(name, ret_key, ret_if_available) || find_other_name(name, ret_key, ret_if_available);
}

const char *policy_limit_read(enum policy_limit_key key, const char *text, uint64_t *ret_value, bool *ret_unlimited)
{
    const char *why = NULL;
    uint64_t value;
    bool unlimited;

    if (base_units_parse(text, rows[key].unit, &value, &unlimited, &why) < 0)
        return why;
    if (ceilings[key] != 0 && value > ceilings[key])
        return "is too large";
    *ret_value = value;
    *ret_unlimited = unlimited;
    return NULL;
}

void policy_number_remedy(enum base_unit unit, uint64_t most, const char *why, const char *unlimited,
                          struct base_err *err)
{
    char text[32];

    if (strcmp(why, "is too large") == 0)
        (void)base_err_remedy(err, "at most %s; no limit: %s", base_units_text(most, unit, text, sizeof(text)),
                              unlimited);
    else
        (void)base_err_remedy(err, "%s; no limit: %s", base_units_form(unit), unlimited);
}

void policy_limit_remedy(enum policy_limit_key key, const char *why, const char *unlimited, struct base_err *err)
{
    enum base_unit unit = rows[key].unit;

    policy_number_remedy(unit, ceilings[key] ? ceilings[key] : base_units_max(unit), why, unlimited, err);
}

void policy_limit_unknown(const char *name, struct base_err *err)
{
    char bare[64], list[256] = "", guess[64];
    struct base_near near = {.word = bare};
    const char *suffix = strstr(name, POLICY_IF_AVAILABLE);
    size_t used = 0;

    (void)snprintf(bare, sizeof(bare), "%.*s", suffix ? (int)(suffix - name) : 63, name);
    for (size_t key = 0; key < POLICY_LIMIT_MAX && used < sizeof(list); key++) {
        const char *known = policy_limit_name((enum policy_limit_key)key);

        base_near_offer(&near, known);
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", key > 0 ? ", " : "", known);
    }
    (void)base_err_remedy(err, "%sone of %s, each also with " POLICY_IF_AVAILABLE,
                          base_near_text(&near, guess, sizeof(guess)), list);
}

static int usage(struct base_err *err, const char *assignment, const char *name, const char *why)
{
    char place[256];

    (void)snprintf(place, sizeof(place), "--limit %s", assignment);
    return base_err_set(err, BASE_E_USAGE, place, "%s %s", name, why);
}

static int unknown_limit(struct base_err *err, const char *assignment, const char *name)
{
    (void)usage(err, assignment, name, "is not a limit");
    if (strcmp(name, "output") == 0 || strcmp(name, "output_bytes") == 0)
        (void)base_err_remedy(err, "stdout_bytes=SIZE and stderr_bytes=SIZE, one for each");
    else
        policy_limit_unknown(name, err);
    return BASE_E_USAGE;
}

static int wrong_value(struct base_err *err, const char *assignment, const char *name, enum policy_limit_key key,
                       const char *why)
{
    (void)usage(err, assignment, name, why);
    policy_limit_remedy(key, why, "unlimited", err);
    return BASE_E_USAGE;
}

static bool is_bare(const char *value)
{
    return *value && strspn(value, "0123456789.") == strlen(value);
}

/* Under a key that does not say its unit a bare number is seconds; of a size it is nothing that all would agree on,
 * unless it is so large that it must be bytes. */
static const char *read_other(enum policy_limit_key key, const char *text, uint64_t *ret_value, bool *ret_unlimited)
{
    char value[64];

    if (rows[key].unit == BASE_UNIT_BYTES && is_bare(text) && strlen(text) < 7)
        return "has no unit";
    (void)snprintf(value, sizeof(value), "%s%s", text, rows[key].unit == BASE_UNIT_MS && is_bare(text) ? "s" : "");
    return policy_limit_read(key, value, ret_value, ret_unlimited);
}

int policy_limit_set(struct policy *policy, const char *assignment, const char *by, struct base_err *err)
{
    const char *equals = strchr(assignment, '=');
    struct policy_limit limit = {0};
    enum policy_limit_key key;
    char name[64];
    bool is_other;
    const char *why;

    if (!equals || equals == assignment)
        return usage(err, assignment, "a limit", "is given as KEY=VALUE");
    (void)snprintf(name, sizeof(name), "%.*s", (int)(equals - assignment < 64 ? equals - assignment : 63), assignment);
    is_other = !policy_limit_find(name, &key, &limit.if_available);
    if (is_other && !find_other_name(name, &key, &limit.if_available))
        return unknown_limit(err, assignment, name);
    why = (is_other ? read_other : policy_limit_read)(key, equals + 1, &limit.value, &limit.unlimited);
    if (why)
        return wrong_value(err, assignment, name, key, why);
    if (limit.unlimited)
        (void)snprintf(limit.reason, sizeof(limit.reason), "%s", by);
    policy->limits[key] = limit;
    return 0;
}

int policy_set_limit(struct policy *policy, const char *assignment, struct base_err *err)
{
    return policy_limit_set(policy, assignment, "command line", err);
}

void policy_soften(struct policy *policy)
{
    for (size_t key = 0; key < POLICY_LIMIT_MAX; key++)
        policy->limits[key].if_available = true;
}
