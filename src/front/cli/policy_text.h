/* policy_text.h - a policy as the YAML that people read, write and keep */
#pragma once

#include "base/buf.h"
#include "policy/policy.h"

/* Append every clause of @policy; policy_parse() reads it back to the same value. */
int cli_policy_text(const struct policy *policy, struct base_buf *text, struct base_err *err);
