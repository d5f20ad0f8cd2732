/* run_end.h - what fumehood run says and returns when the run is over */
#pragma once

#include "policy/policy.h"
#include "warden/outcome.h"

/* The exit status of the contract. */
int cli_run_end_status(const struct warden_outcome *outcome);

/* One line on stderr for a limit, for denials, for a run that failed or was cancelled; nothing for a plain end. */
void cli_run_end_say(const struct warden_outcome *outcome, const struct policy *policy);
