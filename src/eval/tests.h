/* tests.h - whether the tests of a script compile: found out where a program with them does not
 *
 * A run that holds no candidate finds it, once for a task and a sitting; until then those that ask wait.
 */
#pragma once

#include "eval/job.h"

enum eval_tests_state { EVAL_TESTS_UNKNOWN, EVAL_TESTS_ASKED, EVAL_TESTS_SOUND, EVAL_TESTS_BROKEN, EVAL_TESTS_UNFOUND };

struct eval_tests {
    struct eval_tests_found {
        enum eval_tests_state state;
        char *why; /* BROKEN, UNFOUND */
    } * of_task;
    size_t count;
    struct eval_job *waiting; /* each has its outcome */
};

/* Nothing is known of @count tasks. BASE_E_NOMEM. */
int eval_tests_init(struct eval_tests *tests, size_t count);
void eval_tests_release(struct eval_tests *tests);

/* Does @ruling depend on what is known of its tests? */
bool eval_tests_matter(const struct eval_job *job, const struct judge_ruling *ruling);

/* What @ruling, which they matter for, comes to. */
void eval_tests_apply(const struct eval_tests *tests, size_t task, struct judge_ruling *ruling);

/* Keep @job, with what was its outcome, until eval_tests_take() gives it back. */
void eval_tests_wait(struct eval_tests *tests, struct eval_job *job, struct warden_outcome *outcome);
struct eval_job *eval_tests_take(struct eval_tests *tests, size_t task);
size_t eval_tests_waiting_bytes(const struct eval_tests *tests);

/* Note what a run has found. BASE_E_NOMEM. */
int eval_tests_note(struct eval_tests *tests, size_t task, const struct judge_ruling *found);
