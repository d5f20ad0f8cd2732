/* drill.h - attacks against the real runner, one per cage, judged from outside
 *
 * A folder of attacks holds one folder for each: expect.yaml and one program, attack.*. Every attack is staged, run in
 * a cage by a supervisor process of its own, looked at from outside, run again where nothing stops it (its positive
 * control), and judged.
 */
#pragma once

#include "base/err.h"
#include "policy/policy.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum drill_result {
    DRILL_HELD,     /* the attack failed, as expected in every point */
    DRILL_RED,      /* anything else */
    DRILL_SKIP,     /* this machine cannot stage it */
    DRILL_RESIDUAL, /* it succeeded, which is documented */
    DRILL_RESULT_MAX
};
const char *drill_result_name(enum drill_result result); /* "held", ...; NULL past the end */

struct drill_request {
    const char *attacks;     /* a folder; NULL: the one that was built or installed with this program */
    const char *const *only; /* globs on names, any of them */
    size_t only_count;       /* 0: all */
    const char *tier;        /* NULL: the policy's */
    const char *cage; /* "fresh" (or NULL), "slot", "zygote": see run_cage_name(); but for the first, attacks come in
                         slots that serve honest runs before and after */
    /* Called once with the rows that will be run, and after each row with its JSON, as in the report. */
    void (*begin)(void *context, const char *const *names, size_t count);
    void (*row)(void *context, const json_t *row);
    void *context;
};

/* Run the suite. BASE_E_USAGE and BASE_E_INVALID before anything has run: a folder that is not there, a name that
 * nothing matches, an expect.yaml that is wrong. *@ret_report: "fumehood.drill/1". New reference. */
int drill_run(const struct drill_request *request, json_t **ret_report, struct base_err *err);

/* The signal that ended a drill early, 0 when none did. */
int drill_interrupted(void);

/* The drill starts this program again as "drill --role NAME ARGUMENT". Returns when the role is over. */
#define DRILL_ROLE_OPTION "--role"
int drill_role_main(const char *role, const char *argument, struct base_err *err);
