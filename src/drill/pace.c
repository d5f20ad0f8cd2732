/* pace.c - how many times slower than usual this machine is: emulated, or busy
 *
 * Most of what a drill waits for is that processes start: so that is the yardstick.
 */
#include "drill/pace.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "drill/role.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_US   1000 /* an idle processor of 2020 needs 600 */
#define STARTS     9
#define STRETCH_MS 600000 /* nothing is waited for longer because of a slow machine */
#define HONEST_MS  300    /* an honest run of a drill in slots needs some 40 */

extern char **environ;

static const struct {
    enum policy_limit_key key;
    const char *ending;
} times[] = {
    {POLICY_LIMIT_WALL_MS, "limit wall"},
    {POLICY_LIMIT_CPU_MS, "limit cpu"},
    {POLICY_LIMIT_IDLE_MS, "limit idle"},
};

/* 0 where it could not be started. */
static uint64_t start_us(void)
{
    struct drill_launch launch = {.envp = environ, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1};
    uint64_t began_us = base_clock_us();
    struct base_err err;
    pid_t pid;

    if (drill_role_launch(DRILL_ROLE_NOBODY, "", &launch, &pid, &err) < 0 || waitpid(pid, NULL, 0) != pid)
        return 0;
    return base_clock_us() - began_us;
}

static int compare(const void *a, const void *b)
{
    uint64_t one, other;

    memcpy(&one, a, sizeof(one));
    memcpy(&other, b, sizeof(other));
    return (one > other) - (one < other);
}

unsigned drill_pace_measure(void)
{
    uint64_t took_us[STARTS], pace;

    for (size_t i = 0; i < STARTS; i++)
        took_us[i] = start_us();
    qsort(took_us, STARTS, sizeof(*took_us), compare);
    pace = (took_us[STARTS / 2] + USUAL_US / 2) / USUAL_US;
    return pace < 1 ? 1 : pace > DRILL_PACE_MOST ? DRILL_PACE_MOST : (unsigned)pace;
}

static uint64_t at_most(uint64_t ms)
{
    return ms < STRETCH_MS ? ms : STRETCH_MS;
}

void drill_pace_stretch_all(struct policy *policy, unsigned pace)
{
    for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
        struct policy_limit *limit = &policy->limits[times[i].key];
        if (!limit->unlimited && limit->value < STRETCH_MS)
            limit->value = at_most(limit->value * pace);
    }
}

void drill_pace_stretch(struct drill_expect *expect, unsigned pace, bool in_slot)
{
    expect->pace = pace;
    for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
        struct policy_limit *limit = &expect->policy.limits[times[i].key];
        if (limit->unlimited || limit->value >= STRETCH_MS)
            continue;
        if (!drill_words_has(&expect->endings, times[i].ending))
            limit->value = at_most(limit->value * pace);
        else if (in_slot && times[i].key != POLICY_LIMIT_IDLE_MS && limit->value < HONEST_MS * pace)
            limit->value = HONEST_MS * pace;
    }
}
