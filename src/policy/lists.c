/* lists.c - limits and variables as whoever starts runs gives them: over the policy's, each once */
#include "policy/internal.h"
#include <stdio.h>
#include <string.h>

/* The length of what "KEY=VALUE" names, without the suffix: a limit is the same one with _if_available. */
static size_t name_length(const char *text, const char *suffix)
{
    size_t length = strcspn(text, "="), tail = strlen(suffix);

    return length > tail && strncmp(text + length - tail, suffix, tail) == 0 ? length - tail : length;
}

/* Two names of one limit, whatever they are called. */
static bool is_same_limit(const char *a, const char *b)
{
    enum policy_limit_key keys[2];
    const char *texts[2] = {a, b};
    bool soft;

    for (int i = 0; i < 2; i++) {
        char name[64];
        size_t length = strcspn(texts[i], "=");
        (void)snprintf(name, sizeof(name), "%.*s", length < sizeof(name) ? (int)length : 0, texts[i]);
        if (!policy_limit_find_any(name, &keys[i], &soft))
            return false;
    }
    return keys[0] == keys[1];
}

/* Which of two values is meant is not for us to say. */
static int refuse_twice(const char *const *texts, size_t count, const char *place, const char *suffix,
                        struct base_err *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            size_t length = name_length(texts[i], suffix);

            if ((length == name_length(texts[j], suffix) && strncmp(texts[i], texts[j], length) == 0) ||
                (*suffix && is_same_limit(texts[i], texts[j])))
                return base_err_set(err, BASE_E_USAGE, place, "%.*s is given twice", (int)length, texts[i]);
        }
    return 0;
}

int policy_set_limits(struct policy *policy, const char *const *assignments, size_t count, const char *by,
                      struct base_err *err)
{
    int r = refuse_twice(assignments, count, "--limit", POLICY_IF_AVAILABLE, err);

    for (size_t i = 0; r >= 0 && i < count; i++)
        r = policy_limit_set(policy, assignments[i], by, err);
    return r;
}

int policy_add_envs(struct policy *policy, const char *const *assignments, size_t count, struct base_err *err)
{
    int r = refuse_twice(assignments, count, "--env", "", err);

    for (size_t i = 0; r >= 0 && i < count; i++)
        r = policy_add_env(policy, assignments[i], err);
    return r;
}
