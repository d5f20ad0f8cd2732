/* job.h - one run of one candidate: what goes into the cage, and the verdict on what came out */
#pragma once

#include "eval/candidate.h"
#include "eval/ledger.h"
#include "run/run.h"

/* A line of the candidate begins a block of Markdown's. */
enum eval_fence { EVAL_FENCE_NONE, EVAL_FENCE_SOMEWHERE, EVAL_FENCE_FIRST /* nothing but blanks stand before it */ };

struct eval_job {
    struct eval_job *next; /* in a list of jobs that wait */
    struct eval_place place;
    const struct eval_task *task;
    enum judge_kind kind; /* by which it is judged */
    unsigned attempts;
    char nonce[JUDGE_NONCE_CHARS + 1];
    char program_sha256[BASE_HASH_HEX];
    char code_sha256[BASE_HASH_HEX]; /* of the composed program, the function's file or the program itself */
    enum eval_fence fence;
    char file_name[256];           /* the user's name for the candidate; "" when there is none */
    char cage_name[64];            /* its name in the cage, which comes from nobody: "random.py" would be imported */
    struct base_buf code;          /* what code_sha256 names */
    struct base_buf case_text;     /* CALL */
    const char *assembly;          /* SCRIPT: of what, in which order; else NULL. Lives for ever */
    struct warden_outcome outcome; /* while it waits for what is found of its tests: see eval/tests.h */
    struct judge_ruling waiting;   /* and what it would be otherwise */
    struct stage_program program;
    struct stage_file files[2];
    struct run_request request;
};

/* Make a job on the heap; the candidate's bytes are copied. */
int eval_job_make(const struct eval_candidate *candidate, const struct eval_task *task, size_t case_index,
                  const struct policy *policy, struct eval_job **ret_job, struct base_err *err);
/* One that finds out whether the tests of a task compile; it has no row. */
int eval_job_make_tests(const struct eval_task *task, size_t index, const struct policy *policy,
                        struct eval_job **ret_job, struct base_err *err);
/* What it holds itself; the task's texts are the task's. */
size_t eval_job_bytes(const struct eval_job *job);
void eval_job_free(struct eval_job *job);

/* True for a text that holds nothing but blanks. */
bool eval_job_is_blank(const char *code, size_t count);

/* The verdict. @code and @error are what the run returned; @outcome counts when @code is 0. */
void eval_job_judge(const struct eval_job *job, int code, const struct base_err *error,
                    const struct warden_outcome *outcome, struct judge_ruling *ret_ruling);
