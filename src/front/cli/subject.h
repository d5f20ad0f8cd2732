/* subject.h - verbs with a second word: "policy show", "receipt verify" */
#pragma once

struct cli_subject {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the subject's name */
    const char *help;
};

/* Run the subject that argv[1] names; argv[0] is the verb. @subjects ends with a NULL name. Returns the exit status. */
int cli_subject_run(const char *verb, const struct cli_subject *subjects, int argc, char **argv);
