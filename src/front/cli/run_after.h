/* run_after.h - hints after a run that did not end well */
#pragma once

#include "policy/policy.h"
#include "stage/stage.h"
#include "warden/outcome.h"

struct cli_run_after {
    const struct policy *policy;
    const struct warden_outcome *outcome;
    const char *program;     /* its name in the cage */
    const char *const *args; /* of the command line; NULL ends them */
    const struct stage_file *files;
    size_t file_count;
    bool is_typing_lost; /* it had nothing to read, because that was a terminal */
};

/* Where the program failed by itself: what of the cage may have had to do with it, one line each. A guess at what the
 * starter wanted; nothing depends on it. */
void cli_run_after_say(const struct cli_run_after *after);
