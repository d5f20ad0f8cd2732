/* worker.h - one worker process of the pool */
#pragma once

#include "policy/policy.h"
#include <sys/types.h>

/* The whole life of a worker after fork() from @parent: requests from @fd, results to it, until the other end is
 * closed. @fd is above 2. */
_Noreturn void engine_worker_main(int fd, pid_t parent, const struct policy *policy);
