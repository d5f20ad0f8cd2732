/* options.h - one table a verb says which options it takes; parsing and help both come from it
 *
 * Texts in the results point into argv, the environment of main() and room of this file; nothing is allocated. Words of
 * other tools that mean the same are taken for the option that they mean, or answered with it (other_words.c).
 */
#pragma once

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_option_kind {
    CLI_FLAG,  /* bool */
    CLI_TEXT,  /* const char *, NULL when not given */
    CLI_LIST,  /* struct cli_list, may be given again */
    CLI_COUNT, /* uint64_t, 1 or more; 0 when not given */
};

#define CLI_LIST_MAX 256
struct cli_list {
    const char *items[CLI_LIST_MAX];
    size_t count;
};

/* One option. Rows of one group stand together; a NULL name ends the table. Every verb also has --help and -h. */
struct cli_option {
    const char *name; /* without the dashes */
    enum cli_option_kind kind;
    size_t offset;     /* of the field in the verb's struct */
    const char *value; /* "KEY=VALUE"; NULL for a flag */
    const char *group; /* heading in the help */
    const char *help;  /* one clause with unit and default; wrapped when printed */
};

#define CLI_OPERANDS_MAX 4

/* One verb, or one verb with its subject ("policy show"). */
struct cli_syntax {
    const char *verb;                       /* "run" */
    const char *usage;                      /* what follows the verb: "[OPTION]... FILE [-- ARG...]" */
    const char *summary;                    /* a sentence or two for the help */
    const struct cli_option *options;       /* NULL when there are none */
    const char *operands[CLI_OPERANDS_MAX]; /* names for messages ("FILE"), NULL past the end */
    unsigned operands_required;             /* the first so many must be there */
    const char *surplus;                    /* said of a word that is one too many; may be NULL */
    bool takes_args;                        /* words after "--" are handed on */
    /* With takes_args: whether the operand @word is a command, of which all that follows are arguments; @after: it
     * stands after "--"; @has_words: what follows can be nothing but arguments. @values: what was given before it. May
     * be NULL. */
    bool (*is_command)(const char *word, bool after, bool has_words, const void *values);
    void (*show_more)(void); /* prints what stands between options and notes; may be NULL */
    const char *notes;       /* printed after the options as it is; may be NULL */
};

struct cli_operands {
    const char *items[CLI_OPERANDS_MAX]; /* NULL where not given */
    unsigned count;
    const char *const *args; /* what stood after "--", or after a command: NULL-terminated, never NULL */
    bool is_command;         /* the first operand is one */
};

/* Parse argv[1..]; argv[0] is the verb's name. @ret_values is the verb's struct, all zero before. Options may stand
 * before and after operands, as "--name VALUE" or "--name=VALUE"; "--" ends them. Returns 0; 1 when --help was asked
 * for and printed on stdout (the verb then returns 0); or BASE_E_USAGE. */
int cli_options_parse(const struct cli_syntax *syntax, int argc, char **argv, void *ret_values,
                      struct cli_operands *ret_operands, struct base_err *err);

/* Print the help of one verb on stdout, at most 80 columns wide. */
void cli_options_help(const struct cli_syntax *syntax);

/* BASE_E_USAGE about @syntax's verb, with "see fumehood VERB --help" as the remedy. Returns the code. */
int cli_options_err(const struct cli_syntax *syntax, struct base_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
