/* berth.c - a slot, and what stands ready in it */
#include "run/berth.h"
#include "base/cleanup.h"
#include <stdio.h>
#include <string.h>

/* What a zygote's command names as its program: nothing that is ever there. */
#define PLACE_OF_PROGRAM                                                                                               \
    "/work"                                                                                                            \
    "/.program"

int run_berth_take(struct run_berth *berth, const struct cage_host *host, struct base_err *err)
{
    int r = berth->is_taken ? 0 : cage_slot_acquire(host, &berth->slot, err);

    berth->is_taken = r == 0;
    return r;
}

void run_berth_empty(struct run_berth *berth)
{
    berth->groups_left += cage_drop(&berth->next);
    berth->groups_left += cage_keeper_drop(&berth->keeper);
}

void run_berth_retire(struct run_berth *berth)
{
    run_berth_empty(berth);
    if (berth->groups_left == 0)
        cage_slot_retire(&berth->slot);
    run_berth_forget(berth);
}

void run_berth_forget(struct run_berth *berth)
{
    cage_forget(&berth->next);
    cage_keeper_forget(&berth->keeper);
    cage_slot_release(&berth->slot);
    base_buf_release(&berth->environment);
    berth->is_taken = false;
    berth->groups_left = 0;
    berth->runtime = NULL;
}

/* --- its zygote --- */

static int join(char *const *texts, struct base_buf *joined)
{
    int r = 0;

    base_buf_clear(joined);
    for (; *texts && r == 0; texts++)
        r = base_buf_append(joined, *texts, strlen(*texts) + 1);
    return r;
}

/* The same interpreter with the same environment, or one that works nowhere here. */
static bool has_zygote_for(const struct run_berth *berth, const struct run_zygote *zygote)
{
    AUTO_BUF struct base_buf joined = {0};

    if (!zygote->runtime || berth->no_zygote[0])
        return true; /* one that is there does no harm */
    return berth->runtime == zygote->runtime && join(zygote->envp, &joined) == 0 &&
           joined.count == berth->environment.count &&
           (joined.count == 0 || memcmp(joined.bytes, berth->environment.bytes, joined.count) == 0);
}

/* The start of an interpreter is saved by each fork, and paid for a few of them by each zygote. Where programs leave
 * their slot in no state to serve again, zygotes live too short a time; but the next programs may be others. */
#define ZYGOTE_COST    3
#define ZYGOTE_CREDIT  8
#define ZYGOTE_SAVINGS 32
#define ZYGOTE_PAUSE   32

static bool is_worth_it(struct run_berth *berth)
{
    if (berth->zygote_worth > -ZYGOTE_CREDIT)
        return true;
    berth->zygote_worth += ZYGOTE_COST;
    berth->without_runs = ZYGOTE_PAUSE;
    berth->runtime = NULL;
    (void)snprintf(berth->no_zygote, sizeof(berth->no_zygote), "slots are dropped here after too few runs");
    return false;
}

static void count_pause(struct run_berth *berth)
{
    if (berth->without_runs > 0 && --berth->without_runs == 0)
        berth->no_zygote[0] = 0;
}

static void count_fork(struct run_berth *berth)
{
    if (berth->zygote_worth < ZYGOTE_SAVINGS)
        berth->zygote_worth++;
}

static int note_zygote(struct run_berth *berth, const struct run_zygote *zygote, struct base_err *err)
{
    berth->runtime = berth->no_zygote[0] ? NULL : zygote->runtime;
    if (berth->runtime && join(zygote->envp, &berth->environment) < 0)
        return base_err_set(err, BASE_E_NOMEM, "zygote", "no memory");
    return 0;
}

/* --- its keeper --- */

#define ENVIRONMENT_MAX 128

static int list_modules(const struct stage_runtime *runtime, char *text, size_t text_bytes)
{
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < runtime->zygote_module_count && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i ? " " : "", runtime->zygote_modules[i]);
    return used < text_bytes ? 0 : BASE_E_TOO_LARGE;
}

static int keep_with_zygote(struct run_berth *berth, const struct cage_host *host, struct base_err *err)
{
    char *argv[STAGE_COMMAND_MAX + 1], *envp[ENVIRONMENT_MAX + CAGE_ZYGOTE_TEXTS + 1] = {NULL};
    char modules[1024], text[CAGE_ZYGOTE_BYTES];
    char *at = berth->environment.bytes, *const end = at + berth->environment.count;
    size_t count = CAGE_ZYGOTE_TEXTS;
    int r = list_modules(berth->runtime, modules, sizeof(modules));

    if (r == 0)
        r = cage_zygote_environment(PLACE_OF_PROGRAM, modules, text, envp, err);
    if (r < 0)
        return r;
    for (; at < end && count < ENVIRONMENT_MAX + CAGE_ZYGOTE_TEXTS; at += strlen(at) + 1)
        envp[count++] = at;
    stage_runtime_argv(berth->runtime, PLACE_OF_PROGRAM, NULL, argv);
    return cage_keep(host, &berth->slot, &(struct cage_zygote){argv, envp}, &berth->keeper, err);
}

/* A zygote that does not work here is told once, in what follows, and is done without. */
static int try_zygote(struct run_berth *berth, const struct cage_host *host)
{
    struct base_err why = {0};
    int r = keep_with_zygote(berth, host, &why);

    if (r == 0)
        r = cage_next(&berth->keeper, &berth->next, &why);
    if (r == 0)
        r = cage_wait(&berth->next, &why);
    if (r == 0) {
        berth->zygote_worth -= ZYGOTE_COST;
        return 0;
    }
    run_berth_empty(berth);
    berth->runtime = NULL;
    (void)snprintf(berth->no_zygote, sizeof(berth->no_zygote), "it does not start here: %.60s", why.what);
    return r;
}

static int fill(struct run_berth *berth, const struct cage_host *host, struct base_err *err)
{
    struct cage_keeper *keeper = &berth->keeper;
    int r = run_berth_take(berth, host, err);

    if (keeper->is_dirty || (berth->next.shared && !berth->next.keeper)) /* or one that was begun as a fresh one */
        run_berth_empty(berth);
    if (r == 0 && !keeper->cage.shared && berth->runtime && is_worth_it(berth))
        (void)try_zygote(berth, host);
    if (r == 0 && !keeper->cage.shared)
        r = cage_keep(host, &berth->slot, NULL, keeper, err);
    if (r == 0 && !berth->next.shared)
        r = cage_next(keeper, &berth->next, err);
    if (r < 0)
        keeper->is_dirty = true;
    return r;
}

int run_berth_ready(struct run_berth *berth, const struct cage_host *host, const struct cage_plan *plan, bool learn,
                    const struct run_zygote *zygote, struct base_err *err)
{
    int r = 0;

    if (zygote->runtime)
        count_pause(berth);
    if (!cage_keeper_fits(&berth->keeper, plan))
        run_berth_empty(berth);
    if (!has_zygote_for(berth, zygote)) {
        run_berth_empty(berth);
        r = note_zygote(berth, zygote, err);
    }
    if (!cage_next_fits(&berth->next, plan, learn, zygote->runtime && berth->runtime)) {
        berth->keeper.ahead = CAGE_AHEAD_NONE;
        (void)cage_drop(&berth->next);
    }
    if (r == 0)
        r = fill(berth, host, err);
    if (r == 0 && zygote->runtime && berth->runtime)
        count_fork(berth);
    if (r < 0 || !berth->keeper.has_zygote || cage_keeper_leaves_room(&berth->keeper, plan))
        return r;
    run_berth_empty(berth);
    berth->runtime = NULL;
    (void)snprintf(berth->no_zygote, sizeof(berth->no_zygote), "it has too much memory beside the limit");
    return fill(berth, host, err);
}

void run_berth_again(struct run_berth *berth, const struct cage_host *host)
{
    (void)fill(berth, host, NULL);
}
