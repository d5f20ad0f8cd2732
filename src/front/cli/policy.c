/* policy.c - fumehood policy show|check|hash|learn|explain */

#include "policy/policy.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "cage/cage.h"
#include "front/cli/choose.h"
#include "front/cli/explain.h"
#include "front/cli/learn.h"
#include "front/cli/policy_text.h"
#include "front/cli/say.h"
#include "front/cli/subject.h"
#include "front/cli/verbs.h"
#include <string.h>

struct values {
    const char *tier;
    struct cli_list limits, env;
    bool json, syscalls, if_available;
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option show_options[] = {
    {"tier", CLI_TEXT, AT(tier), "TIER", "Changes", "as for fumehood run"},
    {"limit", CLI_LIST, AT(limits), "KEY=VALUE", "Changes", "as for fumehood run; may be given again"},
    {"env", CLI_LIST, AT(env), "NAME=VALUE", "Changes", "as for fumehood run; may be given again"},
    {"if-available", CLI_FLAG, AT(if_available), NULL, "Changes", "as for fumehood run"},
    {"json", CLI_FLAG, AT(json), NULL, "Output", "print canonical JSON; default: YAML"},
    {NULL},
};

static const struct cli_option hash_options[] = {
    {"tier", CLI_TEXT, AT(tier), "TIER", "Changes", "as for fumehood run"},
    {"limit", CLI_LIST, AT(limits), "KEY=VALUE", "Changes", "as for fumehood run; may be given again"},
    {"env", CLI_LIST, AT(env), "NAME=VALUE", "Changes", "as for fumehood run; may be given again"},
    {"if-available", CLI_FLAG, AT(if_available), NULL, "Changes", "as for fumehood run"},
    {NULL},
};

static const struct cli_syntax show_syntax = {
    .verb = "policy show",
    .usage = "[OPTION]... [NAME|FILE]",
    .summary = "Print the whole policy with every default filled in. NAME is default or if-available, a FILE's name "
               "holds a dot or a slash; default: what fumehood run has without --policy.",
    .options = show_options,
    .operands = {"NAME|FILE"},
};

static const struct cli_syntax check_syntax = {
    .verb = "policy check",
    .usage = "FILE",
    .summary =
        "Check a policy file: status 0 when it is right, 1 with the place of the first fault. Where this machine "
        "cannot keep a right one, a second line says so.",
    .operands = {"FILE"},
    .operands_required = 1,
};

static const struct cli_syntax hash_syntax = {
    .verb = "policy hash",
    .usage = "[OPTION]... [NAME|FILE]",
    .summary = "Print the SHA-256 of the policy's canonical JSON, as receipts carry it; default: what fumehood run has "
               "without --policy.",
    .options = hash_options,
    .operands = {"NAME|FILE"},
};

static const struct cli_option explain_options[] = {
    {"tier", CLI_TEXT, AT(tier), "TIER", "Changes", "as for fumehood run"},
    {"limit", CLI_LIST, AT(limits), "KEY=VALUE", "Changes", "as for fumehood run; may be given again"},
    {"env", CLI_LIST, AT(env), "NAME=VALUE", "Changes", "as for fumehood run; may be given again"},
    {"if-available", CLI_FLAG, AT(if_available), NULL, "Changes", "as for fumehood run"},
    {"syscalls", CLI_FLAG, AT(syscalls), NULL, "Output", "list every system call, allowed and denied"},
    {NULL},
};

static const struct cli_syntax explain_syntax = {
    .verb = "policy explain",
    .usage = "[OPTION]... [NAME|FILE]",
    .summary = "Explain what the policy means on this machine: each protection, who enforces each limit, what counts "
               "as a denied attempt, what risk remains and how to stop everything; default: what fumehood run has "
               "without --policy.",
    .options = explain_options,
    .operands = {"NAME|FILE"},
};

static int show(const struct policy *policy, const struct values *values, struct base_err *err)
{
    AUTO_JSON json_t *json = policy_json(policy);
    AUTO_BUF struct base_buf text = {0};
    int r;

    if (!json)
        return base_err_set(err, BASE_E_NOMEM, policy->name, "out of memory");
    if (values->json)
        return cli_say_json(json, false, err);
    r = cli_policy_text(policy, &text, err);
    if (r < 0)
        return r;
    cli_say_visible(stdout, text.bytes, text.count);
    return cli_say_flush(err);
}

static int hash(const struct policy *policy, const struct values *values, struct base_err *err)
{
    char hex[BASE_HASH_HEX];
    int r = policy_hash(policy, hex, err);

    (void)values;
    if (r < 0)
        return r;
    printf("%s\n", hex);
    return cli_say_flush(err);
}

static int explain(const struct policy *policy, const struct values *values, struct base_err *err)
{
    int r = cli_explain(policy, values->syscalls, err);

    return r < 0 ? r : cli_say_flush(err);
}

/* A subject: its syntax, and what it does with the policy. */
struct subject {
    const struct cli_syntax *syntax;
    int (*act)(const struct policy *policy, const struct values *values, struct base_err *err);
};

static int run_subject(const struct subject *subject, int argc, char **argv)
{
    AUTO_POLICY struct policy policy = {0};
    struct values values = {0};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(subject->syntax, argc, argv, &values, &operands, &err);
    const struct cli_choice choice = {operands.items[0], values.tier, &values.limits, &values.env, values.if_available};

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0)
        r = cli_choose_policy(&choice, &policy, &err);
    if (r >= 0)
        r = subject->act(&policy, &values, &err);
    return r < 0 ? cli_say_error_view(&err) : 0;
}

/* A right policy may still be more than this machine can keep. */
static void say_refusal(const struct policy *policy)
{
    struct cage_host host;
    struct cage_plan plan;
    struct base_err refused;
    char text[1152];

    cage_host_probe(&host);
    cage_base_take(&host);
    cage_base_leave();
    if (cage_plan_make(policy, &host, &plan, &refused) == 0 && cage_observe_check(policy, &refused) == 0)
        return;
    printf("on this machine a run with it is refused: ");
    (void)base_err_text(&refused, text, sizeof(text));
    cli_say_visible(stdout, text, strlen(text));
    printf("\n");
}

/* Wrong content is what check looks for, status 1; a file that cannot be read is another matter. */
static int check(int argc, char **argv)
{
    AUTO_POLICY struct policy policy = {0};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&check_syntax, argc, argv, NULL, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r < 0)
        return cli_say_error_view(&err);
    r = cli_choose_named(operands.items[0], &policy, &err);
    if (r == BASE_E_INVALID || r == BASE_E_REFUSED || r == BASE_E_TOO_LARGE) {
        (void)cli_say_error(&err);
        return 1;
    }
    if (r < 0)
        return cli_say_error_view(&err);
    cli_say_visible(stdout, operands.items[0], strlen(operands.items[0]));
    printf(": right\n");
    say_refusal(&policy);
    return cli_say_end(0);
}

static int policy_show(int argc, char **argv)
{
    return run_subject(&(const struct subject){&show_syntax, show}, argc, argv);
}

static int policy_hash_subject(int argc, char **argv)
{
    return run_subject(&(const struct subject){&hash_syntax, hash}, argc, argv);
}

static int policy_explain(int argc, char **argv)
{
    return run_subject(&(const struct subject){&explain_syntax, explain}, argc, argv);
}

static const struct cli_subject subjects[] = {
    {"show", policy_show, "print a policy with every default filled in"},
    {"check", check, "check a policy file"},
    {"hash", policy_hash_subject, "print a policy's SHA-256"},
    {"learn", cli_policy_learn, "write a policy with no more system calls than programs need"},
    {"explain", policy_explain, "what a policy means on this machine"},
    {NULL},
};

int cli_policy(int argc, char **argv)
{
    return cli_subject_run("policy", subjects, argc, argv);
}
