/* main.c - the verbs of fumehood */

#include "base/err.h"
#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/start.h"
#include "front/cli/verbs.h"
#include <string.h>

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} verbs[] = {
    {"run", cli_run, "run one program in a cage"},
    {"eval", cli_eval, "run and judge candidate programs for a set of tasks"},
    {"policy", cli_policy, "show, check, hash or explain what a program may do"},
    {"receipt", cli_receipt, "show or verify the evidence of runs"},
    {"doctor", cli_doctor, "what this machine can enforce, and how to mend the rest"},
    {"disable", cli_disable, "emergency stop: end all runs and refuse new ones"},
    {"enable", cli_enable, "lift the emergency stop"},
    {"version", cli_version, "print the version"},
    {NULL},
};

static int help(void)
{
    printf("usage: fumehood VERB [OPTION]...\n\n"
           "Runs programs that you did not write in a cage, judges them, and leaves\nreceipts.\n\nVerbs\n");
    for (const struct verb *v = verbs; v->name; v++)
        printf("  %-10s %s\n", v->name, v->help);
    printf("\nfumehood VERB --help tells more about one verb.\n");
    return cli_say_end(0);
}

static int usage(const char *what, const char *word)
{
    struct base_err err;
    base_err_set(&err, BASE_E_USAGE, "command line", "%s%s", what, word);
    base_err_remedy(&err, "see fumehood --help");
    return cli_say_error(&err);
}

int main(int argc, char **argv)
{
    static const char *const asks_help[] = {"--help", "-h", "help"};
    struct base_err err;

    if (cli_start(&err) < 0)
        return cli_say_error(&err);
    if (argc < 2)
        return usage("a verb is missing", "");
    for (unsigned i = 0; i < sizeof(asks_help) / sizeof(asks_help[0]); i++)
        if (strcmp(argv[1], asks_help[i]) == 0)
            return help();
    if (strcmp(argv[1], "--version") == 0)
        return cli_version(argc - 1, argv + 1);
    for (const struct verb *v = verbs; v->name; v++)
        if (strcmp(argv[1], v->name) == 0)
            return v->run(argc - 1, argv + 1);
    return usage("unknown verb ", argv[1]);
}
