/* threat.c - the table of threats, and how it stands on a machine */
#include "threat/threat.h"
#include "base/cleanup.h"
#include <string.h>

static const struct threat threats[] = {
#define THREAT(id, attacker, wants, prevention, detection, recovery, drill, tests, residual, remark)                   \
    {id, attacker, wants, prevention, detection, recovery, drill, tests, residual, remark},
#include "threat/threats.def"
#undef THREAT
    {NULL},
};

static const struct threat_attacker attackers[] = {
#define ATTACKER(word, text) {word, text},
#include "threat/attackers.def"
#undef ATTACKER
    {NULL},
};

static const struct {
    const char *word, *text;
} walls[] = {
#define WALL(word, text) {word, text},
#include "threat/walls.def"
#undef WALL
};

#define UNBUILT "unbuilt"

const struct threat *threat_table(void)
{
    return threats;
}

const struct threat_attacker *threat_attackers(void)
{
    return attackers;
}

bool threat_next_word(const char **at, char word[THREAT_WORD_BYTES])
{
    size_t length = strcspn(*at, " ");
    size_t kept = length < THREAT_WORD_BYTES ? length : THREAT_WORD_BYTES - 1;

    memcpy(word, *at, kept);
    word[kept] = '\0';
    *at += length;
    *at += strspn(*at, " ");
    return kept > 0;
}

int threat_look(const struct cage_host *host, struct threat_here *ret_here, struct base_err *err)
{
    AUTO_POLICY struct policy policy = {0};
    struct cage_plan plan;
    int r = policy_builtin("default", &policy, err);

    if (r < 0)
        return r;
    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        struct policy_limit *limit = &policy.limits[key];
        if (limit->unlimited)
            *limit = (struct policy_limit){.value = 1000};
        limit->if_available = true;
    }
    r = cage_plan_make(&policy, host, &plan, err);
    if (r < 0)
        return r;
    *ret_here =
        (struct threat_here){.steps = plan.requested, .own_ids = host->has_own_ids, .landlock_abi = host->landlock_abi};
    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        ret_here->limits[key].by = plan.limits[key].enforced_by;
        ret_here->limits[key].is_weaker = plan.limits[key].is_weaker;
    }
    return 0;
}

/* "ABI 2", of which the second wall is. */
static const char *landlock_name(int abi)
{
    const char *name = NULL;

    for (const struct cage_landlock_row *row = cage_landlock_rows(); row->abi && row->abi <= abi; row++)
        name = row->name;
    return name;
}

static enum threat_wall step_wall(const struct threat_here *here, unsigned step, const char **ret_by)
{
    if (!(here->steps >> step & 1))
        return THREAT_WALL_LOST;
    if (step == CAGE_STEP_LANDLOCK)
        *ret_by = landlock_name(here->landlock_abi);
    if (step != CAGE_STEP_IDENTITY_MAP || here->own_ids)
        return THREAT_WALL_STANDS;
    *ret_by = "every cage has the starter's id";
    return THREAT_WALL_WEAKER;
}

/* The words of the second wall's parts: "landlock_" and a word of cage/landlock.def. */
#define LANDLOCK_PART "landlock_"

static enum threat_wall landlock_wall(const struct threat_here *here, const char *part, const char **ret_by)
{
    bool stands = here->steps & CAGE_BIT(LANDLOCK);

    for (const struct cage_landlock_row *row = cage_landlock_rows(); row->abi; row++)
        if (strcmp(part, row->word) == 0) {
            stands = stands && row->abi <= here->landlock_abi;
            *ret_by = stands ? landlock_name(here->landlock_abi) : row->from;
            return stands ? THREAT_WALL_STANDS : THREAT_WALL_LOST;
        }
    return THREAT_WALL_UNKNOWN;
}

static enum threat_wall limit_wall(const struct threat_here *here, unsigned key, const char **ret_by)
{
    *ret_by = here->limits[key].by;
    if (!here->limits[key].is_weaker)
        return THREAT_WALL_STANDS;
    if (strcmp(here->limits[key].by, "none") == 0)
        return THREAT_WALL_LOST;
    *ret_by = "bounds each process by itself";
    return THREAT_WALL_WEAKER;
}

enum threat_wall threat_wall(const struct threat_here *here, const char *word, const char **ret_by)
{
    *ret_by = NULL;
    if (strncmp(word, LANDLOCK_PART, strlen(LANDLOCK_PART)) == 0)
        return landlock_wall(here, word + strlen(LANDLOCK_PART), ret_by);
    for (unsigned step = 0; step < CAGE_STEP_MAX; step++)
        if (strcmp(word, cage_step_name(step)) == 0)
            return step_wall(here, step, ret_by);
    for (unsigned key = 0; key < POLICY_LIMIT_MAX; key++)
        if (strcmp(word, policy_limit_name((enum policy_limit_key)key)) == 0)
            return limit_wall(here, key, ret_by);
    for (size_t i = 0; i < ARRAY_COUNT(walls); i++)
        if (strcmp(word, walls[i].word) == 0) {
            *ret_by = walls[i].text;
            return THREAT_WALL_STANDS;
        }
    return THREAT_WALL_UNKNOWN;
}

const char *threat_wall_name(enum threat_wall wall)
{
    static const char *const names[] = {"stands", "weaker", "lost", "unknown"};

    return names[wall];
}

enum threat_state threat_state(const struct threat *threat, const struct threat_here *here)
{
    const char *at = threat->prevention, *by;
    char word[THREAT_WORD_BYTES];

    if (!*at)
        return THREAT_OPEN;
    if (strcmp(at, UNBUILT) == 0)
        return THREAT_UNBUILT;
    while (threat_next_word(&at, word))
        if (threat_wall(here, word, &by) != THREAT_WALL_STANDS)
            return THREAT_WEAKER;
    return THREAT_HELD;
}

const char *threat_state_name(enum threat_state state)
{
    static const char *const names[] = {"held", "weaker", "open", UNBUILT};

    return names[state];
}

const struct cage_residual *threat_residual(const char *word)
{
    for (const struct cage_residual *residual = cage_residuals(); residual->word; residual++)
        if (strcmp(residual->word, word) == 0)
            return residual;
    return NULL;
}
