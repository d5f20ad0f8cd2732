/* run.c - fumehood run: one program, one cage, one receipt */

#include "run/run.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/place.h"
#include "base/signals.h"
#include "cage/cage.h"
#include "front/cli/choose.h"
#include "front/cli/run_after.h"
#include "front/cli/run_end.h"
#include "front/cli/run_help.h"
#include "front/cli/run_hint.h"
#include "front/cli/say.h"
#include "front/cli/verbs.h"
#include "receipt/receipt.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

struct values {
    const char *runtime, *policy, *tier, *cage, *stdin_path, *out, *receipt;
    struct cli_list limits, inputs, env, artifacts;
    bool json, fresh, if_available, no_scope;
    enum run_cage chosen; /* what --cage says */
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option options[] = {
    {"runtime", CLI_TEXT, AT(runtime), "NAME", "Program",
     "python, node, sh, bash, perl or native; default: by FILE's extension, its #! line or its ELF header"},
    {"stdin", CLI_TEXT, AT(stdin_path), "FILE", "Program",
     "what it reads, - for fumehood's own standard input; default: that, unless it is a terminal or FILE is -"},
    {"input", CLI_LIST, AT(inputs), "FILE[:PATH]", "Program",
     "copy FILE to /work/PATH in the cage; default PATH: FILE's last part; a colon in a name: \\:; may be given again"},
    {"env", CLI_LIST, AT(env), "NAME=VALUE", "Program",
     "add a variable, or replace a fixed one (PATH, HOME, LANG, TZ, TMPDIR) or the policy's; nothing is inherited; "
     "may be given again, each NAME once"},
    {"policy", CLI_TEXT, AT(policy), "FILE", "Boundary", CLI_CHOOSE_POLICY},
    {"if-available", CLI_FLAG, AT(if_available), NULL, "Boundary", CLI_CHOOSE_IF_AVAILABLE},
    {"no-scope", CLI_FLAG, AT(no_scope), NULL, "Boundary", CLI_CHOOSE_NO_SCOPE},
    {"tier", CLI_TEXT, AT(tier), "TIER", "Boundary", "kind of boundary; only container is in this version (default)"},
    {"limit", CLI_LIST, AT(limits), "KEY=VALUE", "Boundary",
     "change one limit, see below; over the policy's; may be given again, each KEY once"},
    {"fresh", CLI_FLAG, AT(fresh), NULL, "Boundary", "build everything new for this run (default)"},
    {"cage", CLI_TEXT, AT(cage), "KIND", "Boundary",
     "fresh; slot: what is the same in each run is made before, as in eval; zygote: the interpreter is too"},
    {"json", CLI_FLAG, AT(json), NULL, "Result", "print the receipt on stdout, and none of the program's output"},
    {"receipt", CLI_TEXT, AT(receipt), "FILE", "Result", "write the receipt to FILE, in one step"},
    {"artifact", CLI_LIST, AT(artifacts), "PATTERN", "Not in this version", "files to bring out of the cage"},
    {"out", CLI_TEXT, AT(out), "DIR", "Not in this version", "where artifacts would go"},
    {NULL},
};

static bool is_command(const char *word, bool after, bool has_words, const void *values);

static const struct cli_syntax syntax = {
    .verb = "run",
    .usage = "[OPTION]... FILE [-- ARG...], or: fumehood run [OPTION]... [--] COMMAND [ARG...]",
    .summary = "Run FILE (- is standard input), or a COMMAND of this machine, in a cage: no network, no file of this "
               "machine but /usr read-only, nothing left afterwards. Its output passes through as it comes; the exit "
               "status is its own. A word that names a file here is FILE, unless -- stands before it; all that follows "
               "a COMMAND is its own. Of your files a cage has FILE and each --input.",
    .options = options,
    .operands = {"FILE"},
    .operands_required = 1,
    .takes_args = true,
    .is_command = is_command,
    .show_more = cli_run_help_limits,
    .notes = "Examples\n"
             "  fumehood run a.py -- ARG ARG\n"
             "  fumehood run --timeout 5 --memory 1G a.py\n"
             "  fumehood run -- python3 -c 'print(1)'\n"
             "  fumehood run -- sh -c 'ls -l | wc -l'\n"
             "  fumehood run --input a.c -- sh -c 'cc a.c && ./a.out'\n"
             "  curl ... | fumehood run --runtime python -\n"
             "  fumehood run --json a.py | fumehood receipt show\n\n"
             "Exit status\n"
             "  the program's own; 128+N ended by signal N; 124 wall, cpu or idle limit;\n"
             "  137 memory limit; 122 another limit; 125 the cage could not be built or was\n"
             "  lost; 126 refused; 127 program, runtime or toolchain not found; 141 the\n"
             "  reader of its output went away; 2 usage\n",
};

/* Everything that one run owns. */
struct job {
    struct values values;
    struct policy policy;
    struct stage_program program;
    struct stage_file *files;
    size_t file_count;
    int stdin_fd;        /* -1: nothing to read */
    bool is_typing_lost; /* standard input is a terminal, and is not passed on */
    int stdin_owned_fd;
    uint64_t signals;    /* those that were blocked at the start */
    const char *operand; /* FILE, or COMMAND */
    bool is_command;
};

/* From the moment that there is something to clear up until it is: a signal waits for the run, which it cancels. What
 * is read or written meanwhile makes nobody wait. */
static void hold_signals(struct job *job)
{
    job->signals = base_signals_block(base_signals_harmful());
}

static void let_signals(const struct job *job)
{
    base_signals_restore(job->signals);
}

static void job_release(struct job *job)
{
    policy_release(&job->policy);
    stage_program_release(&job->program);
    for (size_t i = 0; i < job->file_count; i++)
        stage_file_release(&job->files[i]);
    free(job->files);
    base_cleanup_close(&job->stdin_owned_fd);
    run_release();
}

static int not_in_this_version(const struct values *values, struct base_err *err)
{
    if (values->artifacts.count)
        return cli_options_err(&syntax, err, "--artifact is not in this version: nothing leaves the cage but output");
    if (values->out)
        return cli_options_err(&syntax, err, "--out is not in this version: use --receipt FILE for the receipt");
    return 0;
}

/* The last that is given, by options or else by the policy. */
static const char *path_among(const char *const *variables, size_t count, const char *otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(variables[i], "PATH=", 5) == 0)
            otherwise = variables[i] + 5;
    return otherwise;
}

static const char *cage_path(const struct cli_list *env)
{
    size_t count = 0;

    while (cage_environment()[count])
        count++;
    return path_among(env->items, env->count, path_among(cage_environment(), count, ""));
}

/* A name without a slash is sought here and in the cage; "--" decides which is first. What is in neither is told as a
 * command: the message speaks of both. A program of the machine that is named by its path has what follows, as it has
 * by its name. */
static bool is_command(const char *word, bool after, bool has_words, const void *of_run)
{
    const struct values *values = of_run;
    struct stage_program program;
    struct stat st;
    bool is_here = stat(word, &st) == 0;

    if (values->runtime || strcmp(word, "-") == 0)
        return false;
    if (strchr(word, '/') && !after)
        return has_words && stage_command_find(word, cage_path(&values->env), &program, NULL) >= 0;
    if (is_here && !after && !S_ISDIR(st.st_mode))
        return false;
    return (!is_here && !strchr(word, '/')) || stage_command_find(word, cage_path(&values->env), &program, NULL) >= 0;
}

static int load_program(struct job *job, struct base_err *err)
{
    const struct policy *policy = &job->policy;
    const char *variables[POLICY_ENV_MAX], *folders = cage_path(&job->values.env);
    int r;

    if (job->is_command) {
        for (size_t i = 0; i < policy->env_count; i++)
            variables[i] = policy->env[i];
        folders = path_among(variables, policy->env_count, folders); /* options stand over the policy's already */
        r = stage_command_find(job->operand, folders, &job->program, err);
        return r < 0 ? cli_run_no_command(job->operand, folders, err) : 0;
    }
    r = stage_program_load(job->operand, job->values.runtime, run_staged_max_bytes(policy), &job->program, err);
    if (r == BASE_E_NOT_FOUND)
        return cli_run_no_runtime(job->operand, folders, err);
    return r < 0 ? run_staged_remedy(policy, r, err) : stage_runtime_check(job->program.runtime, err);
}

/* One more, as far as there is room for it. */
static int load_input(struct job *job, const char *spec, struct base_err *err)
{
    uint64_t left = run_staged_left_bytes(&job->policy, &job->program, job->files, job->file_count);
    int r = stage_file_load(spec, left, &job->files[job->file_count], err);

    if (r == BASE_E_TOO_LARGE)
        (void)base_err_set(err, r, "--input",
                           "with \"%.200s\" the program and its files have more than %" PRIu64 " bytes", spec,
                           run_staged_max_bytes(&job->policy));
    job->file_count += r >= 0;
    return r < 0 ? run_staged_remedy(&job->policy, cli_say_usage_if_missing(r, err), err) : 0;
}

static int load_inputs(struct job *job, struct base_err *err)
{
    const struct cli_list *inputs = &job->values.inputs;

    if (inputs->count == 0)
        return 0;
    job->files = calloc(inputs->count, sizeof(*job->files));
    if (!job->files)
        return base_err_set(err, BASE_E_NOMEM, "--input", "out of memory");
    while (job->file_count < inputs->count) {
        int r = load_input(job, inputs->items[job->file_count], err);
        if (r < 0)
            return r;
    }
    return stage_files_check(&job->program, job->files, job->file_count, err);
}

static bool is_own_stdin(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

/* A program or a policy that came through standard input has used it up. */
static bool is_stdin_used(const struct job *job)
{
    return (!job->is_command && is_own_stdin(job->operand)) || (job->values.policy && is_own_stdin(job->values.policy));
}

/* The one device that is read as a file: nothing is in it. */
static bool is_null_device(const char *path)
{
    struct stat st, null;

    return stat(path, &st) == 0 && S_ISCHR(st.st_mode) && stat("/dev/null", &null) == 0 && st.st_rdev == null.st_rdev;
}

static int open_stdin_file(struct job *job, const char *path, struct base_err *err)
{
    int r;

    if (is_null_device(path))
        return 0;
    if (stage_is_stream(path))
        r = stage_stream_open(path, &job->stdin_owned_fd, err);
    else
        r = base_file_open(path, &job->stdin_owned_fd, NULL, err);
    job->stdin_fd = job->stdin_owned_fd;
    return cli_say_usage_if_missing(r, err);
}

static int open_stdin(struct job *job, struct base_err *err)
{
    const char *path = job->values.stdin_path;
    bool is_own = path && strcmp(path, "-") == 0;
    struct stat st;

    if (is_own && is_stdin_used(job))
        return cli_options_err(&syntax, err,
                               "standard input is the program or the policy already, so --stdin cannot be it too");
    if (path && !is_own)
        return open_stdin_file(job, path, err);
    if (is_stdin_used(job))
        return 0;
    job->is_typing_lost = !is_own && isatty(STDIN_FILENO);
    if (job->is_typing_lost)
        return 0;
    if (fstat(STDIN_FILENO, &st) == 0 && S_ISDIR(st.st_mode))
        return base_err_set(err, BASE_E_USAGE, "standard input", "is a directory");
    job->stdin_fd = STDIN_FILENO;
    return 0;
}

/* Before anything runs: a receipt that cannot be written is found out now, and nothing but a file is replaced. */
static int check_receipt_path(const char *path, struct base_err *err)
{
    int r;

    if (!path)
        return 0;
    if (strcmp(path, "-") == 0)
        return cli_options_err(&syntax, err, "--receipt needs a file's name: --json prints the receipt on stdout");
    r = base_place_check(path, err);
    if (r == BASE_E_INVALID)
        return base_err_remedy(err, "give --receipt the name of a file; --json prints the receipt on stdout");
    return cli_say_usage_if_unwritable(r, err);
}

/* Something that is read waits for somebody else. */
static bool must_wait(const struct job *job)
{
    const struct values *values = &job->values;
    bool waits = (!job->is_command && stage_is_stream(job->operand)) ||
                 (values->policy && cli_choose_is_stream(values->policy)) ||
                 (values->stdin_path && strcmp(values->stdin_path, "-") != 0 && stage_is_stream(values->stdin_path));

    for (size_t i = 0; i < values->inputs.count && !waits; i++)
        waits = stage_file_is_stream(values->inputs.items[i]);
    return waits;
}

/* From here on there is something to clear up. */
static void begin(struct job *job)
{
    hold_signals(job);
    if (job->values.chosen == RUN_CAGE_FRESH)
        (void)run_prepare(NULL); /* execute() will tell */
}

static int load(struct job *job, struct base_err *err)
{
    const struct values *values = &job->values;
    const struct cli_choice choice = {values->policy, values->tier, &values->limits, &values->env,
                                      values->if_available};
    int r = cli_choose_policy(&choice, &job->policy, err);

    if (r >= 0)
        r = load_program(job, err);
    if (r >= 0)
        r = load_inputs(job, err);
    if (r >= 0)
        r = open_stdin(job, err);
    return r < 0 ? r : check_receipt_path(values->receipt, err);
}

static int prepare(struct job *job, struct base_err *err)
{
    struct values *values = &job->values;
    int r = not_in_this_version(values, err);
    bool waits;

    if (r >= 0 && !job->is_command && values->policy && is_own_stdin(values->policy) && is_own_stdin(job->operand))
        r = cli_options_err(&syntax, err, "standard input cannot be the program and the policy");
    if (r >= 0)
        r = cli_choose_cage(&syntax, values->cage, values->fresh, RUN_CAGE_FRESH, &values->chosen, err);
    if (r < 0)
        return r;
    cli_choose_scope(values->no_scope);
    waits = must_wait(job);
    if (!waits)
        begin(job);
    r = load(job, err);
    if (waits && r >= 0)
        begin(job);
    return r;
}

static bool wants_receipt(const struct job *job)
{
    return job->values.json || job->values.receipt;
}

static int make_receipt(const struct job *job, const struct run_request *request, const struct warden_outcome *outcome,
                        json_t **ret_receipt, struct base_err *err)
{
    AUTO_JSON json_t *receipt = NULL;
    AUTO_BUF struct base_buf line = {0};
    char hash[BASE_HASH_HEX];
    int r;

    if (!wants_receipt(job))
        return 0;
    r = run_receipt(request, outcome, &receipt, err);
    if (r >= 0)
        r = receipt_seal(receipt, NULL, &line, hash, err);
    if (r >= 0 && job->values.receipt)
        r = base_place_replace(job->values.receipt, line.bytes, line.count, err);
    if (r >= 0)
        *ret_receipt = TAKE_PTR(receipt);
    return r;
}

/* Everything that is said comes after the receipt is on its way: who reads it may be slow, and a signal may end us. */
static int say_end(const struct job *job, const char *const *args, const struct warden_outcome *outcome,
                   const json_t *receipt, struct base_err *err)
{
    const struct cli_run_after after = {&job->policy, outcome,         job->program.name,  args,
                                        job->files,   job->file_count, job->is_typing_lost};

    if (!job->values.json) {
        cli_run_end_say(outcome, &job->policy);
        cli_run_after_say(&after);
    } else if (outcome->error.code) {
        (void)cli_say_error(&outcome->error); /* its status comes with the ending */
    }
    return receipt && job->values.json ? cli_say_json(receipt, false, err) : 0;
}

static int execute(const struct job *job, const char *const *args)
{
    const bool json = job->values.json;
    AUTO_JSON json_t *draft = NULL;
    const struct run_request request = {
        .policy = &job->policy,
        .program = &job->program,
        .args = args,
        .files = job->files,
        .file_count = job->file_count,
        .stdin_fd = job->stdin_fd,
        .stdin_bytes = "",
        .cage = job->values.chosen,
        .stdout_fd = json ? -1 : STDOUT_FILENO,
        .stderr_fd = json ? -1 : STDERR_FILENO,
        .receipt_draft = wants_receipt(job) ? &draft : NULL,
    };
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    AUTO_JSON json_t *receipt = NULL;
    struct base_err err, unwritten = {0};
    int r = run_execute(&request, &outcome, &err);

    if (r >= 0)
        (void)make_receipt(job, &request, &outcome, &receipt, &unwritten);
    run_release();
    let_signals(job);
    if (r >= 0)
        r = say_end(job, args, &outcome, receipt, &err);
    if (r < 0)
        return cli_say_error(&err);
    return unwritten.code ? cli_say_error(&unwritten) : cli_run_end_status(&outcome);
}

int cli_run(int argc, char **argv)
{
    CLEANUP(job_release) struct job job = {.stdin_fd = -1, .stdin_owned_fd = -1};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&syntax, argc, argv, &job.values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    job.operand = operands.items[0];
    job.is_command = operands.is_command;
    if (r >= 0)
        r = prepare(&job, &err);
    if (r < 0) {
        let_signals(&job);
        return cli_say_error(&err);
    }
    return execute(&job, operands.args);
}
