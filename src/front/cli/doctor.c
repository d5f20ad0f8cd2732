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
    bool json, threats, all;
};

static const struct cli_option options[] = {
    {"all", CLI_FLAG, offsetof(struct values, all), NULL, "Output",
     "print every check, and every threat with what is lost or remains here"},
    {"threats", CLI_FLAG, offsetof(struct values, threats), NULL, "Output",
     "print every threat with all that is said of it: prevention here, detection, recovery, the attacks that prove it, "
     "what remains"},
    {"json", CLI_FLAG, offsetof(struct values, json), NULL, "Output", "print a JSON object"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "doctor",
    .usage = "[--all] [--threats] [--json]",
    .summary = "Can programs be run here, what is missing, and what mends it? Asks the machine what it can enforce: "
               "namespaces are really made, and the last check is a real run. "
               "Status 0 when a run with the default policy is possible, else 1.",
    .options = options,
};

static const char *const state_words[] = {[DOCTOR_OK] = "ok", [DOCTOR_GAP] = "gap", [DOCTOR_BAD] = "bad"};

#define TEXT_COLUMN   24
#define ANSWER_COLUMN 12
#define RUNTIME_ROW   "runtime "

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

/* --- the short answer --- */

static void answer(const char *name, const char *text)
{
    int column = printf("%-*s", ANSWER_COLUMN, name);

    cli_say_wrapped(text, (size_t)column, ANSWER_COLUMN);
}

static const char *can_run(const struct doctor_report *report, char *text, size_t text_bytes)
{
    const struct doctor_run *run = &report->run;

    if (report->is_default_run)
        (void)snprintf(text, text_bytes, "yes: a run with the default policy took %.1f ms", (double)run->wall_us / 1e3);
    else if (run->policy)
        (void)snprintf(text, text_bytes, "with --if-available: a run took %.1f ms; without it none is possible: %s: %s",
                       (double)run->wall_us / 1e3, report->refusal.place, report->refusal.what);
    else
        (void)snprintf(text, text_bytes, "no: %s: %s", report->refusal.place, report->refusal.what);
    return text;
}

static bool is_runtime(const struct doctor_check *check)
{
    return strncmp(check->name, RUNTIME_ROW, strlen(RUNTIME_ROW)) == 0;
}

/* The names of the checks of one kind, in one state or not in it. */
static const char *names_of(const struct doctor_report *report, bool runtimes, bool is_ok, char *text,
                            size_t text_bytes)
{
    size_t used = 0;

    (void)snprintf(text, text_bytes, "none");
    for (size_t i = 0; i < report->count && used < text_bytes; i++) {
        const struct doctor_check *check = &report->checks[i];
        if (is_runtime(check) == runtimes && (check->state == DOCTOR_OK) == is_ok)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used ? ", " : "",
                                     check->name + (runtimes ? strlen(RUNTIME_ROW) : 0));
    }
    return text;
}

/* One: of what keeps runs from being made, else of the first that is weaker. */
static const char *one_remedy(const struct doctor_report *report)
{
    if (!report->is_default_run && *report->refusal.remedy)
        return report->refusal.remedy;
    for (int state = DOCTOR_BAD; state >= DOCTOR_GAP; state--)
        for (size_t i = 0; i < report->count; i++)
            if ((int)report->checks[i].state == state && *report->checks[i].remedy)
                return report->checks[i].remedy;
    return "nothing is to be done";
}

static const char *count_threats(const struct doctor_report *report, char *text, size_t text_bytes)
{
    unsigned counts[THREAT_STATE_MAX] = {0};
    size_t used = 0;

    for (const struct threat *threat = threat_table(); threat->id; threat++)
        counts[threat_state(threat, &report->here)]++;
    text[0] = 0;
    for (int state = 0; state < THREAT_STATE_MAX && used < text_bytes; state++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%u %s", state ? ", " : "", counts[state],
                                 threat_state_name((enum threat_state)state));
    return text;
}

static void print_short(const struct doctor_report *report)
{
    char text[1024];

    answer("can run", can_run(report, text, sizeof(text)));
    answer("languages", names_of(report, true, true, text, sizeof(text)));
    answer("missing", names_of(report, false, false, text, sizeof(text)));
    answer("not here", names_of(report, true, false, text, sizeof(text)));
    answer("to mend", one_remedy(report));
    if (report->has_here)
        answer("threats", count_threats(report, text, sizeof(text)));
    answer("more", "fumehood doctor --all has every check and what it means, --threats every threat");
}

static void print_all(const struct doctor_report *report, const struct values *values)
{
    if (!values->threats && !values->all) {
        print_short(report);
        return;
    }
    if (values->all) {
        print_short(report);
        printf("\n");
        print_text(report);
        printf("\n");
    }
    cli_doctor_threats_print(report, values->threats);
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
        print_all(&report, &values);
    return cli_say_end(report.is_default_run ? 0 : 1);
}
