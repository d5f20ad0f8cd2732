/* eval.h - many candidates, judged: tasks + candidates + policy -> results, receipts, summary
 *
 * One call does it all and blocks; it starts worker processes. Nothing is printed; the caller is told how it goes.
 */
#pragma once

#include "base/err.h"
#include "policy/policy.h"
#include "run/run.h"
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far it is. A row is one candidate of a task, or one case of it where the task has cases. */
struct eval_progress {
    size_t rows, done;   /* done: also those that --resume found done */
    size_t resumed;      /* part of done */
    uint64_t elapsed_us; /* of this call's runs */
    unsigned verdict_count;
    const char *const *verdict_names;
    const size_t *verdict_rows; /* done rows by verdict */
};

struct eval_options {
    const char *tasks;      /* path of the task set */
    const char *candidates; /* path, "canonical" or "none" */
    const char *out_dir;    /* made when it is not there */
    const char *const *ids; /* globs; NULL or none: all tasks */
    size_t id_count;
    unsigned jobs;
    const char *program; /* path of fumehood: what a worker is */
    bool resume;
    const struct policy *policy; /* borrowed */
    enum run_cage cage;
    const volatile sig_atomic_t *stop; /* set by a signal handler: finish early; may be NULL */
    void (*on_progress)(void *context, const struct eval_progress *progress); /* may be NULL; some times a second */
    void (*on_warning)(void *context, const char *text);                      /* may be NULL */
    void *context;
};

#define EVAL_TABLE_ALL_MAX  20 /* so many rows are all listed */
#define EVAL_TABLE_ROWS_MAX 40 /* of more rows, so many that did not pass */

struct eval_report {
    json_t *summary;     /* what summary.json holds */
    json_t *rows;        /* list of result lines in the order of the tasks: all, or the first that did not pass */
    size_t unlisted;     /* further rows that did not pass */
    bool interrupted;    /* by *stop, the emergency stop or a fault of the machine: rows are left */
    struct base_err why; /* of an interruption by the emergency stop or the machine; code 0 otherwise */
    bool no_cage;        /* the machine can build none: nothing was judged */
    size_t unknown;      /* candidates for tasks that are not in the set */
    size_t infra_errors, failed; /* candidates with that outcome; failed: judged and not passed */
};

/* 0 with *ret_report filled (release it), or an error; what was finished before it is kept in the output folder.
 * BASE_E_USAGE, BASE_E_INVALID, BASE_E_NOT_FOUND, BASE_E_TOO_LARGE: the input is wrong. BASE_E_REFUSED: the policy
 * cannot be enforced here, or the emergency stop is set. Others: the host. */
int eval_run(const struct eval_options *options, struct eval_report *ret_report, struct base_err *err);
void eval_report_release(struct eval_report *report);
