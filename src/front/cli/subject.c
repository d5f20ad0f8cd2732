/* subject.c - verbs with a second word: "policy show", "receipt verify" */

#include "front/cli/subject.h"
#include "base/err.h"
#include "front/cli/say.h"
#include <string.h>

static int help(const char *verb, const struct cli_subject *subjects)
{
    printf("usage: fumehood %s SUBJECT [OPTION]...\n\nSubjects\n", verb);
    for (const struct cli_subject *s = subjects; s->name; s++)
        printf("  %-10s %s\n", s->name, s->help);
    printf("\nfumehood %s SUBJECT --help tells more about one subject.\n", verb);
    return cli_say_end(0);
}

int cli_subject_run(const char *verb, const struct cli_subject *subjects, int argc, char **argv)
{
    struct base_err err;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return help(verb, subjects);
    for (const struct cli_subject *s = subjects; argc > 1 && s->name; s++)
        if (strcmp(s->name, argv[1]) == 0)
            return s->run(argc - 1, argv + 1);
    if (argc > 1)
        base_err_set(&err, BASE_E_USAGE, verb, "unknown subject %s", argv[1]);
    else
        base_err_set(&err, BASE_E_USAGE, verb, "a subject is missing");
    base_err_remedy(&err, "see fumehood %s --help", verb);
    return cli_say_error(&err);
}
