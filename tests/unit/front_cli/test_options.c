/* test_options.c - tests of src/front/cli/options.c */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "front/cli/options.h"
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

struct values {
    bool json;
    const char *policy;
    struct cli_list limits;
    uint64_t jobs;
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option options[] = {
    {"json", CLI_FLAG, AT(json), NULL, "Output", "print JSON"},
    {"policy", CLI_TEXT, AT(policy), "FILE", "Boundary", "policy file"},
    {"limit", CLI_LIST, AT(limits), "KEY=VALUE", "Boundary", "limit"},
    {"jobs", CLI_COUNT, AT(jobs), "N", "Boundary", "parallel runs"},
    {NULL},
};

static const struct cli_syntax with_args = {
    .verb = "run",
    .usage = "FILE",
    .summary = "Run.",
    .options = options,
    .operands = {"FILE"},
    .operands_required = 1,
    .takes_args = true,
};

static const struct cli_syntax without_args = {
    .verb = "show",
    .usage = "[NAME]",
    .summary = "Show.",
    .options = options,
    .operands = {"NAME"},
};

#define WORDS_MAX 16

/* Parse "a b c" as the words after the verb. */
static int parse(const struct cli_syntax *syntax, const char *line, struct values *values,
                 struct cli_operands *operands, struct base_err *err)
{
    static char text[256];
    static char *argv[WORDS_MAX];
    int argc = 0;
    char *rest = text;

    (void)snprintf(text, sizeof(text), "verb %s", line);
    while ((argv[argc] = strsep(&rest, " ")) && argc < WORDS_MAX - 1)
        if (*argv[argc])
            argc++;
    argv[argc] = NULL;
    *values = (struct values){0};
    *err = (struct base_err){0};
    return cli_options_parse(syntax, argc, argv, values, operands, err);
}

static void options_stand_anywhere(void **state)
{
    static const char *const lines[] = {
        "--json --policy p --limit a=1 --limit=b=2 --jobs 3 f.py",
        "f.py --json --policy=p --limit a=1 --limit b=2 --jobs=3",
        "--json f.py --policy p --limit a=1 --limit b=2 --jobs 3 --",
        "--json --policy p --limit a=1 --limit b=2 --jobs 3 -- f.py",
    };
    struct values v;
    struct cli_operands operands;
    struct base_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(parse(&with_args, lines[i], &v, &operands, &err), 0);
        assert_true(v.json);
        assert_string_equal(v.policy, "p");
        assert_int_equal(v.limits.count, 2);
        assert_string_equal(v.limits.items[1], "b=2");
        assert_int_equal(v.jobs, 3);
        assert_int_equal(operands.count, 1);
        assert_string_equal(operands.items[0], "f.py");
        assert_null(operands.args[0]);
    }
}

static void what_follows_the_dashes_is_the_guests(void **state)
{
    static const struct {
        const char *line, *file, *args[4];
    } rows[] = {
        {"f.py -- --json x --", "f.py", {"--json", "x", "--"}},
        {"-- -f.py -- a", "-f.py", {"a"}},
        {"-- -f.py a --", "-f.py", {"a", "--"}},
        {"-- --json", "--json", {NULL}},
        {"- -- -h", "-", {"-h"}},
    };
    struct values v;
    struct cli_operands operands;
    struct base_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parse(&with_args, rows[i].line, &v, &operands, &err), 0);
        assert_false(v.json);
        assert_string_equal(operands.items[0], rows[i].file);
        for (size_t a = 0; a == 0 || rows[i].args[a - 1]; a++) {
            if (!rows[i].args[a])
                assert_null(operands.args[a]);
            else
                assert_string_equal(operands.args[a], rows[i].args[a]);
        }
    }
}

static void wrong_words_are_named(void **state)
{
    static const struct {
        const struct cli_syntax *syntax;
        const char *line, *what;
    } rows[] = {
        {&with_args, "", "FILE is missing"},
        {&with_args, "--json", "FILE is missing"},
        {&with_args, "--", "FILE is missing"},
        {&with_args, "--colour f", "unknown option --colour"},
        {&with_args, "--colour=red f", "unknown option --colour"},
        {&with_args, "-x f", "unknown option -x"},
        {&with_args, "--jso f", "unknown option --jso"},
        {&with_args, "--json=yes f", "--json takes no value"},
        {&with_args, "f --policy", "--policy needs FILE"},
        {&with_args, "--policy --json f", "--policy needs FILE"},
        {&with_args, "--policy= f", "empty"},
        {&with_args, "--policy a --policy b f", "twice"},
        {&with_args, "--jobs 0 f", "--jobs"},
        {&with_args, "--jobs -1 f", "--jobs"},
        {&with_args, "--jobs 1x f", "--jobs"},
        {&with_args, "--jobs unlimited f", "needs a number"},
        {&with_args, "--jobs 1 --jobs 2 f", "twice"},
        {&with_args, "--jobs 99999999999999999999999 f", "--jobs"},
        {&with_args, "f g", "after --"},
        {&without_args, "a b", "unexpected \"b\""},
        {&without_args, "-- a b", "unexpected \"b\""},
    };
    struct values v;
    struct cli_operands operands;
    struct base_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parse(rows[i].syntax, rows[i].line, &v, &operands, &err), BASE_E_USAGE);
        if (!strstr(err.what, rows[i].what))
            fail_msg("row %zu: \"%s\" lacks \"%s\"", i, err.what, rows[i].what);
        assert_non_null(strstr(err.remedy, "--help"));
        assert_string_equal(err.place, rows[i].syntax->verb);
    }
}

static void a_close_option_is_guessed(void **state)
{
    struct values v;
    struct cli_operands operands;
    struct base_err err;

    (void)state;
    assert_int_equal(parse(&with_args, "--polcy=x f", &v, &operands, &err), BASE_E_USAGE);
    assert_string_equal(err.remedy, "did you mean --policy? See fumehood run --help");
}

static void lists_have_an_end(void **state)
{
    static char limit[] = "--limit=a=1", verb[] = "run", file[] = "f";
    static char *argv[CLI_LIST_MAX + 4];
    struct values v = {0};
    struct cli_operands operands;
    struct base_err err;

    (void)state;
    argv[0] = verb;
    for (int i = 1; i <= CLI_LIST_MAX; i++)
        argv[i] = limit;
    argv[CLI_LIST_MAX + 1] = file;
    assert_int_equal(cli_options_parse(&with_args, CLI_LIST_MAX + 2, argv, &v, &operands, &err), 0);
    argv[CLI_LIST_MAX + 1] = limit;
    argv[CLI_LIST_MAX + 2] = file;
    v = (struct values){0};
    assert_int_equal(cli_options_parse(&with_args, CLI_LIST_MAX + 3, argv, &v, &operands, &err), BASE_E_USAGE);
}

static void operands_may_be_left_out(void **state)
{
    struct values v;
    struct cli_operands operands;
    struct base_err err;

    (void)state;
    assert_int_equal(parse(&without_args, "", &v, &operands, &err), 0);
    assert_null(operands.items[0]);
    assert_int_equal(parse(&without_args, "-- -a", &v, &operands, &err), 0);
    assert_string_equal(operands.items[0], "-a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_stand_anywhere),   cmocka_unit_test(what_follows_the_dashes_is_the_guests),
        cmocka_unit_test(wrong_words_are_named),    cmocka_unit_test(lists_have_an_end),
        cmocka_unit_test(operands_may_be_left_out), cmocka_unit_test(a_close_option_is_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
