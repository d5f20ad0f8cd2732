/* explain.h - what a policy means on this machine, in plain text */
#pragma once

#include "policy/policy.h"

/* Print it on stdout; with @syscalls every system call by name. */
int cli_explain(const struct policy *policy, bool syscalls, struct base_err *err);
