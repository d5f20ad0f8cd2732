/* doctor.c - fumehood doctor: what this machine can enforce, and how to mend the rest */

#include "base/cleanup.h"
#include "base/json.h"
#include "front/cli/doctor_threats.h"
#include "front/cli/options.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"
#include "run/run.h"
#include <string.h>

struct values {
    bool json, threats;
};

static const struct cli_option options[] = {
    {"threats", CLI_FLAG, offsetof(struct values, threats), NULL, "Output",
     "print every threat with all that is said of it: prevention here, detection, recovery, the attacks that prove it, "
     "what remains"},
    {"json", CLI_FLAG, offsetof(struct values, json), NULL, "Output", "print a JSON object"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "doctor",
    .usage = "[--threats] [--json]",
    .summary = "Ask this machine what it can enforce, and what that means against each threat. Namespaces are really "
               "made, and the last check is a real run. "
               "Status 0 when a run with the default policy is possible, else 1.",
    .options = options,
};

static const char *const state_words[] = {[DOCTOR_OK] = "ok", [DOCTOR_GAP] = "gap", [DOCTOR_BAD] = "bad"};

#define TEXT_COLUMN 24

static void print_text(const struct doctor_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct doctor_check *check = &report->checks[i];
        int column = printf("%-4s %-*s ", state_words[check->state], TEXT_COLUMN - 6, check->name);
        cli_say_wrapped(check->found, (size_t)column, TEXT_COLUMN);
        if (*check->remedy) {
            column = printf("%*sto mend: ", TEXT_COLUMN, "");
            cli_say_wrapped(check->remedy, (size_t)column, TEXT_COLUMN);
        }
    }
}

static json_t *check_json(const struct doctor_check *check)
{
    json_t *row = json_pack("{s:s, s:s, s:o}", "name", check->name, "state", state_words[check->state], "found",
                            base_json_text(check->found, strlen(check->found)));
    if (*check->remedy)
        base_json_put(&row, "remedy", base_json_text(check->remedy, strlen(check->remedy)));
    return row;
}

static int print_json(const struct doctor_report *report, struct base_err *err)
{
    AUTO_JSON json_t *checks = json_array();
    AUTO_JSON json_t *json = NULL;

    for (size_t i = 0; i < report->count; i++)
        base_json_add(&checks, check_json(&report->checks[i]));
    json = json_pack("{s:s, s:s, s:s, s:b, s:s?, s:O, s:o, s:o}", "schema", "fumehood.doctor/1", "version",
                     FUMEHOOD_VERSION, "tier", policy_tier_name(POLICY_TIER_CONTAINER), "default_run_possible",
                     report->is_default_run, "run", report->run.policy, "checks", checks, "threats",
                     cli_doctor_threats_json(report), "environment", run_environment());
    if (!json)
        return base_err_set(err, BASE_E_NOMEM, "standard output", "out of memory");
    return cli_say_json(json, true, err);
}

static void print_all(const struct doctor_report *report, bool threats)
{
    if (!threats) {
        print_text(report);
        printf("\n");
    }
    cli_doctor_threats_print(report, threats);
    if (!threats)
        printf("\na run with the default policy is %s here\n", report->is_default_run ? "possible" : "not possible");
}

int cli_doctor(int argc, char **argv)
{
    struct values values = {0};
    struct cli_operands operands;
    struct doctor_report report;
    struct base_err err;
    int r = cli_options_parse(&syntax, argc, argv, &values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r < 0)
        return cli_say_error(&err);
    cli_doctor_ask(&report);
    if (values.json && print_json(&report, &err) < 0)
        return cli_say_error(&err);
    if (!values.json)
        print_all(&report, values.threats);
    return cli_say_end(report.is_default_run ? 0 : 1);
}
