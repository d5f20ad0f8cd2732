/* start.h - a known state to begin with, whatever the launcher left */
#pragma once

#include "base/err.h"

/* Refuse to run with rights that the starter does not have. Open 0, 1 and 2 on /dev/null where they are closed, let no
 * signal be blocked or ignored that must not be, and ignore SIGPIPE. Call first in main(). */
int cli_start(struct base_err *err);
