/* candidate.h - candidates one after the other, in flat memory, from wherever they are */
#pragma once

#include "base/err.h"
#include "eval/task.h"
#include "stage/stage.h"
#include <stddef.h>

/* Of one candidate, and of a line that may hold many; the latter also as a tree. */
#define EVAL_CANDIDATE_MAX_BYTES   (4u << 20)
#define EVAL_CANDIDATES_MAX_BYTES  (16u << 20)
#define EVAL_CANDIDATES_MAX_MEMORY ((size_t)48 << 20)

enum eval_form {
    EVAL_ABSENT,     /* nobody tried this task */
    EVAL_COMPLETION, /* goes behind the task's prompt */
    EVAL_SOLUTION,   /* a whole function or program that takes the usual imports for granted */
    EVAL_PROGRAM,    /* a whole program, run as it is */
};

struct eval_candidate {
    size_t task;     /* index */
    unsigned sample; /* 0, 1, 2, ... of that task */
    enum eval_form form;
    const char *code; /* lives until the next call; NULL when ABSENT */
    size_t count;
    const struct stage_runtime *runtime; /* NULL when ABSENT */
    const char *file_name;               /* of a file in a folder, else NULL */
    bool is_text;                        /* it came as text: what it says of its encoding is not so */
    const char *refused; /* why it cannot be one, or NULL; lives until the next call. The verdict is then: */
    enum judge_verdict refused_as;
    bool too_large; /* has more than EVAL_CANDIDATE_MAX_BYTES, which are not here */
};

struct eval_candidates;

/* @spec: "canonical", "none", a folder, or a file of JSON objects. */
int eval_candidates_open(const char *spec, const struct eval_tasks *tasks, struct eval_candidates **ret_candidates,
                         struct base_err *err);

/* 1 with the next one, 0 at the end, or an error with its place. Tasks that were not chosen are passed over; chosen
 * tasks without a candidate come last, as ABSENT. */
int eval_candidates_next(struct eval_candidates *candidates, struct eval_candidate *ret_candidate,
                         struct base_err *err);

/* How many were for no task of the set so far, and the first such one, made short ("" when there is none). */
size_t eval_candidates_unknown(const struct eval_candidates *candidates, const char **ret_example);

/* How a candidate for @task would be named there, for messages. */
#define EVAL_WANTED_BYTES 256
void eval_candidates_wanted(const struct eval_candidates *candidates, const struct eval_task *task,
                            char ret_text[EVAL_WANTED_BYTES]);
void eval_candidates_close(struct eval_candidates *candidates);

static inline void eval_candidates_cleanup(struct eval_candidates **candidates)
{
    eval_candidates_close(*candidates);
}
#define AUTO_CANDIDATES CLEANUP(eval_candidates_cleanup)

/* One JSON object of a file of candidates. Foreign bytes: has a fuzzer. */
struct eval_line {
    long task;        /* index, or -1: for no task of the set */
    char example[64]; /* id or prompt, made short */
    enum eval_form form;
    const char *runtime; /* of its language; NULL: it does not say. Lives for ever */
    const char *key;     /* of its codes; lives for ever */
    bool many;           /* codes is a list */
    const json_t *codes; /* a code, or a list of them: text or null, or else no code; borrowed from the object */
    char refused[160];   /* why none of them can be judged; "" where they can. The verdict is then: */
    enum judge_verdict refused_as;
};
int eval_line_parse(const json_t *json, const char *place, const struct eval_tasks *tasks, struct eval_line *ret_line,
                    struct base_err *err);

/* The @index-th code of a line; NULL past the end. */
const json_t *eval_line_code(const struct eval_line *line, size_t index);

/* Files of a folder that are named after tasks, in the order of the tasks. */
struct eval_file {
    size_t task;
    const struct stage_runtime *runtime;
    char *name;
};
struct eval_folder {
    char *path;
    struct eval_file *files;
    size_t count, capacity;
    size_t unknown;
    char example[64];
};
/* The file name for @id, without extension; @bare: without the "MBPP/" that a number was given. NULL without memory, or
 * when there is no such name. The caller frees it. */
char *eval_folder_name(const char *id, bool bare);
int eval_folder_list(const char *path, const struct eval_tasks *tasks, struct eval_folder *ret_folder,
                     struct base_err *err);
void eval_folder_release(struct eval_folder *folder);
