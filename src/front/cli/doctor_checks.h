/* doctor_checks.h - what fumehood doctor looks at, one row a question */
#pragma once

#include "base/err.h"
#include "threat/threat.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doctor_state {
    DOCTOR_OK,
    DOCTOR_GAP, /* something is weaker or absent, but a run is possible */
    DOCTOR_BAD, /* a default run needs it */
};

struct doctor_check {
    char name[32];
    enum doctor_state state;
    char found[384];
    char remedy[384]; /* empty when there is nothing to mend */
};

/* A run that ended as it should. */
struct doctor_run {
    const char *policy; /* the built-in one; NULL: none was possible */
    uint64_t wall_us;
    uint64_t achieved; /* bits of the cage's steps that it proved */
};

#define DOCTOR_CHECKS_MAX 64
struct doctor_report {
    struct doctor_check checks[DOCTOR_CHECKS_MAX];
    size_t count;
    struct doctor_run run;   /* under the default policy; where that is refused, under if-available */
    bool is_default_run;     /* a default run is possible */
    struct base_err refusal; /* why the last one that was tried was not; code 0 where the first was */
    struct threat_here here; /* what stands against threats: as the run proved it, or planned where there was none */
    bool has_here;
};

/* Ask everything. Namespaces are really made, by children that end at once; the last check is a real run. */
void cli_doctor_ask(struct doctor_report *ret_report);

/* errno of making a user namespace and in it the namespaces of @flags (CLONE_NEW*), in a child; 0 when it worked. */
int cli_doctor_try_namespace(int flags);

/* Run a small program under the built-in policy @policy_name, and see it end as it should. */
int cli_doctor_run(const char *policy_name, struct doctor_run *ret_run, struct base_err *err);
