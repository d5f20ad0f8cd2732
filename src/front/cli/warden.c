/* warden.c - fumehood warden: a worker of the process that started it */

#include "engine/worker.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"

int cli_warden(int argc, char **argv)
{
    struct base_err err;

    (void)argc; /* whoever starts it has no options for it */
    (void)argv;
    return engine_worker_serve(&err) < 0 ? cli_say_error(&err) : 0;
}
