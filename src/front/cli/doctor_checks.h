/* doctor_checks.h - what fumehood doctor looks at, one row a question */
#pragma once

#include "base/err.h"
#include <stddef.h>

enum doctor_state {
    DOCTOR_OK,
    DOCTOR_GAP, /* something is weaker or absent, but a run is possible */
    DOCTOR_BAD, /* a default run needs it */
};

struct doctor_check {
    char name[32];
    enum doctor_state state;
    char found[256];
    char remedy[384]; /* empty when there is nothing to mend */
};

#define DOCTOR_CHECKS_MAX 64
struct doctor_report {
    struct doctor_check checks[DOCTOR_CHECKS_MAX];
    size_t count;
};

/* Ask everything. Namespaces are really made, by children that end at once; the last check is a real default run. */
void cli_doctor_ask(struct doctor_report *ret_report);

/* errno of making a user namespace and in it the namespaces of @flags (CLONE_NEW*), in a child; 0 when it worked. */
int cli_doctor_try_namespace(int flags);
