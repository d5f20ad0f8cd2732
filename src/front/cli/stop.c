/* stop.c - fumehood disable, fumehood enable: the emergency stop */

#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"
#include "run/run.h"
#include <unistd.h>

struct values {
    const char *why;
};

static const struct cli_option disable_options[] = {
    {"why", CLI_TEXT, offsetof(struct values, why), "TEXT", "Reason (required)",
     "shown to everyone whose run is refused"},
    {NULL},
};

static const struct cli_syntax disable_syntax = {
    .verb = "disable",
    .usage = "--why TEXT",
    .summary = "Emergency stop: end all running cages and refuse new ones (status 126) until fumehood enable. Set by "
               "root it holds for the whole machine, set by another user for that user's runs.",
    .options = disable_options,
};

static const struct cli_syntax enable_syntax = {
    .verb = "enable",
    .usage = "",
    .summary = "Lift the emergency stop that this user has set with fumehood disable.",
};

static const char *whose(void)
{
    return geteuid() == 0 ? "this machine" : "this user";
}

int cli_disable(int argc, char **argv)
{
    struct values values = {0};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&disable_syntax, argc, argv, &values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0 && !values.why)
        r = cli_options_err(&disable_syntax, &err, "--why TEXT is missing");
    if (r >= 0)
        r = run_stop_set(values.why, &err);
    if (r < 0)
        return cli_say_error(&err);
    cli_say_note("runs of %s end and are refused until fumehood enable", whose());
    return 0;
}

int cli_enable(int argc, char **argv)
{
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&enable_syntax, argc, argv, NULL, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0)
        r = run_stop_clear(&err);
    if (r < 0)
        return cli_say_error(&err);
    cli_say_note("runs of %s are allowed", whose());
    return 0;
}
