/* judge.h - inside the room: the verdict on one attack, from facts alone */
#pragma once

#include "drill/drill.h"
#include "drill/expect.h"
#include "drill/residue.h"

/* The positive control, where it is bare. */
struct drill_trial {
    bool tried;
    bool hung, crowded;
    struct drill_words endings;  /* "exited 10": of the run, or of both */
    struct drill_words evidence; /* what it did outside, a clause each */
    char last_line[200];         /* of what it printed */
    char failed[300];            /* not empty: it could not be run */
};

/* Everything that is known of one attack when it is over. */
struct drill_facts {
    const struct drill_expect *expect;
    const char *nonce;
    unsigned pace;        /* how many times slower than usual this machine is now: see pace.h */
    char unstaged[400];   /* not empty: nothing was run, and why */
    char unproven[300];   /* not empty: there is no control here, and why */
    const json_t *answer; /* the supervisor's, see role.h; NULL: none came */
    bool hung, killed;
    int status;                 /* of the supervisor, as from wait; -1: unknown */
    bool staged;                /* something that must stay as it is */
    struct drill_words outside; /* what is not as it was staged */
    struct drill_residue residue;
    size_t files;                    /* that were not staged */
    uint64_t cleared_us;             /* from the death of a killed supervisor to that of its last process */
    const json_t *sibling;           /* the answer of the harmless run beside it; NULL: none came */
    const struct base_buf *terminal; /* what the terminal showed, NULL: none was there */
    struct drill_trial control;
};

struct drill_verdict {
    enum drill_result result;
    struct drill_words reasons;
};

/* Reasons for red come first. */
void drill_judge(const struct drill_facts *facts, struct drill_verdict *ret_verdict);
void drill_verdict_release(struct drill_verdict *verdict);

/* How the run of @receipt ended, in such words: "lost" where there is none. Returns @text. */
const char *drill_receipt_ending(const json_t *receipt, char *text, size_t text_bytes);

/* By one of the limits that pass by themselves, whatever the program does. */
bool drill_ending_is_late(const char *ending);

/* Of the runs of an answer from slots: what the later ones see of the attack, and why nothing can be seen of it. */
void drill_judge_slots(const json_t *answer, unsigned pace, struct drill_words *breaches, struct drill_words *skips);

/* Did the control show that the attack works? */
bool drill_trial_worked(const struct drill_trial *trial);

/* Why run @index ended as it did, a clause of its receipt or of its refusal; NULL where there is nothing to say. */
const char *drill_ending_detail(const struct drill_facts *facts, size_t index);

/* "exited 0", "limit wall", "refused", "killed", "hung" or "lost": how run @index of the answer ended. Returns @text.
 */
const char *drill_ending_text(const struct drill_facts *facts, size_t index, char *text, size_t text_bytes);
