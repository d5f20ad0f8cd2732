/* worker.h - one worker process: `fumehood warden`
 *
 * Started by engine/link.c, and by nobody else: it finds its connection at ENGINE_WORKER_FD, and at ENGINE_LIFE_FD a
 * pipe that ends when whoever started it does.
 */
#pragma once

#include "base/err.h"

#define ENGINE_WORKER_VERB "warden"
#define ENGINE_WORKER_FD   3
#define ENGINE_LIFE_FD     4

/* The whole life of a worker: requests in, answers out, until the other end is closed. Returns 0 then, or an error with
 * which it could not even begin. Single-threaded processes only. */
int engine_worker_serve(struct base_err *err);
