/* explain.h - what a policy means on this machine, in plain text */
#pragma once

#include "policy/policy.h"

/* Print it on stdout. */
int cli_explain(const struct policy *policy, struct base_err *err);
