/* eval.c - fumehood eval: judge candidate programs for a set of tasks */

#include "eval/eval.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/processors.h"
#include "base/signals.h"
#include "front/cli/choose.h"
#include "front/cli/eval_show.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    const char *candidates, *out, *policy, *tier, *cage;
    struct cli_list limits, env, ids;
    uint64_t jobs;
    bool resume, json, fresh, if_available, no_scope;
    enum run_cage chosen; /* what --cage says */
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option options[] = {
    {"candidates", CLI_TEXT, AT(candidates), "PATH", "Input",
     "a folder of ID.EXT files, JSON lines {task_id, completion | solution}, canonical (the tasks' own solutions) or "
     "none"},
    {"ids", CLI_LIST, AT(ids), "GLOB", "Input", "only tasks with such an id; may be given again; default: all"},
    {"out", CLI_TEXT, AT(out), "DIR", "Result",
     "gets results.jsonl, receipts.jsonl, objects/ and summary.json; default: a new folder below fumehood-results"},
    {"resume", CLI_FLAG, AT(resume), NULL, "Result", "go on where an earlier run in DIR ended; nothing runs twice"},
    {"json", CLI_FLAG, AT(json), NULL, "Result", "print the summary as JSON on stdout instead of tables"},
    {"jobs", CLI_COUNT, AT(jobs), "N", "Run", "cages at the same time; default: the processors"},
    {"fresh", CLI_FLAG, AT(fresh), NULL, "Boundary", "build everything new for each run: the same as --cage fresh"},
    {"cage", CLI_TEXT, AT(cage), "KIND", "Boundary",
     "zygote (default): a slot serves many runs, each proved clean, and Python stands ready; slot; fresh"},
    {"policy", CLI_TEXT, AT(policy), "FILE", "Boundary", CLI_CHOOSE_POLICY},
    {"if-available", CLI_FLAG, AT(if_available), NULL, "Boundary", CLI_CHOOSE_IF_AVAILABLE},
    {"no-scope", CLI_FLAG, AT(no_scope), NULL, "Boundary", CLI_CHOOSE_NO_SCOPE},
    {"tier", CLI_TEXT, AT(tier), "TIER", "Boundary", "kind of boundary; only container is in this version (default)"},
    {"limit", CLI_LIST, AT(limits), "KEY=VALUE", "Boundary",
     "change one limit, as with run; over the policy's; may be given again"},
    {"env", CLI_LIST, AT(env), "NAME=VALUE", "Boundary", "add a variable to the fixed ones; may be given again"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "eval",
    .usage = "TASKS --candidates PATH [OPTION]...",
    .summary =
        "Run every candidate for every task of TASKS (JSON array or JSON lines, gzip or not) in a cage of its own, "
        "and judge it. Expected values never enter the cage.",
    .options = options,
    .operands = {"TASKS"},
    .operands_required = 1,
    .surplus = "candidates are given by --candidates PATH",
    .notes = "Tasks\n"
             "  {id, stdin, expect}                        output is compared\n"
             "  {id, cases: [{name, input, expect}]}       a function is called\n"
             "  {task_id, prompt, entry_point, test}       HumanEval\n"
             "  {task_id, code, test_list}                 MBPP\n\n"
             "A run that outlives its session\n"
             "  With systemd and cgroup v2 an ordinary user's goes with his manager at logout,\n"
             "  unless it is told to stay: loginctl enable-linger.\n\n"
             "Exit status\n"
             "  0 every candidate passed; 1 some did not; 2 usage or invalid input;\n"
             "  3 infrastructure errors remain, or it was interrupted or refused\n",
};

#define STATUS_FAILED 1
#define STATUS_USAGE  2
#define STATUS_INFRA  3
#define JOBS_MAX      1024

static volatile sig_atomic_t stop_asked;

/* The first is a wish, noticed between two runs; who sends a second does not want to wait for that. The workers and
 * their cages end with us. */
static void on_signal(int signal_number)
{
    if (stop_asked) {
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
    }
    stop_asked = 1;
}

static unsigned processors(void)
{
    unsigned count = base_processors_count();

    return count > JOBS_MAX ? JOBS_MAX : count;
}

/* All that one evaluation owns. */
struct job {
    struct values values;
    struct policy policy;
    char out[PATH_MAX];
    char announce[PATH_MAX + 32];
    struct cli_eval_progress progress;
};

static void job_release(struct job *job)
{
    policy_release(&job->policy);
}

/* "fumehood-results/2026-11-29T13-00-00Z", with "-2" and so on when that is taken. */
static int choose_folder(struct job *job, struct base_err *err)
{
    char utc[32];
    struct stat st;

    if (job->values.out) {
        if (strlen(job->values.out) >= sizeof(job->out))
            return cli_options_err(&syntax, err, "--out: the path is too long");
        memcpy(job->out, job->values.out, strlen(job->values.out) + 1);
        if (stat(job->out, &st) == 0 && !S_ISDIR(st.st_mode))
            return base_err_set(err, BASE_E_USAGE, job->out, "is not a folder, so no results can go there");
        return 0;
    }
    if (job->values.resume)
        return cli_options_err(&syntax, err, "--resume needs --out DIR of the run to go on with");
    base_clock_utc(utc, sizeof(utc));
    for (char *c = utc; *c; c++)
        *c = *c == ':' ? '-' : *c;
    (void)snprintf(job->out, sizeof(job->out), "fumehood-results/%.19sZ", utc);
    for (unsigned n = 2; lstat(job->out, &st) == 0; n++)
        (void)snprintf(job->out, sizeof(job->out), "fumehood-results/%.19sZ-%u", utc, n);
    (void)snprintf(job->announce, sizeof(job->announce), "results go to %s", job->out);
    job->progress.announce = job->announce;
    return 0;
}

static int prepare(struct job *job, struct base_err *err)
{
    struct values *values = &job->values;
    const struct cli_choice choice = {values->policy, values->tier, &values->limits, &values->env,
                                      values->if_available};

    if (!values->candidates)
        return cli_options_err(&syntax, err, "--candidates is missing");
    if (values->jobs > JOBS_MAX)
        return cli_options_err(&syntax, err, "--jobs: more than %d", JOBS_MAX);
    if (cli_choose_cage(&syntax, values->cage, values->fresh, RUN_CAGE_ZYGOTE, &values->chosen, err) < 0)
        return err->code;
    cli_choose_scope(values->no_scope);
    job->progress.terminal = isatty(STDERR_FILENO) == 1;
    return choose_folder(job, err) < 0 ? err->code : cli_choose_policy(&choice, &job->policy, err);
}

static void warn(void *context, const char *text)
{
    cli_eval_progress_clear(context);
    cli_say_note("%s", text);
}

/* eval has statuses of its own: the input is wrong, or the rest. */
static int say_failure(const struct base_err *err)
{
    bool input = err->code == BASE_E_TOO_LARGE || (err->fault == BASE_FAULT_USER && err->code != BASE_E_REFUSED);

    (void)cli_say_error(err);
    return input ? STATUS_USAGE : STATUS_INFRA;
}

static int status_of(const struct eval_report *report)
{
    if (report->interrupted || report->infra_errors > 0)
        return STATUS_INFRA;
    return report->failed > 0 ? STATUS_FAILED : 0;
}

static int say_report(const struct job *job, const struct eval_report *report)
{
    struct base_err err;

    if (report->interrupted && report->why.code)
        (void)cli_say_error(&report->why);
    if (report->no_cage && !job->values.json)
        return STATUS_INFRA; /* there is nothing to show */
    if (report->interrupted)
        cli_say_note("%s: interrupted; go on with --resume", job->out);
    if (job->values.json) {
        if (cli_say_json(report->summary, false, &err) < 0)
            return say_failure(&err);
        return status_of(report);
    }
    cli_eval_report_show(report, job->out);
    return cli_say_end(status_of(report));
}

static int evaluate(struct job *job, const char *tasks)
{
    const struct eval_options eval = {
        .tasks = tasks,
        .candidates = job->values.candidates,
        .out_dir = job->out,
        .ids = job->values.ids.items,
        .id_count = job->values.ids.count,
        .jobs = job->values.jobs ? (unsigned)job->values.jobs : processors(),
        .program = "/proc/self/exe",
        .resume = job->values.resume,
        .policy = &job->policy,
        .cage = job->values.chosen,
        .stop = &stop_asked,
        .on_progress = cli_eval_progress_show,
        .on_warning = warn,
        .context = &job->progress,
    };
    CLEANUP(eval_report_release) struct eval_report report = {0};
    struct base_err err;
    int r = eval_run(&eval, &report, &err);

    cli_eval_progress_clear(&job->progress);
    return r < 0 ? say_failure(&err) : say_report(job, &report);
}

int cli_eval(int argc, char **argv)
{
    CLEANUP(job_release) struct job job = {0};
    struct cli_operands operands;
    struct base_err err;
    int r;

    base_signals_handle(base_signals_ending(), on_signal); /* waiting for a result must end */
    r = cli_options_parse(&syntax, argc, argv, &job.values, &operands, &err);
    if (r == 1)
        return cli_say_end(0);
    if (r >= 0)
        r = prepare(&job, &err);
    return r < 0 ? say_failure(&err) : evaluate(&job, operands.items[0]);
}
