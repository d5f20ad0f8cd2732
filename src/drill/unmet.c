/* unmet.c - what this machine lacks for an attack to show anything: a loud skip, not a pass */
#include "base/cleanup.h"
#include "drill/attack.h"
#include "warden/outcome.h"
#include <string.h>

/* Limits that only a control group keeps for the whole tree, and the words of endings that come from them. */
static const struct {
    enum policy_limit_key key;
    enum warden_limit limit;
    enum cage_controller controller;
    bool weaker; /* without the group there is something, just not typed or counted */
} grouped[] = {
    {POLICY_LIMIT_MEMORY_BYTES, WARDEN_LIMIT_MEMORY, CAGE_MEMORY, false},
    {POLICY_LIMIT_PROCESSES, WARDEN_LIMIT_PROCESSES, CAGE_PIDS, true},
    {POLICY_LIMIT_CPU_MS, WARDEN_LIMIT_CPU, CAGE_CPUACCT, false},
    {POLICY_LIMIT_IDLE_MS, WARDEN_LIMIT_IDLE, CAGE_CPUACCT, false},
    {POLICY_LIMIT_CPUS, WARDEN_LIMIT_NONE, CAGE_CPU, false},
};

static bool lacks_limit(const struct cage_host *host, const char *key, bool counted)
{
    for (size_t i = 0; i < ARRAY_COUNT(grouped); i++)
        if (strcmp(policy_limit_name(grouped[i].key), key) == 0)
            return !host->controllers[grouped[i].controller] && (counted || !grouped[i].weaker);
    return false;
}

static bool lacks_ending(const struct cage_host *host, const char *ending)
{
    static const char prefix[] = "limit ";

    if (strncmp(ending, prefix, strlen(prefix)) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(grouped); i++) {
        const char *word = warden_limit_name(grouped[i].limit);
        if (word && strcmp(word, ending + strlen(prefix)) == 0)
            return !host->controllers[grouped[i].controller];
    }
    return false;
}

static bool lacks_step(const struct cage_plan *plan, const char *word)
{
    for (unsigned step = 0; step < CAGE_STEP_MAX; step++)
        if (strcmp(cage_step_name(step), word) == 0)
            return plan->missing >> step & 1;
    return false;
}

/* All that a row proves is absent: nothing would be shown. */
static bool proves_nothing(const struct drill_expect *expect, const struct cage_plan *plan,
                           const struct cage_host *host)
{
    for (size_t i = 0; i < expect->proves.count; i++)
        if (!lacks_step(plan, expect->proves.items[i]) && !lacks_limit(host, expect->proves.items[i], false))
            return false;
    return expect->proves.count > 0;
}

static bool cannot_end_so(const struct drill_expect *expect, const struct cage_host *host)
{
    for (size_t i = 0; i < expect->endings.count; i++)
        if (!lacks_ending(host, expect->endings.items[i]))
            return false;
    return true;
}

void drill_attack_unmet(const struct drill_attack *attack, const struct cage_host *host, char *why, size_t why_bytes)
{
    const struct drill_expect *expect = &attack->expect;
    const char *because = host->cgroup_why[0] ? host->cgroup_why : "this kernel lacks it";
    struct cage_plan plan;
    struct base_err err;
    char words[200];

    *why = '\0';
    if (drill_words_has(&expect->endings, "refused"))
        return;
    if (cage_plan_make(&expect->policy, host, &plan, &err) == BASE_E_REFUSED ||
        cage_observe_check(&expect->policy, &err) == BASE_E_REFUSED) {
        (void)snprintf(why, why_bytes, "%s %s", err.place, err.what);
        return;
    }
    drill_words_join(&expect->proves, ", ", words, sizeof(words));
    if (proves_nothing(expect, &plan, host))
        (void)snprintf(why, why_bytes, "%s cannot be had here: %s", words, because);
    for (size_t i = 0; i < expect->hits.count && !*why; i++)
        if (lacks_limit(host, expect->hits.items[i], true))
            (void)snprintf(why, why_bytes, "nobody counts %s here: %s", expect->hits.items[i], because);
    drill_words_join(&expect->endings, ", ", words, sizeof(words));
    if (!*why && cannot_end_so(expect, host))
        (void)snprintf(why, why_bytes, "the ending %s needs a control group: %s", words, because);
}
