/* drill.c - fumehood drill: attacks against this machine's cages, and whether they hold */

#include "drill/drill.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "front/cli/choose.h"
#include "front/cli/drill_show.h"
#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"
#include <string.h>

struct values {
    struct cli_list only;
    const char *tier, *attacks, *cage;
    bool json, no_scope;
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option options[] = {
    {"only", CLI_LIST, AT(only), "GLOB", "Attacks", "only those whose name matches; may be given again"},
    {"attacks", CLI_TEXT, AT(attacks), "DIR", "Attacks",
     "a folder of them; default: attacks beside this program, or ../share/fumehood/attacks"},
    {"tier", CLI_TEXT, AT(tier), "TIER", "Boundary", "kind of boundary; only container is in this version (default)"},
    {"cage", CLI_TEXT, AT(cage), "KIND", "Boundary",
     "fresh (default), slot: each attack in a slot that serves honest runs before and after it, or zygote: there, as a "
     "fork of an interpreter that stands ready"},
    {"no-scope", CLI_FLAG, AT(no_scope), NULL, "Boundary", CLI_CHOOSE_NO_SCOPE},
    {"json", CLI_FLAG, AT(json), NULL, "Output", "print a JSON object"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "drill",
    .usage = "[OPTION]...",
    .summary =
        "Run attacks against this machine's cages, each in a cage of its own, and judge them from outside: what is "
        "staged on the host must stay untouched, and each must be denied, named and cleaned up after. Each is "
        "also run without a cage, with hard stops, to show that it works where nothing denies it.",
    .options = options,
    .surplus = "attacks are chosen by --only GLOB",
    .notes = "Results\n"
             "  held      it failed, as it should\n"
             "  red       it succeeded, hung, left something, or ended otherwise than it\n"
             "            should; or it does not work without a cage either\n"
             "  skip      this machine cannot stage it\n"
             "  residual  it succeeds, and is documented as a risk that remains\n\n"
             "In a slot\n"
             "  With --cage slot or zygote an honest run comes before each attack in the same\n"
             "  slot, and one after it. What the later one can see, or is charged for, must be\n"
             "  what it was before; a slot that was not proved clean must not serve again.\n\n"
             "Exit status\n"
             "  0 nothing is red; 1 something is, or all was skipped; 2 usage, or a wrong\n"
             "  attack folder; 126 the emergency stop is set; 128+N ended by signal N\n",
};

/* A drill in which everything was skipped has shown nothing. */
static int end_with(const json_t *report)
{
    const json_t *summary = json_object_get(report, "summary");
    json_int_t red = json_integer_value(json_object_get(summary, "red"));
    json_int_t judged = red + json_integer_value(json_object_get(summary, "held")) +
                        json_integer_value(json_object_get(summary, "residual"));

    if (drill_interrupted())
        return 128 + drill_interrupted();
    return red > 0 || judged == 0 ? 1 : 0;
}

static int drill(const struct values *values, enum run_cage cage)
{
    struct cli_drill_show show = {.cage = run_cage_name(cage)};
    const struct drill_request request = {
        .attacks = values->attacks,
        .only = values->only.items,
        .only_count = values->only.count,
        .tier = values->tier,
        .cage = run_cage_name(cage),
        .begin = values->json ? NULL : cli_drill_show_begin,
        .row = values->json ? NULL : cli_drill_show_row,
        .context = &show,
    };
    AUTO_JSON json_t *report = NULL;
    struct base_err err;
    int r = drill_run(&request, &report, &err);

    if (r >= 0 && values->json)
        r = cli_say_json(report, true, &err);
    if (r < 0)
        return cli_say_error(&err);
    if (!values->json)
        cli_drill_show_summary(report);
    return cli_say_end(end_with(report));
}

/* The drill's own other processes; not for people. */
static int play(const char *role, const char *argument)
{
    struct base_err err;

    return drill_role_main(role, argument, &err) < 0 ? cli_say_error(&err) : 0;
}

int cli_drill(int argc, char **argv)
{
    struct values values = {.json = false};
    enum run_cage cage;
    struct cli_operands operands;
    struct base_err err;
    int r;

    if (argc == 4 && strcmp(argv[1], DRILL_ROLE_OPTION) == 0)
        return play(argv[2], argv[3]);
    r = cli_options_parse(&syntax, argc, argv, &values, &operands, &err);
    if (r == 1)
        return cli_say_end(0);
    if (r == 0)
        r = cli_choose_cage(&syntax, values.cage, false, RUN_CAGE_FRESH, &cage, &err);
    cli_choose_scope(values.no_scope);
    return r < 0 ? cli_say_error(&err) : drill(&values, cage);
}
