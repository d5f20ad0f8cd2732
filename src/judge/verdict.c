/* verdict.c - the words, and the order in which facts decide */

#include "base/cleanup.h"
#include "judge/judge.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum judge_fault fault;
} verdicts[JUDGE_VERDICT_MAX] = {
#define JUDGE_VERDICT(name, json, fault) [JUDGE_##name] = {json, JUDGE_FAULT_##fault},
#include "judge/verdicts.def"
#undef JUDGE_VERDICT
};

const char *judge_verdict_name(enum judge_verdict verdict)
{
    return (unsigned)verdict < JUDGE_VERDICT_MAX ? verdicts[verdict].name : NULL;
}

enum judge_verdict judge_verdict_find(const char *name)
{
    unsigned i = 0;
    while (i < JUDGE_VERDICT_MAX && strcmp(verdicts[i].name, name) != 0)
        i++;
    return (enum judge_verdict)i;
}

enum judge_fault judge_verdict_fault(enum judge_verdict verdict)
{
    return (unsigned)verdict < JUDGE_VERDICT_MAX ? verdicts[verdict].fault : JUDGE_FAULT_HOST;
}

const char *judge_fault_name(enum judge_fault fault)
{
    static const char *const names[] = {"none", "candidate", "task", "host", "model"};
    return (unsigned)fault < ARRAY_COUNT(names) ? names[fault] : NULL;
}

void judge_rule(enum judge_verdict verdict, const char *detail, struct judge_ruling *ret_ruling)
{
    ret_ruling->verdict = verdict;
    ret_ruling->fault = judge_verdict_fault(verdict);
    (void)snprintf(ret_ruling->detail, sizeof(ret_ruling->detail), "%s", detail ? detail : "");
}

/* What the ending alone says. EXITED and SIGNALED have no row: for them one must look on. */
static const struct {
    bool decides;
    enum judge_verdict verdict;
} by_ending[JUDGE_ENDED_MAX] = {
    [JUDGE_ENDED_LIMIT] = {true, JUDGE_LIMIT},      [JUDGE_ENDED_OUTPUT] = {true, JUDGE_OUTPUT_LIMIT},
    [JUDGE_ENDED_TIME] = {true, JUDGE_TIMEOUT},     [JUDGE_ENDED_MEMORY] = {true, JUDGE_MEMORY},
    [JUDGE_ENDED_DENIED] = {true, JUDGE_VIOLATION}, [JUDGE_ENDED_CANCELLED] = {true, JUDGE_SKIPPED},
    [JUDGE_ENDED_HOST] = {true, JUDGE_INFRA_ERROR},
};

struct word {
    enum judge_kind kind;
    enum judge_said said;
    enum judge_verdict verdict; /* PASS: the word alone decides nothing */
    const char *text;           /* where the guest gave no reason */
};

static const struct word words[] = {
#define JUDGE_WORD(kind, name, said, verdict, text) {JUDGE_##kind, JUDGE_SAID_##said, JUDGE_##verdict, text},
#include "judge/words.def"
#undef JUDGE_WORD
};

/* The row of what was said, or NULL: nothing was, or it is no word of that kind. */
static const struct word *find_word(const struct judge_facts *f)
{
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (words[i].kind == f->kind && words[i].said == f->mark.said)
            return &words[i];
    return NULL;
}

/* A Python that cannot compile its program ends with this status. */
#define COMPILE_STATUS 1

/* A ruling with what the guest said last. */
static void rule_with_words(enum judge_verdict verdict, const char *text, const struct judge_facts *f,
                            struct judge_ruling *ruling)
{
    char detail[sizeof(ruling->detail)];

    (void)snprintf(detail, sizeof(detail), "%s%s%s", text, f->last_words ? ": " : "",
                   f->last_words ? f->last_words : "");
    judge_rule(verdict, detail, ruling);
}

/* The guest left well: the only way to pass is here, and each kind has one. */

static void decide_script(const struct judge_facts *f, struct judge_ruling *ruling)
{
    if (f->mark.said == JUDGE_SAID_DONE)
        judge_rule(JUDGE_PASS, NULL, ruling);
    else
        judge_rule(JUDGE_EXITED_EARLY, "exit status 0 before the end was reached", ruling);
}

static void decide_tests(const struct judge_facts *f, struct judge_ruling *ruling)
{
    if (f->mark.said == JUDGE_SAID_DONE)
        judge_rule(JUDGE_PASS, NULL, ruling);
    else
        judge_rule(JUDGE_INFRA_ERROR, "nothing was said of the tests", ruling);
}

static void decide_compared(const struct judge_facts *f, struct judge_ruling *ruling)
{
    if (f->compared == JUDGE_SAME)
        judge_rule(JUDGE_PASS, NULL, ruling);
    else if (f->compared == JUDGE_DIFFERENT)
        judge_rule(JUDGE_WRONG_ANSWER, f->wrong_text, ruling);
    else
        judge_rule(JUDGE_INFRA_ERROR, "the answer was not compared", ruling);
}

static void decide_call(const struct judge_facts *f, struct judge_ruling *ruling)
{
    if (f->mark.said == JUDGE_SAID_VALUE)
        decide_compared(f, ruling);
    else
        judge_rule(JUDGE_EXITED_EARLY, "exit status 0 before the call was over", ruling);
}

static void decide_nothing(const struct judge_facts *f, struct judge_ruling *ruling)
{
    (void)f;
    judge_rule(JUDGE_INFRA_ERROR, "the run's facts are unknown", ruling);
}

static void (*const decide_by_kind[JUDGE_KIND_MAX])(const struct judge_facts *, struct judge_ruling *) = {
    [JUDGE_KIND_NONE] = decide_nothing, [JUDGE_PROGRAM] = decide_compared, [JUDGE_CALL] = decide_call,
    [JUDGE_MUTATION] = decide_call,     [JUDGE_SCRIPT] = decide_script,    [JUDGE_TESTS] = decide_tests,
};

static void decide_exit(const struct judge_facts *f, struct judge_ruling *ruling)
{
    char text[64];

    if (f->ending == JUDGE_ENDED_SIGNALED) {
        (void)snprintf(text, sizeof(text), "ended by signal %d", f->signal);
        rule_with_words(JUDGE_RUNTIME_ERROR, text, f, ruling);
    } else if (f->kind == JUDGE_SCRIPT && f->exit_code == COMPILE_STATUS && f->mark.said == JUDGE_SAID_NOTHING) {
        rule_with_words(JUDGE_COMPILE_ERROR, "did not compile", f, ruling);
    } else if (f->exit_code != 0) {
        (void)snprintf(text, sizeof(text), "exit status %d", f->exit_code);
        rule_with_words(JUDGE_RUNTIME_ERROR, text, f, ruling);
    } else {
        decide_by_kind[f->kind](f, ruling);
    }
}

/* An answered call is answered: the answer was received and compared, and neither a clock that strikes later nor how
 * the process goes changes it. Memory, output and denials stay what they are: facts of the run. */
static bool is_answered(const struct judge_facts *f)
{
    bool is_call = f->kind == JUDGE_CALL || f->kind == JUDGE_MUTATION;
    bool is_late =
        f->ending == JUDGE_ENDED_TIME || f->ending == JUDGE_ENDED_EXITED || f->ending == JUDGE_ENDED_SIGNALED;

    return is_call && is_late && f->mark.said == JUDGE_SAID_VALUE && f->compared != JUDGE_NOT_COMPARED;
}

void judge_decide(const struct judge_facts *f, struct judge_ruling *ret_ruling)
{
    bool known = (unsigned)f->ending < JUDGE_ENDED_MAX && (unsigned)f->kind < JUDGE_KIND_MAX;
    bool ours = known && (f->ending == JUDGE_ENDED_HOST || f->ending == JUDGE_ENDED_CANCELLED);
    const struct word *word = find_word(f);

    if (!known || (f->mark.said != JUDGE_SAID_NOTHING && !word))
        decide_nothing(f, ret_ruling);
    else if (f->forbidden && !ours)
        judge_rule(JUDGE_VIOLATION, f->ending_text ? f->ending_text : "tried what is denied", ret_ruling);
    else if (is_answered(f))
        decide_compared(f, ret_ruling);
    else if (by_ending[f->ending].decides)
        judge_rule(by_ending[f->ending].verdict, f->ending_text, ret_ruling);
    else if (word && word->verdict != JUDGE_PASS)
        judge_rule(word->verdict, *f->mark.reason ? f->mark.reason : word->text, ret_ruling);
    else
        decide_exit(f, ret_ruling);
}
