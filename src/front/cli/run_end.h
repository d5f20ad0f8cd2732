/* run_end.h - what fumehood run says and returns when the run is over */
#pragma once

#include "policy/policy.h"
#include "warden/outcome.h"

/* The exit status of the contract. */
int cli_run_end_status(const struct warden_outcome *outcome);

/* "ended by the wall limit of 10s (to change it: --limit wall_ms=TIME)". Returns @text. */
const char *cli_run_end_text(const struct warden_outcome *outcome, const struct policy *policy, char *text,
                             size_t text_bytes);

/* One line on stderr for every ending that is no exit, and one for denials, never on a line that the guest has begun.
 */
void cli_run_end_say(const struct warden_outcome *outcome, const struct policy *policy);
