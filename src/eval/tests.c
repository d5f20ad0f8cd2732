/* tests.c - what is known of the tests of scripts */

#include "eval/tests.h"
#include "base/cleanup.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int eval_tests_init(struct eval_tests *tests, size_t count)
{
    tests->of_task = calloc(count ? count : 1, sizeof(*tests->of_task));
    tests->count = tests->of_task ? count : 0;
    return tests->of_task ? 0 : BASE_E_NOMEM;
}

void eval_tests_release(struct eval_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++)
        free(tests->of_task[i].why);
    free(tests->of_task);
    while (tests->waiting) {
        struct eval_job *job = tests->waiting;

        tests->waiting = job->next;
        eval_job_free(job);
    }
    *tests = (struct eval_tests){0};
}

bool eval_tests_matter(const struct eval_job *job, const struct judge_ruling *ruling)
{
    return job->kind == JUDGE_SCRIPT && ruling->verdict == JUDGE_COMPILE_ERROR;
}

void eval_tests_apply(const struct eval_tests *tests, size_t task, struct judge_ruling *ruling)
{
    const struct eval_tests_found *found = &tests->of_task[task];
    char detail[sizeof(ruling->detail)];

    if (found->state == EVAL_TESTS_BROKEN) {
        judge_rule(JUDGE_TASK_INVALID, found->why, ruling);
    } else if (found->state != EVAL_TESTS_SOUND) { /* whose fault it is is not known */
        (void)snprintf(detail, sizeof(detail), "whether its tests compile was not found: %.200s",
                       found->why ? found->why : "");
        judge_rule(JUDGE_INFRA_ERROR, detail, ruling);
    }
}

void eval_tests_wait(struct eval_tests *tests, struct eval_job *job, struct warden_outcome *outcome)
{
    job->outcome = *outcome;
    *outcome = (struct warden_outcome){0};
    job->next = tests->waiting;
    tests->waiting = job;
}

struct eval_job *eval_tests_take(struct eval_tests *tests, size_t task)
{
    for (struct eval_job **at = &tests->waiting; *at; at = &(*at)->next)
        if ((*at)->place.task == task) {
            struct eval_job *job = *at;

            *at = job->next;
            job->next = NULL;
            return job;
        }
    return NULL;
}

size_t eval_tests_waiting_bytes(const struct eval_tests *tests)
{
    size_t bytes = 0;

    for (const struct eval_job *job = tests->waiting; job; job = job->next)
        bytes += sizeof(*job) + eval_job_bytes(job);
    return bytes;
}

int eval_tests_note(struct eval_tests *tests, size_t task, const struct judge_ruling *found)
{
    struct eval_tests_found *of_task = &tests->of_task[task];

    of_task->state = EVAL_TESTS_UNFOUND;
    if (found->verdict == JUDGE_PASS)
        of_task->state = EVAL_TESTS_SOUND;
    else if (found->verdict == JUDGE_TASK_INVALID)
        of_task->state = EVAL_TESTS_BROKEN;
    of_task->why = strdup(found->detail);
    return of_task->why ? 0 : BASE_E_NOMEM;
}
