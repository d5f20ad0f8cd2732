/* judge.c - the verdict on one attack, from facts alone
 *
 * A breach makes the row red whatever else is true. What differs from the expectation makes it red too, unless the
 * attack turns out not to be possible on this machine at all.
 */
#include "drill/judge.h"
#include "base/cleanup.h"
#include "drill/pace.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct judge {
    const struct drill_facts *facts;
    const struct drill_expect *expect;
    struct drill_words breaches, misses, skips;
    bool reached;
};

static void say(struct drill_words *words, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct drill_words *words, const char *fmt, ...)
{
    char text[500];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (!drill_words_has(words, text)) /* of a first run and of a second */
        (void)drill_words_add(words, text);
}

static void say_each(struct drill_words *words, const char *prefix, const struct drill_words *clauses)
{
    for (size_t i = 0; i < clauses->count; i++)
        say(words, "%s%s", prefix, clauses->items[i]);
}

static const json_t *get(const json_t *json, const char *key, const char *below)
{
    return json_object_get(json_object_get(json, key), below);
}

/* --- how it ended --- */

const char *drill_receipt_ending(const json_t *receipt, char *text, size_t text_bytes)
{
    const char *kind = json_string_value(get(receipt, "ending", "kind"));
    const char *limit = json_string_value(get(receipt, "ending", "limit"));
    const json_t *exit_code = get(receipt, "ending", "exit_code"), *signal = get(receipt, "ending", "signal");

    if (json_is_integer(exit_code))
        (void)snprintf(text, text_bytes, "%s %d", kind, (int)json_integer_value(exit_code));
    else if (json_is_integer(signal))
        (void)snprintf(text, text_bytes, "%s %d", kind, (int)json_integer_value(signal));
    else
        (void)snprintf(text, text_bytes, "%s%s%s", kind ? kind : "lost", limit ? " " : "", limit ? limit : "");
    return text;
}

const char *drill_ending_text(const struct drill_facts *facts, size_t index, char *text, size_t text_bytes)
{
    const json_t *receipts = json_object_get(facts->answer, "receipts");

    if (index < json_array_size(receipts))
        return drill_receipt_ending(json_array_get(receipts, index), text, text_bytes);
    (void)snprintf(text, text_bytes, "%s",
                   facts->killed                                               ? "killed"
                   : facts->hung                                               ? "hung"
                   : json_is_string(json_object_get(facts->answer, "refused")) ? "refused"
                                                                               : "lost");
    return text;
}

const char *drill_ending_detail(const struct drill_facts *facts, size_t index)
{
    const json_t *receipts = json_object_get(facts->answer, "receipts");

    if (index < json_array_size(receipts))
        return json_string_value(get(json_array_get(receipts, index), "ending", "detail"));
    return json_string_value(json_object_get(facts->answer, "refused"));
}

/* What takes too long on a slow machine shows nothing, though its time was stretched; elsewhere it is a miss. */
static void say_late(struct judge *judge, const char *what)
{
    if (judge->facts->pace >= DRILL_PACE_SLOW)
        say(&judge->skips, "too slow to say, at %u times the usual time: %s", judge->facts->pace, what);
    else
        say(&judge->misses, "%s", what);
}

bool drill_ending_is_late(const char *ending)
{
    return strcmp(ending, "limit wall") == 0 || strcmp(ending, "limit cpu") == 0;
}

static void judge_ending(struct judge *judge, const char *ending, const char *detail)
{
    const struct drill_expect *expect = judge->expect;
    char wanted[160], text[500];

    if (strcmp(ending, "exited 10") == 0) {
        judge->reached = true;
        if (!expect->residual)
            say(&judge->breaches, "the attack succeeded");
        return;
    }
    if (drill_words_has(&expect->endings, ending))
        return;
    drill_words_join(&expect->endings, " or ", wanted, sizeof(wanted));
    (void)snprintf(text, sizeof(text), "ended: %s, expected: %s%s%.280s", ending, wanted, detail ? "; because " : "",
                   detail ? detail : "");
    if (drill_ending_is_late(ending))
        say_late(judge, text);
    else if (strcmp(ending, "hung") == 0 || strcmp(ending, "lost") == 0)
        say(&judge->breaches, "%s", text);
    else
        say(&judge->misses, "%s", text);
}

/* --- what a receipt says --- */

static const char *const receipt_fields[] = {
    "schema",    "run_id",  "started_utc", "version",     "tier",        "cage",     "program", "policy",
    "root",      "limits",  "mounts",      "ending",      "denials",     "usage",    "stdout",  "stderr",
    "artifacts", "effects", "teardown",    "environment", "protections", "residual",
};

static void judge_receipt(struct judge *judge, const json_t *receipt)
{
    static const char *const left[] = {"processes_left", "cgroups_left", "mounts_left", "files_left"};

    for (size_t i = 0; i < ARRAY_COUNT(receipt_fields); i++)
        if (!json_object_get(receipt, receipt_fields[i]))
            say(&judge->breaches, "the receipt has no %s", receipt_fields[i]);
    for (size_t i = 0; i < ARRAY_COUNT(left); i++) {
        const json_t *number = get(receipt, "teardown", left[i]);
        if (!json_is_integer(number) || json_integer_value(number) != 0)
            say(&judge->breaches, "the receipt's %s is not zero", left[i]);
    }
}

static bool has_word(const json_t *array, const char *word)
{
    size_t index;
    json_t *item;

    json_array_foreach((json_t *)array, index,
                       item) if (json_is_string(item) && strcmp(json_string_value(item), word) == 0) return true;
    return false;
}

/* A group that holds a guest has counted it. That is no question of time: whatever else ended the run, its limits were
 * nobody's. */
static void judge_group(struct judge *judge, const json_t *receipt, const json_t *achieved, const char *ending)
{
    const json_t *peak = get(receipt, "usage", "processes_peak");
    bool may_not_have_begun = strcmp(ending, "cancelled") == 0 || strcmp(ending, "lost") == 0;

    if (has_word(achieved, "cgroup") && json_is_integer(peak) && json_integer_value(peak) == 0 && !may_not_have_begun)
        say(&judge->breaches, "its control group has counted no process");
}

/* Where the guest was started, all that was asked for was achieved. */
static void judge_protections(struct judge *judge, const json_t *receipt, const char *ending)
{
    const json_t *achieved = get(receipt, "protections", "achieved"), *missing = get(receipt, "protections", "missing");
    size_t index;
    json_t *item;

    if (strcmp(ending, "setup-error") == 0)
        return;
    json_array_foreach(get(receipt, "protections", "requested"), index, item)
    {
        const char *word = json_string_value(item);
        if (word && !has_word(achieved, word) && !has_word(missing, word))
            say(&judge->breaches, "ran without the protection %s", word);
    }
    judge_group(judge, receipt, achieved, ending);
}

static bool matches(const char *pattern, const char *text)
{
    size_t length = strlen(pattern);

    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, text, length - 1) == 0;
    return strcmp(pattern, text) == 0;
}

static bool is_denied(const json_t *receipt, const char *wanted)
{
    char text[128];
    size_t index;
    json_t *row;

    json_array_foreach(json_object_get(receipt, "denials"), index, row)
    {
        const char *class = json_string_value(json_object_get(row, "class"));
        const char *what = json_string_value(json_object_get(row, "what"));
        (void)snprintf(text, sizeof(text), "%s %s", class ? class : "", what ? what : "");
        if (matches(wanted, text))
            return true;
    }
    return false;
}

static void judge_denials(struct judge *judge, const json_t *receipt)
{
    const struct drill_words *denials = &judge->expect->denials;

    for (size_t i = 0; i < denials->count; i++)
        if (!is_denied(receipt, denials->items[i]))
            say(&judge->misses, "the denial \"%s\" is not in the receipt", denials->items[i]);
}

static void judge_hits(struct judge *judge, const json_t *receipt)
{
    const struct drill_words *hits = &judge->expect->hits;

    for (size_t i = 0; i < hits->count; i++)
        if (json_integer_value(json_object_get(get(receipt, "limits", hits->items[i]), "hits")) < 1)
            say(&judge->misses, "the limit %s was not met", hits->items[i]);
}

static void judge_count(struct judge *judge, const json_t *receipt, const char *stream, uint64_t wanted)
{
    json_int_t seen = json_integer_value(get(receipt, stream, "bytes"));

    if (wanted != DRILL_ANY && (uint64_t)seen != wanted)
        say(&judge->misses, "%s has %lld bytes, expected: %llu", stream, (long long)seen, (unsigned long long)wanted);
}

static void judge_output(struct judge *judge, const json_t *receipt)
{
    const struct drill_expect *expect = judge->expect;
    const json_t *seen = get(receipt, "stdout", "text");
    const char *text = json_string_value(seen), *wanted = expect->stdout_text;

    if (wanted && (!text || json_string_length(seen) != strlen(wanted) || strcmp(text, wanted) != 0))
        say(&judge->misses, "stdout is not what was expected");
    judge_count(judge, receipt, "stdout", expect->stdout_bytes);
    judge_count(judge, receipt, "stderr", expect->stderr_bytes);
}

/* Is the secret in a text of it? */
static bool tells_secret(const struct judge *judge, const json_t *json)
{
    const char *nonce = judge->facts->nonce, *text = json_string_value(json), *key;
    bool tells = text && memmem(text, json_string_length(json), nonce, strlen(nonce));
    size_t index;
    json_t *item;

    json_object_foreach((json_t *)json, key, item)
    {
        tells = tells || tells_secret(judge, item);
    }
    json_array_foreach(json, index, item)
    {
        tells = tells || tells_secret(judge, item);
    }
    return tells;
}

static void judge_leak(struct judge *judge, const json_t *receipt)
{
    const char *field;
    json_t *value;

    json_object_foreach((json_t *)receipt, field, value)
    {
        bool is_stream = strcmp(field, "stdout") == 0 || strcmp(field, "stderr") == 0;
        if (tells_secret(judge, value))
            say(&judge->breaches, is_stream ? "the secret came out on %s" : "the secret stands in the receipt's %s",
                field);
    }
}

static void judge_run(struct judge *judge, size_t index)
{
    const json_t *receipt = json_array_get(json_object_get(judge->facts->answer, "receipts"), index);
    char ending[64];

    (void)drill_ending_text(judge->facts, index, ending, sizeof(ending));
    judge_ending(judge, ending, drill_ending_detail(judge->facts, index));
    if (!receipt)
        return;
    judge_receipt(judge, receipt);
    judge_protections(judge, receipt, ending);
    judge_leak(judge, receipt);
    judge_denials(judge, receipt);
    judge_hits(judge, receipt);
    judge_output(judge, receipt);
}

/* --- what was seen around it --- */

static void judge_supervisor(struct judge *judge)
{
    const struct drill_facts *facts = judge->facts;
    const json_t *answer = facts->answer;
    const json_t *before = json_object_get(answer, "fds_before"), *after = json_object_get(answer, "fds_after");
    const char *error = json_string_value(json_object_get(answer, "error"));

    if (error)
        say(&judge->breaches, "the supervisor failed: %s", error);
    if (facts->status > 0 && !facts->hung && !facts->killed)
        say(&judge->breaches, WIFEXITED(facts->status) ? "the supervisor exited with %d" : "the supervisor died of %d",
            WIFEXITED(facts->status) ? WEXITSTATUS(facts->status) : WTERMSIG(facts->status));
    if (json_is_integer(before) && json_integer_value(before) != json_integer_value(after))
        say(&judge->breaches, "the supervisor has %d descriptors, %d before", (int)json_integer_value(after),
            (int)json_integer_value(before));
}

/* Each is a run like any other; that it is also like the first one is for judge_slot.c. */
static void judge_honest(struct judge *judge)
{
    size_t index;
    json_t *run;

    json_array_foreach(json_object_get(judge->facts->answer, "runs"), index, run)
    {
        const json_t *receipt = json_object_get(run, "receipt");
        char ending[64];
        if (!json_is_true(json_object_get(run, "honest")))
            continue;
        judge_receipt(judge, receipt);
        judge_protections(judge, receipt, drill_receipt_ending(receipt, ending, sizeof(ending)));
        judge_leak(judge, receipt);
    }
    drill_judge_slots(judge->facts->answer, judge->facts->pace, &judge->breaches, &judge->skips);
}

static void judge_sibling(struct judge *judge)
{
    const struct drill_facts *facts = judge->facts;
    char ending[64];

    if (!(judge->expect->outside & DRILL_BIT(DRILL_SIBLING)))
        return;
    (void)drill_receipt_ending(json_array_get(json_object_get(facts->sibling, "receipts"), 0), ending, sizeof(ending));
    if (strcmp(ending, "exited 0") != 0)
        say(facts->pace >= DRILL_PACE_SLOW && drill_ending_is_late(ending) ? &judge->skips : &judge->breaches,
            "the harmless run beside it ended: %s", ending);
}

/* --- the control --- */

bool drill_trial_worked(const struct drill_trial *trial)
{
    return trial->tried && (trial->evidence.count > 0 || drill_words_has(&trial->endings, "exited 10"));
}

static void judge_control(struct judge *judge)
{
    const struct drill_trial *trial = &judge->facts->control;
    const char *last = trial->endings.count > 0 ? trial->endings.items[trial->endings.count - 1] : "lost";

    if (!trial->tried)
        return;
    if (trial->failed[0])
        say(&judge->misses, "its control could not be run: %s", trial->failed);
    else if (trial->hung)
        say_late(judge, "its control did not end in time");
    else if (trial->crowded)
        say(&judge->misses, "its control made too many processes");
    else if (drill_words_has(&trial->endings, "exited 77"))
        say(&judge->skips, "cannot be staged here: %s", trial->last_line[0] ? trial->last_line : "no reason given");
    else if (!drill_trial_worked(trial))
        say(&judge->misses, "its control did not work: it ended %s, and nothing was seen outside", last);
}

/* --- verdict --- */

static void add_all(struct drill_words *to, const struct drill_words *from)
{
    say_each(to, "", from);
}

static void decide(struct judge *judge, struct drill_verdict *verdict)
{
    *verdict =
        (struct drill_verdict){.result = judge->expect->residual && judge->reached ? DRILL_RESIDUAL : DRILL_HELD};
    if (judge->breaches.count > 0 || (judge->misses.count > 0 && judge->skips.count == 0)) {
        verdict->result = DRILL_RED;
        add_all(&verdict->reasons, &judge->breaches);
        add_all(&verdict->reasons, &judge->misses);
    } else if (judge->skips.count > 0) {
        verdict->result = DRILL_SKIP;
    } else if (verdict->result == DRILL_RESIDUAL) {
        say(&verdict->reasons, "%s", judge->expect->residual);
    }
    add_all(&verdict->reasons, &judge->skips);
}

static void judge_all(struct judge *judge)
{
    const struct drill_facts *facts = judge->facts;
    size_t runs = judge->expect->outside & DRILL_BIT(DRILL_SECOND_RUN) ? 2 : 1;

    for (size_t i = 0; i < runs; i++)
        judge_run(judge, i);
    judge_supervisor(judge);
    judge_honest(judge);
    judge_sibling(judge);
    if (facts->terminal && facts->terminal->count > 0 &&
        memmem(facts->terminal->bytes, facts->terminal->count, facts->nonce, strlen(facts->nonce)))
        say(&judge->breaches, "the secret came out on the terminal");
    say_each(&judge->breaches, "", &facts->outside);
    say_each(&judge->breaches, "", &facts->residue.faults);
    judge_control(judge);
}

void drill_judge(const struct drill_facts *facts, struct drill_verdict *ret_verdict)
{
    struct judge judge = {.facts = facts, .expect = facts->expect};

    if (facts->unstaged[0])
        say(&judge.skips, "%s", facts->unstaged);
    else
        judge_all(&judge);
    decide(&judge, ret_verdict);
    if (facts->unproven[0] && ret_verdict->result != DRILL_RED && ret_verdict->result != DRILL_SKIP) {
        ret_verdict->result = DRILL_SKIP;
        say(&ret_verdict->reasons, "%s", facts->unproven);
    }
    drill_words_release(&judge.breaches);
    drill_words_release(&judge.misses);
    drill_words_release(&judge.skips);
}

void drill_verdict_release(struct drill_verdict *verdict)
{
    drill_words_release(&verdict->reasons);
}
