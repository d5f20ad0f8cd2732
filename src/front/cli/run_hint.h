/* run_hint.h - what to do about a program that cannot be run as it was asked for */
#pragma once

#include "base/err.h"

/* Complete the error about a COMMAND that is not in the cage, whose PATH is @folders. Returns the code. */
int cli_run_no_command(const char *word, const char *folders, struct base_err *err);

/* Complete the error about a FILE that is not there or has no runtime. Returns the code. */
int cli_run_no_runtime(const char *path, const char *folders, struct base_err *err);
