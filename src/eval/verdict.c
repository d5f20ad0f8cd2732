/* verdict.c - from the outcome of a run to the facts that a verdict needs */

#include "base/cleanup.h"
#include "base/utf8.h"
#include "eval/job.h"
#include "eval/words.h"
#include <stdio.h>
#include <string.h>

static const enum judge_ending endings[WARDEN_ENDING_MAX] = {
    [WARDEN_EXITED] = JUDGE_ENDED_EXITED,       [WARDEN_SIGNALED] = JUDGE_ENDED_SIGNALED,
    [WARDEN_LIMIT] = JUDGE_ENDED_LIMIT,         [WARDEN_DENIED] = JUDGE_ENDED_DENIED,
    [WARDEN_CANCELLED] = JUDGE_ENDED_CANCELLED, [WARDEN_SETUP_ERROR] = JUDGE_ENDED_HOST,
    [WARDEN_LOST] = JUDGE_ENDED_HOST,
};

static const enum judge_ending limit_endings[WARDEN_LIMIT_MAX] = {
    [WARDEN_LIMIT_NONE] = JUDGE_ENDED_LIMIT,       [WARDEN_LIMIT_WALL] = JUDGE_ENDED_TIME,
    [WARDEN_LIMIT_CPU] = JUDGE_ENDED_TIME,         [WARDEN_LIMIT_IDLE] = JUDGE_ENDED_TIME,
    [WARDEN_LIMIT_MEMORY] = JUDGE_ENDED_MEMORY,    [WARDEN_LIMIT_PROCESSES] = JUDGE_ENDED_LIMIT,
    [WARDEN_LIMIT_OUTPUT] = JUDGE_ENDED_OUTPUT,    [WARDEN_LIMIT_DISK] = JUDGE_ENDED_LIMIT,
    [WARDEN_LIMIT_OPEN_FILES] = JUDGE_ENDED_LIMIT, [WARDEN_LIMIT_INPUT] = JUDGE_ENDED_LIMIT,
};

static enum judge_ending ending_of(const struct warden_outcome *outcome)
{
    if ((unsigned)outcome->ending >= WARDEN_ENDING_MAX || (unsigned)outcome->limit >= WARDEN_LIMIT_MAX)
        return JUDGE_ENDED_HOST;
    return outcome->ending == WARDEN_LIMIT ? limit_endings[outcome->limit] : endings[outcome->ending];
}

/* Many libraries make a socket when they are loaded, to see what there is, and never use it. */
static const char *remedy_for(const char *class_name)
{
    return strcmp(class_name, "network") == 0
               ? " (one that is only made, as by some libraries, is no attempt with network: loopback)"
               : "";
}

/* A clause for people about how the run ended. */
static void describe(const struct eval_job *job, const struct warden_outcome *outcome, char *text, size_t bytes)
{
    const struct warden_denial *denial = warden_outcome_denials(outcome);

    if (outcome->error.code < 0)
        (void)snprintf(text, bytes, "%.100s: %.150s", outcome->error.place, outcome->error.what);
    else if (outcome->denial_count > 0 && job->request.policy->denials != POLICY_DENIALS_RECORD)
        (void)snprintf(text, bytes, "tried %s %s%s", denial->class_name, denial->what, remedy_for(denial->class_name));
    else if (outcome->ending == WARDEN_LIMIT)
        (void)warden_limit_text(outcome, job->request.policy, text, bytes);
    else
        (void)snprintf(text, bytes, "%s", outcome->detail);
}

struct comparison {
    struct judge_facts *facts;
    char text[200];        /* room for facts->wrong_text */
    char ending_text[160]; /* and for facts->ending_text */
};

static void note(struct comparison *c, bool same)
{
    c->facts->compared = same ? JUDGE_SAME : JUDGE_DIFFERENT;
}

static void compare_stdio(const struct eval_job *job, const struct warden_outcome *outcome, struct comparison *c)
{
    const struct eval_text *expect = &job->task->expect;
    unsigned long line = 0;
    char how[sizeof(c->text) - 48];

    if (outcome->out.truncated) { /* the policy let it run on, but what is missing cannot be compared */
        c->facts->ending = JUDGE_ENDED_OUTPUT;
        c->facts->ending_text = "its output is longer than what is kept";
        return;
    }
    note(c, judge_text_equal(outcome->out.kept.bytes, outcome->out.kept.count, expect->bytes, expect->count, &line));
    if (c->facts->compared == JUDGE_SAME)
        return;
    eval_words_differ(&outcome->out.kept, expect->bytes, expect->count, line, how, sizeof(how));
    (void)snprintf(c->text, sizeof(c->text), "line %lu of its output differs: %s", line, how);
}

static void compare_value(const struct eval_job *job, const struct judge_answer *answer, struct comparison *c)
{
    const struct eval_case *expected = &job->task->cases[job->place.case_index];
    bool mutation = expected->no_mutation, one_number = strcmp(job->program.runtime->name, "node") == 0;
    char how[sizeof(c->text)];

    note(c, mutation ? judge_answer_unchanged(answer, expected->args, one_number, how, sizeof(how))
                     : judge_answer_equal(answer, expected->expect, &expected->tolerance, how, sizeof(how)));
    (void)snprintf(c->text, sizeof(c->text), mutation ? "changed its input: %s" : "%s", how);
}

static uint64_t value_max(const struct eval_job *job)
{
    const struct policy_limit *limit = &job->request.policy->limits[POLICY_LIMIT_VALUE_BYTES];

    return limit->unlimited || limit->value > WARDEN_KEEP_MAX_BYTES ? WARDEN_KEEP_MAX_BYTES : limit->value;
}

static void too_large(const struct eval_job *job, struct comparison *c)
{
    uint64_t max = value_max(job);

    if (c->facts->ending == JUDGE_ENDED_TIME) /* it was stopped while it said it */
        return;
    c->facts->ending = JUDGE_ENDED_OUTPUT;
    (void)snprintf(c->ending_text, sizeof(c->ending_text), "the value has more than %llu bytes%s",
                   (unsigned long long)max,
                   max == WARDEN_KEEP_MAX_BYTES ? ", which is all that is ever kept" : " (--limit value_bytes=SIZE)");
    c->facts->ending_text = c->ending_text;
}

static void compare_call(const struct eval_job *job, const struct warden_outcome *outcome, struct comparison *c)
{
    struct judge_facts *facts = c->facts;
    AUTO_ANSWER struct judge_answer *answer = NULL;
    struct base_err err;
    int r;

    if (facts->mark.said != JUDGE_SAID_VALUE) {
        if (outcome->mark_truncated && facts->mark.said < JUDGE_SAID_VALUE)
            too_large(job, c);
        return;
    }
    if (facts->mark.value_count > value_max(job)) {
        too_large(job, c);
        return;
    }
    r = judge_answer_read(facts->mark.value, facts->mark.value_count, &answer, &err);
    if (r == BASE_E_NOMEM) {
        facts->ending = JUDGE_ENDED_HOST;
        facts->ending_text = "there is no memory to judge it";
        return;
    }
    if (r < 0) {
        facts->mark.said = JUDGE_SAID_CARRY;
        (void)snprintf(facts->mark.reason, sizeof(facts->mark.reason), "its answer %.120s", err.what);
        return;
    }
    compare_value(job, answer, c);
}

/* The @number-th line, without the blanks at its ends. */
static const char *find_line(const struct eval_text *text, unsigned long number, size_t *ret_count)
{
    const char *line = text->bytes, *end = text->bytes + text->count, *stop;

    for (unsigned long n = 1; line && n < number; n++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline ? newline + 1 : NULL;
    }
    if (!line || number == 0)
        return NULL;
    stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    while (line < stop && strchr(" \t\r", *line))
        line++;
    while (stop > line && strchr(" \t\r", stop[-1]))
        stop--;
    *ret_count = (size_t)(stop - line);
    return *ret_count ? line : NULL;
}

/* The number at *@at, which moves past it. */
static unsigned long take_number(const char **at)
{
    unsigned long number = 0;

    for (; **at >= '0' && **at <= '9' && number < 100000000; (*at)++)
        number = number * 10 + (unsigned long)(**at - '0');
    return number;
}

/* Which assertion it was, by the number of its line; and its message, which is the last that was said on stderr. */
static void name_assertion(const struct eval_job *job, struct judge_facts *facts)
{
    static const char label[] = "AssertionError: ";
    const char *digits = facts->mark.reason, *said = facts->last_words;
    unsigned long number;
    size_t count = 0;
    const char *line;
    char text[sizeof(facts->mark.reason)];

    number = take_number(&digits);
    line = *digits ? NULL : find_line(&job->task->tests, number, &count);
    said = said && strncmp(said, label, strlen(label)) == 0 ? said + strlen(label) : NULL;
    (void)snprintf(text, sizeof(text), "failed: %.*s%s%s", count > 120 ? 120 : (int)count, line ? line : "an assertion",
                   said ? ": " : "", said ? said : "");
    if (!line)
        (void)snprintf(text, sizeof(text), "an assertion of the tests failed");
    memcpy(facts->mark.reason, text, sizeof(text));
}

/* Why the tests do not compile, and the line of theirs where. */
static void compare_tests(const struct eval_job *job, const struct warden_outcome *outcome, struct comparison *c)
{
    struct judge_mark *mark = &c->facts->mark;
    const char *why = mark->reason;
    char text[sizeof(mark->reason)];
    unsigned long number, before;
    const char *line = NULL;
    size_t count = 0;

    (void)outcome;
    if (mark->said != JUDGE_SAID_COMPILE)
        return;
    number = take_number(&why);
    before = judge_script_lines_before_tests(job->code.bytes, job->code.count, job->task->tests.count);
    if (number > before)
        line = find_line(&job->task->tests, number - before, &count);
    if (line)
        (void)snprintf(text, sizeof(text), "the tests do not compile:%.80s: %.*s (line %lu of the tests)", why,
                       count > 40 ? 40 : (int)count, line, number - before);
    else
        (void)snprintf(text, sizeof(text), "the tests do not compile:%.120s", why);
    memcpy(mark->reason, text, sizeof(text));
}

/* The marks have its class; stderr, with what it says, was written by the same process. */
static void name_exception(struct judge_facts *facts)
{
    if (facts->last_words && eval_words_are_of(facts->last_words, facts->mark.reason))
        (void)snprintf(facts->mark.reason, sizeof(facts->mark.reason), "%s", facts->last_words);
}

/* Its tests have compared, and the marks say what came of it. */
static void compare_script(const struct eval_job *job, const struct warden_outcome *outcome, struct comparison *c)
{
    (void)outcome;
    if (c->facts->mark.said == JUDGE_SAID_ASSERT)
        name_assertion(job, c->facts);
    else if (c->facts->mark.said == JUDGE_SAID_RAISE)
        name_exception(c->facts);
}

static void (*const compare[JUDGE_KIND_MAX])(const struct eval_job *, const struct warden_outcome *,
                                             struct comparison *) = {
    [JUDGE_PROGRAM] = compare_stdio, [JUDGE_CALL] = compare_call,   [JUDGE_MUTATION] = compare_call,
    [JUDGE_SCRIPT] = compare_script, [JUDGE_TESTS] = compare_tests,
};

/* In the cage the candidate has another name; people know it by its own. */
static void name_file(const struct eval_job *job, struct judge_ruling *ruling)
{
    const char *at = *job->file_name && *job->cage_name ? strstr(ruling->detail, job->cage_name) : NULL;
    char detail[sizeof(ruling->detail)];

    if (!at)
        return;
    if (snprintf(detail, sizeof(detail), "%.*s%s%s", (int)(at - ruling->detail), ruling->detail, job->file_name,
                 at + strlen(job->cage_name)) < (int)sizeof(detail))
        memcpy(ruling->detail, detail, sizeof(detail));
}

static void append_hint(struct judge_ruling *ruling, const char *hint)
{
    size_t count = strlen(ruling->detail), hint_bytes = strlen(hint) + 1, room = sizeof(ruling->detail) - hint_bytes;

    if (count > room)
        count = base_utf8_cut(ruling->detail, room);
    memcpy(ruling->detail + count, hint, hint_bytes);
}

/* A model's answer as it came: say what is in the way. */
static void name_fence(const struct eval_job *job, struct judge_ruling *ruling)
{
    bool broken = ruling->verdict == JUDGE_COMPILE_ERROR || strstr(ruling->detail, "SyntaxError");
    bool failed = ruling->verdict == JUDGE_RUNTIME_ERROR || ruling->verdict == JUDGE_WRONG_ANSWER ||
                  ruling->verdict == JUDGE_EXITED_EARLY || broken;

    if (job->fence != EVAL_FENCE_NONE && (job->fence == EVAL_FENCE_FIRST ? failed : broken))
        append_hint(ruling, " (Markdown: take the code out of its fences)");
}

/* It may have answered, whatever came after that. */
static bool may_have_answered(const struct eval_job *job, enum judge_ending ending)
{
    return ending == JUDGE_ENDED_EXITED || ending == JUDGE_ENDED_SIGNALED ||
           (ending == JUDGE_ENDED_TIME && job->task->kind == EVAL_CALL);
}

/* Our part of the program speaks on stderr or stdout where the candidate has closed its channel. At a limit of time
 * they count for nothing: who is interrupted there can still write to them, but no more to the channel. */
static void hear(const struct eval_job *job, const struct warden_outcome *outcome, struct judge_mark *ret_mark)
{
    const struct base_buf *const heard[] = {&outcome->mark, &outcome->err.kept, &outcome->out.kept};

    size_t count = ending_of(outcome) == JUDGE_ENDED_TIME ? 1 : ARRAY_COUNT(heard);

    *ret_mark = (struct judge_mark){0};
    for (size_t i = 0; i < count && ret_mark->said <= JUDGE_SAID_START; i++) {
        struct judge_mark mark;

        judge_mark_read(heard[i]->bytes, heard[i]->count, job->kind, job->nonce, &mark);
        if (mark.said > ret_mark->said)
            *ret_mark = mark;
    }
}

void eval_job_judge(const struct eval_job *job, int code, const struct base_err *error,
                    const struct warden_outcome *outcome, struct judge_ruling *ret_ruling)
{
    struct judge_facts facts = {0};
    struct comparison comparison = {.facts = &facts};
    char text[sizeof(ret_ruling->detail)], words[160];

    if (code < 0) {
        (void)snprintf(text, sizeof(text), "%.100s: %.150s", error->place, error->what);
        judge_rule(JUDGE_INFRA_ERROR, text, ret_ruling);
        return;
    }
    describe(job, outcome, text, sizeof(text));
    facts.ending = ending_of(outcome);
    facts.exit_code = outcome->exit_code;
    facts.signal = outcome->signal;
    facts.ending_text = *text ? text : NULL;
    eval_words_find(&outcome->err, words, sizeof(words));
    facts.last_words = *words ? words : NULL;
    facts.forbidden = job->request.policy->denials != POLICY_DENIALS_RECORD && outcome->denial_count > 0;
    facts.kind = job->kind;
    hear(job, outcome, &facts.mark);
    facts.wrong_text = comparison.text;
    if (may_have_answered(job, facts.ending))
        compare[job->kind](job, outcome, &comparison);
    judge_decide(&facts, ret_ruling);
    name_file(job, ret_ruling);
    name_fence(job, ret_ruling);
}
