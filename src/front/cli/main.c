/* main.c - the verbs of fumehood */

#include "base/err.h"
#include "base/near.h"
#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/start.h"
#include "front/cli/verbs.h"
#include <string.h>

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help; /* NULL: not for people */
} verbs[] = {
    {"run", cli_run, "run one program in a cage"},
    {"eval", cli_eval, "run and judge candidate programs for a set of tasks"},
    {"results", cli_results, "what came of an evaluation, and why, by groups"},
    {"policy", cli_policy, "show, check, hash, explain or learn what a program may do"},
    {"receipt", cli_receipt, "show or verify the evidence of runs"},
    {"doctor", cli_doctor, "what this machine can enforce, and how to mend the rest"},
    {"drill", cli_drill, "run attacks against this machine's cages: do they hold?"},
    {"disable", cli_disable, "emergency stop: end all runs and refuse new ones"},
    {"enable", cli_enable, "lift the emergency stop"},
    {"version", cli_version, "print the version"},
    {"warden", cli_warden, NULL},
    {NULL},
};

static int help(void)
{
    printf("usage: fumehood VERB [OPTION]...\n\n"
           "Runs programs that you did not write in a cage, judges them, and leaves\nreceipts.\n\nVerbs\n");
    for (const struct verb *v = verbs; v->name; v++)
        if (v->help)
            printf("  %-10s %s\n", v->name, v->help);
    printf("\nfumehood VERB --help tells more about one verb.\n");
    return cli_say_end(0);
}

static int no_verb(void)
{
    struct base_err err;

    base_err_set(&err, BASE_E_USAGE, "command line", "a verb is missing");
    base_err_remedy(&err, "see fumehood --help");
    return cli_say_error(&err);
}

static const struct verb *find_verb(const char *name)
{
    for (const struct verb *v = verbs; v->name; v++)
        if (strcmp(name, v->name) == 0)
            return v;
    return NULL;
}

static int unknown_verb(const char *name)
{
    struct base_near near = {.word = name};
    struct base_err err;

    for (const struct verb *v = verbs; v->name; v++)
        if (v->help)
            base_near_offer(&near, v->name);
    base_err_set(&err, BASE_E_USAGE, "command line", "unknown verb %s", name);
    if (near.best)
        base_err_remedy(&err, "did you mean %s? See fumehood --help", near.best);
    else
        base_err_remedy(&err, "see fumehood --help");
    return cli_say_error(&err);
}

/* "help policy show" is "policy show --help". */
static int help_of(int argc, char **argv)
{
    static char asks[] = "--help";
    char *words[] = {argv[0], argc > 1 ? argv[1] : asks, argc > 1 ? asks : NULL, NULL};
    const struct verb *v = find_verb(argv[0]);

    return v ? v->run(argc > 1 ? 3 : 2, words) : unknown_verb(argv[0]);
}

int main(int argc, char **argv)
{
    static const char *const asks_help[] = {"--help", "-h", "help"};
    const struct verb *verb;
    struct base_err err;

    if (cli_start(&err) < 0)
        return cli_say_error(&err);
    if (argc < 2)
        return no_verb();
    if (argc > 2 && strcmp(argv[1], "help") == 0)
        return help_of(argc - 2, argv + 2);
    for (unsigned i = 0; i < sizeof(asks_help) / sizeof(asks_help[0]); i++)
        if (strcmp(argv[1], asks_help[i]) == 0)
            return help();
    if (strcmp(argv[1], "--version") == 0)
        return cli_version(argc - 1, argv + 1);
    verb = find_verb(argv[1]);
    return verb ? verb->run(argc - 1, argv + 1) : unknown_verb(argv[1]);
}
