/* plan.c - read everything once before anything runs: count, hash, refuse what is wrong */

#include "eval/plan.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "judge/judge.h"
#include "receipt/receipt.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What is kept of each takes 33 bytes, and a sample of nothing 5 in its file. */
#define CANDIDATES_MAX (1 << 20)

struct survey {
    unsigned *samples; /* by task */
    size_t present;    /* candidates that are there */
    size_t covered;    /* tasks that have one */
    struct base_hash hash;
    size_t seal_capacity;
};

static void hash_candidate(struct base_hash *hash, const struct eval_task *task, const struct eval_candidate *candidate)
{
    uint64_t numbers[] = {candidate->sample, (uint64_t)candidate->form, candidate->count};

    base_hash_update(hash, task->id, strlen(task->id) + 1);
    base_hash_update(hash, numbers, sizeof(numbers));
    if (candidate->runtime)
        base_hash_update(hash, candidate->runtime->name, strlen(candidate->runtime->name) + 1);
    if (candidate->too_large)
        base_hash_update(hash, "too large", strlen("too large"));
    if (candidate->refused)
        base_hash_update(hash, candidate->refused, strlen(candidate->refused) + 1);
    base_hash_update(hash, candidate->code, candidate->count);
}

static void seal(const struct eval_task *task, const struct eval_candidate *candidate, struct eval_seal *ret_seal)
{
    char hex[BASE_HASH_HEX];
    struct base_hash hash;

    base_hash_init(&hash);
    hash_candidate(&hash, task, candidate);
    base_hash_hex(&hash, hex);
    memcpy(ret_seal->hex, hex, sizeof(ret_seal->hex) - 1);
    ret_seal->hex[sizeof(ret_seal->hex) - 1] = '\0';
}

static int keep_seal(struct eval_plan *plan, struct survey *survey, const struct eval_candidate *candidate,
                     struct base_err *err)
{
    if (plan->seal_count == CANDIDATES_MAX) {
        (void)base_err_set(err, BASE_E_TOO_LARGE, "candidates", "there are more than %d", CANDIDATES_MAX);
        return base_err_remedy(err, "split them, or choose tasks with --ids");
    }
    if (plan->seal_count == survey->seal_capacity) {
        size_t capacity = survey->seal_capacity ? 2 * survey->seal_capacity : 256;
        struct eval_seal *seals = reallocarray(plan->seals, capacity, sizeof(*seals));

        if (!seals)
            return base_err_set(err, BASE_E_NOMEM, "candidates", "out of memory");
        plan->seals = seals;
        survey->seal_capacity = capacity;
    }
    seal(&plan->tasks.items[candidate->task], candidate, &plan->seals[plan->seal_count++]);
    return 0;
}

static int survey_all(struct eval_candidates *candidates, struct eval_plan *plan, struct survey *survey,
                      struct base_err *err)
{
    struct eval_candidate candidate;
    int r;

    while ((r = eval_candidates_next(candidates, &candidate, err)) > 0) {
        survey->present += candidate.form != EVAL_ABSENT;
        survey->covered += candidate.form != EVAL_ABSENT && survey->samples[candidate.task] == 0;
        survey->samples[candidate.task]++;
        hash_candidate(&survey->hash, &plan->tasks.items[candidate.task], &candidate);
        r = keep_seal(plan, survey, &candidate, err);
        if (r < 0)
            return r;
    }
    return r;
}

static int changed(const char *place, const char *what, const struct eval_task *task, unsigned sample,
                   struct base_err *err)
{
    if (task)
        (void)base_err_set(err, BASE_E_IO, place, "changed while the evaluation ran: %s (task \"%.100s\", sample %u)",
                           what, task->id, sample);
    else
        (void)base_err_set(err, BASE_E_IO, place, "changed while the evaluation ran: %s", what);
    return base_err_remedy(err, "what has a verdict was judged as it was at the start; put it back and go on with "
                                "--resume, or start again on a copy that nobody writes to");
}

int eval_plan_recognise(struct eval_plan *plan, const char *place, const struct eval_candidate *candidate,
                        struct base_err *err)
{
    const struct eval_task *task = candidate ? &plan->tasks.items[candidate->task] : NULL;
    struct eval_seal now;

    if (!candidate)
        return plan->seal_at == plan->seal_count ? 0 : changed(place, "candidates are gone", NULL, 0, err);
    if (plan->seal_at == plan->seal_count)
        return changed(place, "there are more candidates", task, candidate->sample, err);
    seal(task, candidate, &now);
    if (memcmp(plan->seals[plan->seal_at++].hex, now.hex, sizeof(now.hex)) == 0)
        return 0;
    return changed(place, "a candidate is another one", task, candidate->sample, err);
}

int eval_plan_unread(int r, struct base_err *err)
{
    struct base_err now = *err;

    return r == BASE_E_NOMEM ? r : changed(now.place, now.what, NULL, 0, err);
}

/* What a task wants must fit into what the policy allows: else all candidates would fail by a fault of neither. */
static int check_limits(const struct policy *policy, const struct eval_task *task, const char *place,
                        struct base_err *err)
{
    const struct policy_limit *out = &policy->limits[POLICY_LIMIT_STDOUT_BYTES];
    const struct policy_limit *in = &policy->limits[POLICY_LIMIT_STDIN_BYTES];
    bool is_cut = out->unlimited || out->value > WARDEN_KEEP_MAX_BYTES; /* all that is allowed is not */
    uint64_t out_max = is_cut ? WARDEN_KEEP_MAX_BYTES : out->value;
    size_t least = judge_text_least(task->expect.bytes, task->expect.count);

    if (least > out_max) {
        (void)base_err_set(err, BASE_E_INVALID, place,
                           "task \"%.100s\": expect has %zu bytes, and no more than %llu of an output %s", task->id,
                           least, (unsigned long long)out_max, is_cut ? "are ever kept" : "are allowed");
        return is_cut ? err->code : base_err_remedy(err, "raise --limit stdout_bytes=SIZE");
    }
    if (!in->unlimited && task->given.count > in->value) {
        (void)base_err_set(err, BASE_E_INVALID, place,
                           "task \"%.100s\": stdin has %zu bytes, and no more than %llu are allowed", task->id,
                           task->given.count, (unsigned long long)in->value);
        return base_err_remedy(err, "raise --limit stdin_bytes=SIZE");
    }
    return 0;
}

static int check_values(const struct policy *policy, const struct eval_task *task, const char *place,
                        struct base_err *err)
{
    const struct policy_limit *limit = &policy->limits[POLICY_LIMIT_VALUE_BYTES];
    bool is_cut = limit->unlimited || limit->value > WARDEN_KEEP_MAX_BYTES;
    uint64_t max = is_cut ? WARDEN_KEEP_MAX_BYTES : limit->value;

    for (size_t i = 0; i < task->case_count; i++) {
        const struct eval_case *c = &task->cases[i];
        size_t least = judge_value_least(c->no_mutation ? c->args : c->expect);

        if (least <= max)
            continue;
        (void)base_err_set(err, BASE_E_INVALID, place,
                           "task \"%.100s\": case \"%.60s\": what is expected has %zu bytes as a value, and no more "
                           "than %llu %s",
                           task->id, c->name, least, (unsigned long long)max, is_cut ? "are ever kept" : "are allowed");
        return is_cut ? err->code : base_err_remedy(err, "raise --limit value_bytes=SIZE");
    }
    return 0;
}

static int check_all_limits(const struct eval_options *options, const struct eval_tasks *tasks, struct base_err *err)
{
    char place[sizeof(err->place)];
    int r = 0;

    for (size_t i = 0; i < tasks->count && r == 0; i++) {
        const struct eval_task *task = &tasks->items[i];

        (void)snprintf(place, sizeof(place), "%.200s:%lu", options->tasks, task->line);
        if (task->chosen && task->kind == EVAL_STDIO)
            r = check_limits(options->policy, task, place, err);
        else if (task->chosen && task->kind == EVAL_CALL)
            r = check_values(options->policy, task, place, err);
    }
    return r;
}

static void tell(const struct eval_options *options, const char *text)
{
    if (options->on_warning)
        options->on_warning(options->context, text);
}

static bool is_word(const char *spec)
{
    return strcmp(spec, "none") == 0 || strcmp(spec, "canonical") == 0;
}

/* How a candidate for the first task would be named. */
static int say_wanted(const struct eval_candidates *candidates, const struct eval_tasks *tasks, struct base_err *err)
{
    char name[EVAL_WANTED_BYTES];
    size_t first = 0;

    while (!tasks->items[first].chosen)
        first++;
    eval_candidates_wanted(candidates, &tasks->items[first], name);
    return base_err_remedy(err, "the first task wants %s", name);
}

static int check_names(const struct eval_options *options, const struct eval_plan *plan, const struct survey *survey,
                       const struct eval_candidates *candidates, struct base_err *err)
{
    char text[256];
    const char *example;

    (void)eval_candidates_unknown(candidates, &example);
    if (survey->present == 0 && !is_word(options->candidates)) {
        if (plan->unknown > 0)
            (void)base_err_set(err, BASE_E_INVALID, options->candidates,
                               "no candidate is for any of these tasks: the first is \"%s\"", example);
        else
            (void)base_err_set(err, BASE_E_INVALID, options->candidates, "holds no candidate for any of these tasks");
        return say_wanted(candidates, &plan->tasks, err);
    }
    if (plan->unknown == 0)
        return 0;
    (void)snprintf(text, sizeof(text), "%.100s: %zu candidate%s for no task of the set, the first is \"%s\"",
                   options->candidates, plan->unknown, plan->unknown == 1 ? " is" : "s are", example);
    tell(options, text);
    return 0;
}

static void warn_canonical(const struct eval_options *options, const struct eval_tasks *tasks)
{
    char text[256];
    size_t without = 0;

    for (size_t i = 0; i < tasks->count; i++)
        without += tasks->items[i].chosen && !tasks->items[i].canonical.bytes;
    if (without == 0)
        return;
    (void)snprintf(text, sizeof(text), "--candidates canonical: %zu of %zu tasks come%s without a solution: missing",
                   without, tasks->chosen, without == 1 ? "s" : "");
    tell(options, text);
}

static int look_at_candidates(const struct eval_options *options, struct eval_plan *plan, struct base_err *err)
{
    AUTO_CANDIDATES struct eval_candidates *candidates = NULL;
    AUTO_FREE unsigned *samples = calloc(plan->tasks.count, sizeof(*samples));
    struct survey survey = {.samples = samples};
    const char *example;
    int r = samples ? eval_candidates_open(options->candidates, &plan->tasks, &candidates, err)
                    : base_err_set(err, BASE_E_NOMEM, options->candidates, "out of memory");

    base_hash_init(&survey.hash);
    if (r >= 0)
        r = survey_all(candidates, plan, &survey, err);
    if (r < 0)
        return r;
    plan->unknown = eval_candidates_unknown(candidates, &example);
    r = check_names(options, plan, &survey, candidates, err);
    if (r < 0)
        return r;
    if (strcmp(options->candidates, "canonical") == 0)
        warn_canonical(options, &plan->tasks);
    base_hash_hex(&survey.hash, plan->manifest.candidates_sha256);
    plan->covered = survey.covered;
    return eval_ledger_init(&plan->ledger, &plan->tasks, TAKE_PTR(samples), err);
}

static size_t count_samples(const struct eval_plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->tasks.count; i++)
        count += plan->tasks.items[i].chosen ? plan->ledger.samples[i] : 0;
    return count;
}

/* What there is to be a result of, for eval.json: so what is taken out later is missed, also where it has no run and so
 * no receipt. */
static int describe(struct eval_plan *plan, struct base_err *err)
{
    struct eval_manifest *manifest = &plan->manifest;
    size_t count = count_samples(plan), at = 0;
    AUTO_FREE unsigned char(*keys)[RECEIPT_SAMPLE_BYTES] = calloc(count + 1, sizeof(*keys));

    if (!keys)
        return base_err_set(err, BASE_E_NOMEM, "candidates", "out of memory");
    for (size_t i = 0; i < plan->tasks.count; i++)
        for (unsigned sample = 0; plan->tasks.items[i].chosen && sample < plan->ledger.samples[i]; sample++)
            receipt_sample_key(plan->tasks.items[i].id, sample, keys[at++]);
    receipt_samples_hash(keys, count, manifest->samples_sha256);
    manifest->tasks = plan->tasks.chosen;
    manifest->candidates = count;
    manifest->covered = plan->covered;
    return 0;
}

int eval_plan_make(const struct eval_options *options, struct eval_plan *ret_plan, struct base_err *err)
{
    struct eval_plan *plan = ret_plan;
    int r;

    *plan = (struct eval_plan){.manifest = {.cage = run_cage_name(options->cage)}};
    r = policy_hash(options->policy, plan->manifest.policy_sha256, err);
    if (r >= 0)
        r = eval_tasks_load(options->tasks, options->ids, options->id_count, &plan->tasks, err);
    if (r >= 0) {
        memcpy(plan->manifest.task_set_sha256, plan->tasks.sha256, BASE_HASH_HEX);
        r = check_all_limits(options, &plan->tasks, err);
    }
    if (r >= 0)
        r = look_at_candidates(options, plan, err);
    if (r >= 0)
        r = describe(plan, err);
    if (r < 0)
        eval_plan_release(plan);
    return r;
}

void eval_plan_release(struct eval_plan *plan)
{
    eval_ledger_release(&plan->ledger);
    free(plan->seals);
    plan->seals = NULL; /* a plan that failed is released by whoever made it, and again with the rest */
    plan->seal_count = 0;
    eval_tasks_release(&plan->tasks);
}
