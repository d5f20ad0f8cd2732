/* judge.h - from facts to a verdict
 *
 * Knows no cage and runs nothing: it makes the text that a run needs (composed scripts, cases for the drivers) and
 * judges what came back. Everything that a guest wrote is read by the functions of the *_untrusted.c files.
 */
#pragma once

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum judge_verdict {
#define JUDGE_VERDICT(name, json, fault) JUDGE_##name,
#include "judge/verdicts.def"
#undef JUDGE_VERDICT
    JUDGE_VERDICT_MAX
};

enum judge_fault {
    JUDGE_FAULT_NONE,
    JUDGE_FAULT_CANDIDATE,
    JUDGE_FAULT_TASK,
    JUDGE_FAULT_HOST,
    JUDGE_FAULT_MODEL,
    JUDGE_FAULT_MAX
};

/* The words of the contract. */
const char *judge_verdict_name(enum judge_verdict verdict);
const char *judge_fault_name(enum judge_fault fault);
enum judge_fault judge_verdict_fault(enum judge_verdict verdict);

/* The verdict of that name, or JUDGE_VERDICT_MAX. */
enum judge_verdict judge_verdict_find(const char *name);

/* ---- what the guest said on its private channel ---------------------------------------------------------------- */

/* How a program is judged. Each kind has its own words (words.def) and its own way to pass. */
enum judge_kind {
    JUDGE_KIND_NONE, /* facts that nobody filled in: nothing passes */
    JUDGE_PROGRAM,   /* by its output, which is compared; it has no private channel */
    JUDGE_CALL,      /* by a value that it returned, which is compared */
    JUDGE_MUTATION,  /* by what its input has become, which is compared */
    JUDGE_SCRIPT,    /* by tests in its own process, which must have run to their end */
    JUDGE_TESTS, /* no candidate: whether the tests of a script are a program, by our driver, which runs nothing else */
    JUDGE_KIND_MAX
};

/* A secret of the guest's own process is none: the nonce keeps accidents out, no cheat. */
#define JUDGE_NONCE_CHARS 32

/* Weakest first: the strongest that was said counts. */
enum judge_said {
    JUDGE_SAID_NOTHING,
    JUDGE_SAID_START,   /* the program was compiled and its first statement ran */
    JUDGE_SAID_DONE,    /* its tests ran to their end */
    JUDGE_SAID_VALUE,   /* the call is over, here is the value to compare */
    JUDGE_SAID_CARRY,   /* the call returned something that cannot travel */
    JUDGE_SAID_RAISE,   /* an exception was not caught */
    JUDGE_SAID_MISSING, /* there is no function of that name */
    JUDGE_SAID_ASSERT,  /* an assertion of the tests failed */
    JUDGE_SAID_COMPILE, /* it is not a program of its language */
    JUDGE_SAID_MAX
};

struct judge_mark {
    enum judge_said said;
    char reason[200];  /* guest's own words: show them only with control bytes made visible */
    const char *value; /* VALUE: points into the channel's bytes */
    size_t value_count;
};

/* Read the channel's bytes: lines "WORD NONCE[ PAYLOAD]" with a word of that kind; all others are ignored. Foreign
 * bytes: has a fuzzer. */
void judge_mark_read(const char *bytes, size_t count, enum judge_kind kind, const char *nonce,
                     struct judge_mark *ret_mark);

/* True for a kind that has a private channel. */
bool judge_kind_speaks(enum judge_kind kind);

/* ---- values ---------------------------------------------------------------------------------------------------- */

/* Parse a JSON text of any origin: at most 256 levels, no duplicate keys. An integer beyond 64 bits is kept whole, as
 * {"\u0001int": "digits"}; a key of the text that begins with that character gets another one before it, so that no
 * text becomes such an integer. Errors carry "PLACE:LINE:COLUMN", lines counted from @line. Foreign bytes: has a
 * fuzzer. */
int judge_value_parse(const char *bytes, size_t count, const char *place, unsigned long line, json_t **ret_value,
                      struct base_err *err);

/* The same, but of a key that is there twice the last one counts. */
int judge_value_parse_twice(const char *bytes, size_t count, const char *place, unsigned long line, json_t **ret_value,
                            struct base_err *err);

/* A value that a guest sent, in the typed encoding of the drivers (answer_untrusted.c). */
struct judge_answer;
int judge_answer_read(const char *bytes, size_t count, struct judge_answer **ret_answer, struct base_err *err);
void judge_answer_free(struct judge_answer *answer);

static inline void judge_answer_cleanup(struct judge_answer **answer)
{
    judge_answer_free(*answer);
}
#define AUTO_ANSWER CLEANUP(judge_answer_cleanup)

/* How far a real number may be from the wanted one: the largest of these counts. */
struct judge_tolerance {
    double relative; /* of the larger of the two */
    double absolute;
    double at_zero; /* absolute, where exactly 0.0 is wanted: relative means nothing there */
};
extern const struct judge_tolerance judge_tolerance_default;

/* Equal as JSON values: a number is the wanted one, exactly, or, where a real number is wanted, within @tolerance; true
 * and false are no numbers; null only null; lists and tuples in order; dicts by key. Else @text says how they differ.
 */
bool judge_answer_equal(const struct judge_answer *answer, const json_t *want, const struct judge_tolerance *tolerance,
                        char *text, size_t text_bytes);

/* The fewest bytes that an equal value takes as it travels. */
size_t judge_value_least(const json_t *want);

/* What the arguments of a call have become is exactly what they were: types, too. @one_number: of a language that has
 * one type for 1 and 1.0, as JavaScript. */
bool judge_answer_unchanged(const struct judge_answer *answer, const json_t *args, bool one_number, char *text,
                            size_t text_bytes);

/* Equal as printed text: blanks at the end of a line and empty lines at the end do not count, every other byte does.
 * *@ret_line (may be NULL): the first line that differs. */
bool judge_text_equal(const char *a, size_t a_count, const char *b, size_t b_count, unsigned long *ret_line);

/* How many bytes a text that is equal to this one has at least. */
size_t judge_text_least(const char *text, size_t count);

/* ---- function calls -------------------------------------------------------------------------------------------- */

/* What a language needs for being called: a driver that is the cage's program, and further files below /work. */
struct judge_driver {
    const char *runtime;        /* "python" */
    const char *program;        /* name of the driver in the cage */
    const char *candidate;      /* name of the candidate there */
    const unsigned char *bytes; /* of the driver */
    size_t count;
};
#define JUDGE_CASE_FILE ".case"

/* The driver for a runtime, or NULL. */
const struct judge_driver *judge_driver_find(const char *runtime);

/* The one that compiles the tests of a script, which are its "candidate". */
const struct judge_driver *judge_driver_tests(void);

/* One call as the driver reads it from JUDGE_CASE_FILE. Expected values are not part of it. */
struct judge_call {
    const char *entry_point;
    const json_t *args; /* list */
    bool report_args;   /* report the arguments as they are after the call instead of the returned value */
};
int judge_call_write(const struct judge_call *call, const struct judge_driver *driver, const char *nonce,
                     struct base_buf *buf, struct base_err *err);

/* True for a name that the drivers can look up: ASCII letters, digits, '_', not starting with a digit. */
bool judge_name_ok(const char *name);

/* ---- scripts --------------------------------------------------------------------------------------------------- */

/* A Python program made of the candidate and of the tests. The tests run in the candidate's process, so a candidate
 * that sets out to forge the marks can: trust is "in-process". The nonce reaches the program in JUDGE_NONCE_FILE, which
 * is gone before the candidate's first statement, so that the same code has the same hash in every run. */
enum judge_prompt {
    JUDGE_PROMPT_NONE,
    JUDGE_PROMPT_JOINED, /* the candidate goes on where it ends: one text */
    JUDGE_PROMPT_APART,  /* what it defines and imports is there before the candidate */
    JUDGE_PROMPT_MAX
};

struct judge_script {
    bool prelude; /* imports that whole programs take for granted go first */
    bool is_text; /* the code's encoding is UTF-8, whatever it says */
    enum judge_prompt prompt;
    const char *prompt_text;
    size_t prompt_count;
    const char *code;
    size_t code_count;
    const char *tests;
    size_t tests_count;
};
#define JUDGE_NONCE_FILE ".mark"

/* The program says START before anything else of it runs, so silence means that it did not compile; ASSERT comes with
 * the number of the tests' line. */
int judge_script_compose(const struct judge_script *script, struct base_buf *ret_program, struct base_err *err);

/* The number of lines before the tests in a program that was composed with @tests_count bytes of them. */
unsigned long judge_script_lines_before_tests(const char *program, size_t count, size_t tests_count);

/* The same without a candidate, to find out whether it compiles: whatever keeps it from that is the tests'. */
int judge_tests_compose(const char *tests, size_t count, struct base_buf *ret_program, struct base_err *err);

/* What runs in which order, "+" between what is one text; lives for ever. */
const char *judge_script_assembly(const struct judge_script *script);

/* ---- the verdict ----------------------------------------------------------------------------------------------- */

enum judge_ending {
    JUDGE_ENDED_EXITED,
    JUDGE_ENDED_SIGNALED,
    JUDGE_ENDED_LIMIT, /* any that has no row of its own */
    JUDGE_ENDED_OUTPUT,
    JUDGE_ENDED_TIME,
    JUDGE_ENDED_MEMORY,
    JUDGE_ENDED_DENIED,
    JUDGE_ENDED_CANCELLED,
    JUDGE_ENDED_HOST, /* could not be set up, or was lost */
    JUDGE_ENDED_MAX
};

enum judge_compared { JUDGE_NOT_COMPARED, JUDGE_SAME, JUDGE_DIFFERENT };

/* Facts of the supervisor, and what was compared outside the cage. */
struct judge_facts {
    enum judge_kind kind;
    enum judge_ending ending;
    int exit_code, signal;
    const char *ending_text; /* a clause for people, or NULL */
    const char *last_words;  /* the guest's last line on stderr, or NULL */
    bool forbidden;          /* the policy forbids denied attempts, and there was one */
    struct judge_mark mark;
    enum judge_compared compared;
    const char *wrong_text; /* how it differs, or NULL */
};

struct judge_ruling {
    enum judge_verdict verdict;
    enum judge_fault fault;
    char detail[256]; /* one clause; may hold the guest's words */
};

/* Never fails: facts that fit nothing are an infra-error. Only a script passes without a comparison; of tests alone
 * PASS says that they compile, TASK_INVALID that they do not, and all else neither. */
void judge_decide(const struct judge_facts *facts, struct judge_ruling *ret_ruling);

/* A ruling without a run: missing, no-code, skipped. */
void judge_rule(enum judge_verdict verdict, const char *detail, struct judge_ruling *ret_ruling);
