/* version.c - fumehood version */

#include "base/cleanup.h"
#include "base/json.h"
#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"

struct values {
    bool json;
};

static const struct cli_option options[] = {
    {"json", CLI_FLAG, offsetof(struct values, json), NULL, "Output", "print a JSON object"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "version",
    .usage = "[--json]",
    .summary = "Print the version of fumehood.",
    .options = options,
};

int cli_version(int argc, char **argv)
{
    struct values values = {0};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&syntax, argc, argv, &values, &operands, &err);

    if (r < 0)
        return cli_say_error(&err);
    if (r == 1)
        return cli_say_end(0);
    if (values.json) {
        AUTO_JSON json_t *json = json_pack("{s:s, s:s}", "schema", "fumehood.version/1", "version", FUMEHOOD_VERSION);
        if (cli_say_json(json, false, &err) < 0)
            return cli_say_error(&err);
        return 0;
    }
    printf("fumehood %s\n", FUMEHOOD_VERSION);
    return cli_say_end(0);
}
