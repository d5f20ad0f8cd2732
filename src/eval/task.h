/* task.h - a task set in memory */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "judge/judge.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum eval_kind { EVAL_STDIO, EVAL_CALL, EVAL_SCRIPT };

struct eval_text {
    char *bytes; /* NULL: there is none; else followed by a NUL that is not counted */
    size_t count;
};

struct eval_case {
    char *name;
    json_t *args;     /* list */
    json_t *expect;   /* NULL with no_mutation */
    bool no_mutation; /* the arguments must be the same after the call */
    struct judge_tolerance tolerance;
};

struct eval_task {
    char *id;
    unsigned long line; /* of the file, where it begins */
    enum eval_kind kind;
    const char *runtime; /* of a candidate that does not say itself; lives for ever */
    bool prompt_is_code; /* a completion goes behind the prompt, and canonical is one */
    bool chosen;         /* by --ids */
    char *entry_point;
    char *defined; /* SCRIPT with an entry point: the name that a whole program defines */
    struct eval_text prompt, canonical;
    struct eval_text tests;         /* SCRIPT: all that runs behind the candidate */
    struct eval_text given, expect; /* STDIO */
    struct eval_case *cases;        /* CALL */
    json_t *case_names;             /* CALL: name -> index */
    size_t case_count;              /* 1 for the other kinds */
};

/* What one task may have as text, and what a set may take in memory as long as it is evaluated. */
#define EVAL_TASK_MAX_BYTES   (32u << 20)
#define EVAL_TASKS_MAX_MEMORY ((size_t)128 << 20)

struct eval_tasks {
    struct eval_task *items;
    size_t count, chosen;
    size_t capacity;
    size_t kept_bytes;          /* at most EVAL_TASKS_MAX_MEMORY */
    json_t *by_id, *by_prompt;  /* name -> index; by_prompt: -1 where several tasks have the prompt */
    char sha256[BASE_HASH_HEX]; /* of the canonical form of the chosen tasks, in order */
};

/* Load and check all of @path; @ids are globs. */
int eval_tasks_load(const char *path, const char *const *ids, size_t id_count, struct eval_tasks *ret_tasks,
                    struct base_err *err);
void eval_tasks_release(struct eval_tasks *tasks);

/* Index of the task, or -1. @id is a JSON string or integer; MBPP's numbers also stand for "MBPP/<number>". */
long eval_tasks_find(const struct eval_tasks *tasks, const json_t *id);

/* The runtime that a "language" of a task or candidate stands for; lives for ever. */
int eval_task_language(const json_t *language, const char *place, const char **ret_runtime, struct base_err *err);

/* One task from its JSON; @place is "FILE:LINE". @odd: see eval_odd_settle(). Foreign bytes: has a fuzzer. */
int eval_task_parse(const json_t *json, const json_t *odd, const char *place, struct eval_task *ret_task,
                    struct base_err *err);
void eval_task_release(struct eval_task *task);
