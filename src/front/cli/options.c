/* options.c - read argv by a verb's table, and print that table as help */

#include "front/cli/options.h"
#include "base/cleanup.h"
#include "base/near.h"
#include "base/units.h"
#include "front/cli/other_words.h"
#include "front/cli/say.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HELP_WIDTH  79
#define HELP_INDENT 26

static const struct cli_option no_options[] = {{NULL}};

static const struct cli_option *table_of(const struct cli_syntax *syntax)
{
    return syntax->options ? syntax->options : no_options;
}

int cli_options_err(const struct cli_syntax *syntax, struct base_err *err, const char *fmt, ...)
{
    char what[sizeof(err->what)];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    base_err_set(err, BASE_E_USAGE, syntax->verb, "%s", what);
    base_err_remedy(err, "see fumehood %s --help", syntax->verb);
    return BASE_E_USAGE;
}

/* The row for the @length bytes at @name, which may be followed by "=VALUE". */
static const struct cli_option *find_option(const struct cli_syntax *syntax, const char *name, size_t length)
{
    for (const struct cli_option *o = table_of(syntax); o->name; o++)
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const struct cli_option *find_by_name(const struct cli_syntax *syntax, const char *name)
{
    return find_option(syntax, name, strlen(name));
}

static int unknown_option(const struct cli_syntax *syntax, const char *name, size_t length, struct base_err *err)
{
    char word[64];
    struct base_near near = {.word = word};

    (void)snprintf(word, sizeof(word), "%.*s", (int)length, name);
    for (const struct cli_option *o = table_of(syntax); o->name; o++)
        base_near_offer(&near, o->name);
    if (find_by_name(syntax, "limit"))
        cli_other_words_offer(&near);
    (void)cli_options_err(syntax, err, "unknown option --%.*s", (int)length, name);
    if (near.best)
        (void)base_err_remedy(err, "did you mean --%s? See fumehood %s --help", near.best, syntax->verb);
    return BASE_E_USAGE;
}

/* Setters: one a kind. @field points into the verb's struct. */
static int set_flag(const struct cli_syntax *syntax, const struct cli_option *o, void *field, const char *value,
                    struct base_err *err)
{
    (void)syntax, (void)o, (void)value, (void)err;
    *(bool *)field = true;
    return 0;
}

static int set_text(const struct cli_syntax *syntax, const struct cli_option *o, void *field, const char *value,
                    struct base_err *err)
{
    const char **text = field;
    if (*text)
        return cli_options_err(syntax, err, "--%s is given twice", o->name);
    *text = value;
    return 0;
}

static int set_list(const struct cli_syntax *syntax, const struct cli_option *o, void *field, const char *value,
                    struct base_err *err)
{
    struct cli_list *list = field;
    if (list->count == CLI_LIST_MAX)
        return cli_options_err(syntax, err, "--%s is given more than %d times", o->name, CLI_LIST_MAX);
    list->items[list->count++] = value;
    return 0;
}

static int set_count(const struct cli_syntax *syntax, const struct cli_option *o, void *field, const char *value,
                     struct base_err *err)
{
    uint64_t *count = field;
    bool unlimited;
    const char *why;

    if (*count)
        return cli_options_err(syntax, err, "--%s is given twice", o->name);
    if (base_units_parse(value, BASE_UNIT_COUNT, count, &unlimited, &why) < 0)
        return cli_options_err(syntax, err, "--%s: \"%s\" %s", o->name, value, why);
    if (unlimited)
        return cli_options_err(syntax, err, "--%s needs a number, not \"%s\"", o->name, value);
    return 0;
}

static int (*const setters[])(const struct cli_syntax *, const struct cli_option *, void *, const char *,
                              struct base_err *) = {
    [CLI_FLAG] = set_flag,
    [CLI_TEXT] = set_text,
    [CLI_LIST] = set_list,
    [CLI_COUNT] = set_count,
};

/* One option at *@argv; moves *@argv on when the value is the next word. */
static int take_option(const struct cli_syntax *syntax, char ***argv, void *values, struct base_err *err)
{
    const char *name = **argv + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const struct cli_option *o = find_option(syntax, name, length);

    if (!o)
        return unknown_option(syntax, name, length, err);
    if (o->kind == CLI_FLAG && value)
        return cli_options_err(syntax, err, "--%s takes no value", o->name);
    if (o->kind != CLI_FLAG && !value) {
        const char *next = (*argv)[1];
        if (!next || strncmp(next, "--", 2) == 0) /* a value of that form is spelled --name=--value */
            return cli_options_err(syntax, err, "--%s needs %s", o->name, o->value);
        value = next;
        (*argv)++;
    }
    if (o->kind != CLI_FLAG && !*value)
        return cli_options_err(syntax, err, "--%s needs %s, not an empty word", o->name, o->value);
    return setters[o->kind](syntax, o, (char *)values + o->offset, value, err);
}

/* What another tool's word stands for. Returns 1 where it is none. */
static int take_other_word(const struct cli_syntax *syntax, char ***argv, void *values, bool has_operand,
                           struct base_err *err)
{
    const int length = (int)strcspn(**argv, "=");
    struct cli_other_word other;
    const struct cli_option *o;
    int r;

    if (!find_by_name(syntax, "limit") || !cli_other_word_find(**argv, (*argv)[1], &other))
        return 1;
    if (other.pointer && has_operand && syntax->takes_args && (**argv)[1] != '-')
        return 1; /* rather an option of the program */
    if (other.fault)
        return cli_options_err(syntax, err, "%.*s %s", length, **argv, other.fault);
    if (other.pointer) {
        (void)cli_options_err(syntax, err, "unknown option %.*s", length, **argv);
        return base_err_remedy(err, "%s", other.pointer);
    }
    *argv += other.uses_next;
    if (!other.option)
        return 0; /* so it is in any case */
    o = find_by_name(syntax, other.option);
    if (!o)
        return 1;
    r = setters[o->kind](syntax, o, (char *)values + o->offset, other.value, err);
    return r < 0 ? r : 0;
}

static unsigned operands_max(const struct cli_syntax *syntax)
{
    unsigned n = 0;
    while (n < CLI_OPERANDS_MAX && syntax->operands[n])
        n++;
    return n;
}

static int take_operand(const struct cli_syntax *syntax, const char *word, struct cli_operands *operands,
                        struct base_err *err)
{
    if (operands->count == operands_max(syntax)) {
        const char *said = syntax->takes_args ? "arguments of the program stand after --" : syntax->surplus;

        return cli_options_err(syntax, err, "unexpected \"%s\"%s%s", word, said ? ": " : "", said ? said : "");
    }
    if (!*word)
        return cli_options_err(syntax, err, "%s is an empty word", syntax->operands[operands->count]);
    operands->items[operands->count++] = word;
    return 0;
}

static bool is_known(const struct cli_syntax *syntax, const char *word)
{
    return strncmp(word, "--", 2) == 0 && find_option(syntax, word + 2, strcspn(word + 2, "="));
}

/* No option of ours, by any name, nor the end of them. */
static bool is_word_of_program(const struct cli_syntax *syntax, const char *word)
{
    struct cli_other_word other;

    if (!word || strcmp(word, "--") == 0 || is_known(syntax, word))
        return false;
    return strncmp(word, "--", 2) != 0 ||
           (strcmp(word, "--help") != 0 && (!cli_other_word_find(word, NULL, &other) || other.pointer));
}

static bool begins_command(const struct cli_syntax *syntax, bool after, const char *next, const void *values,
                           struct cli_operands *operands)
{
    operands->is_command = syntax->is_command && operands->count == 1 &&
                           syntax->is_command(operands->items[0], after, is_word_of_program(syntax, next), values);
    return operands->is_command;
}

static const char *const *as_args(char **argv)
{
    return (const char *const *)argv;
}

/* What stands after "--": operands that are still missing, then (after another "--", which may be left out, and which
 * is an argument of a command) the args. */
static int take_rest(const struct cli_syntax *syntax, char **argv, const void *values, struct cli_operands *operands,
                     struct base_err *err)
{
    bool filled = false;
    int r;

    while (*argv && operands->count < syntax->operands_required) {
        r = take_operand(syntax, *argv++, operands, err);
        if (r < 0)
            return r;
        filled = true;
    }
    if (syntax->takes_args) {
        if (filled && !begins_command(syntax, true, *argv, values, operands) && *argv && strcmp(*argv, "--") == 0)
            argv++;
        operands->args = as_args(argv);
        return 0;
    }
    for (; *argv; argv++) {
        r = take_operand(syntax, *argv, operands, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int unknown_short(const struct cli_syntax *syntax, const char *word, const struct cli_operands *operands,
                         struct base_err *err)
{
    (void)cli_options_err(syntax, err, "unknown option %s", word);
    if (syntax->takes_args && operands->count > 0)
        (void)base_err_remedy(err, "options of the program stand after --; see fumehood %s --help", syntax->verb);
    return BASE_E_USAGE;
}

/* One word that is not "--". Returns 1 for help. */
static int take_word(const struct cli_syntax *syntax, char ***argv, void *values, struct cli_operands *operands,
                     struct base_err *err)
{
    const char *word = **argv;

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return 1;
    if (word[0] == '-' && word[1]) {
        int r = is_known(syntax, word) ? 1 : take_other_word(syntax, argv, values, operands->count > 0, err);
        if (r != 1)
            return r;
    }
    if (strncmp(word, "--", 2) == 0)
        return take_option(syntax, argv, values, err);
    if (word[0] == '-' && word[1])
        return unknown_short(syntax, word, operands, err);
    return take_operand(syntax, word, operands, err);
}

int cli_options_parse(const struct cli_syntax *syntax, int argc, char **argv, void *ret_values,
                      struct cli_operands *ret_operands, struct base_err *err)
{
    static const char *const no_args[] = {NULL};
    char **at = argv + (argc > 0 ? 1 : 0);

    *ret_operands = (struct cli_operands){.args = no_args};
    for (; *at; at++) {
        unsigned before = ret_operands->count;
        int r;
        if (strcmp(*at, "--") == 0) {
            r = take_rest(syntax, at + 1, ret_values, ret_operands, err);
            if (r < 0)
                return r;
            break;
        }
        r = take_word(syntax, &at, ret_values, ret_operands, err);
        if (r == 1)
            cli_options_help(syntax);
        if (r != 0)
            return r;
        if (ret_operands->count > before && begins_command(syntax, false, at[1], ret_values, ret_operands)) {
            at += at[1] && strcmp(at[1], "--") == 0;
            ret_operands->args = as_args(at + 1);
            break;
        }
    }
    if (ret_operands->count < syntax->operands_required)
        return cli_options_err(syntax, err, "%s is missing", syntax->operands[ret_operands->count]);
    return 0;
}

static void print_option(const char *name, const char *value, const char *help)
{
    int width = printf("  --%s%s%s", name, value ? " " : "", value ? value : "");
    if (width > HELP_INDENT - 2) {
        printf("\n");
        width = 0;
    }
    printf("%*s", HELP_INDENT - width, "");
    cli_say_wrapped(help, HELP_INDENT, HELP_INDENT);
}

void cli_options_help(const struct cli_syntax *syntax)
{
    const char *group = NULL;
    int column = printf("usage: fumehood %s%s", syntax->verb, *syntax->usage ? " " : "\n");

    cli_say_wrapped(syntax->usage, (size_t)column, (size_t)column);
    printf("\n");
    cli_say_wrapped(syntax->summary, 0, 0);
    for (const struct cli_option *o = table_of(syntax); o->name; o++) {
        if (!group || strcmp(group, o->group) != 0)
            printf("\n%s\n", o->group);
        group = o->group;
        print_option(o->name, o->value, o->help);
    }
    printf("\nHelp\n");
    print_option("help", NULL, "print this text; also -h");
    if (syntax->show_more)
        syntax->show_more();
    if (syntax->notes)
        printf("\n%s", syntax->notes);
}
