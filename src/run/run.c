/* run.c - policy + program -> outcome */
#include "run/run.h"
#include "base/argv.h"
#include "base/cleanup.h"
#include "base/json_memory.h"
#include "run/berth.h"
#include "run/receipt.h"
#include "run/stop.h"
#include "warden/warden.h"
#include <stdio.h>
#include <string.h>

#define ARGS_MAX        1024
#define ENVIRONMENT_MAX (POLICY_ENV_MAX + 16)
#define FILES_MAX       256

#define UNKNOWN_REST 1u

/* A run whose end is known, and whose teardown is not proved. */
struct open_run {
    struct warden_rest rest;
    struct run_berth *berth;
    struct warden_outcome *outcome;
    run_settled *settled;
    void *settled_argument;
};

/* What is the same for every run of this process. A fork gets its own: a slot belongs to one process. Runs in slots use
 * the two in turn: while one runs, the other is proved clean and gets its next cage. */
#define BERTHS 2
static struct {
    pid_t owner;
    bool looked;   /* the host is known */
    unsigned rest; /* slots of killed owners that are not cleared */
    struct cage_host host;
    struct run_berth berths[BERTHS];
    unsigned turn;
    struct open_run open;
} site = {.berths = {RUN_BERTH_NONE, RUN_BERTH_NONE}, .open = {.rest = WARDEN_REST_NONE}};

static void own_site(void)
{
    if (site.owner == getpid())
        return;
    cage_forget(&site.open.rest.cage); /* the copies of a parent's */
    for (unsigned i = 0; i < BERTHS; i++)
        run_berth_forget(&site.berths[i]);
    site.open = (struct open_run){.rest = WARDEN_REST_NONE};
    site.looked = false;
    site.owner = getpid();
    base_json_memory_keep(); /* for the next run's receipt */
}

static int prepare_site(struct base_err *err)
{
    if (!site.looked) {
        cage_host_probe(&site.host);
        cage_base_take(&site.host);
        site.looked = true;
        site.rest = UNKNOWN_REST;
    }
    return run_berth_take(&site.berths[0], &site.host, err);
}

const char *run_cage_name(enum run_cage cage)
{
    static const char *const names[RUN_CAGE_MAX] = {"fresh", "slot", "zygote"};

    return names[cage];
}

bool run_cage_find(const char *name, enum run_cage *ret_cage)
{
    for (int cage = 0; cage < RUN_CAGE_MAX; cage++)
        if (strcmp(name, run_cage_name((enum run_cage)cage)) == 0) {
            *ret_cage = (enum run_cage)cage;
            return true;
        }
    return false;
}

static bool is_in_slot(const struct run_request *request)
{
    return request->cage != RUN_CAGE_FRESH;
}

struct command {
    char path[300]; /* of the program, in the cage */
    char *argv[ARGS_MAX + STAGE_COMMAND_MAX + 2];
    char *envp[ENVIRONMENT_MAX + 1];
    struct cage_file files[FILES_MAX + 1];
    size_t file_count;
};

static int fill_argv(const struct run_request *request, struct command *command, struct base_err *err)
{
    for (size_t i = 0; request->args && request->args[i]; i++)
        if (i == ARGS_MAX)
            return base_err_set(err, BASE_E_USAGE, "arguments", "are more than %d", ARGS_MAX);
    (void)snprintf(command->path, sizeof(command->path), "/work/%s", request->program->name);
    stage_runtime_argv(request->program->runtime, command->path, request->args, command->argv);
    return 0;
}

static size_t name_length(const char *assignment)
{
    return strcspn(assignment, "=");
}

/* A later assignment to the same name takes the place of an earlier one. */
static void add_environment(struct command *command, size_t *count, const char *assignment)
{
    size_t length = name_length(assignment);

    for (size_t i = 0; i < *count; i++)
        if (name_length(command->envp[i]) == length && strncmp(command->envp[i], assignment, length) == 0) {
            command->envp[i] = base_argv_word(assignment);
            return;
        }
    if (*count < ENVIRONMENT_MAX)
        command->envp[(*count)++] = base_argv_word(assignment);
}

static void fill_environment(const struct run_request *request, struct command *command)
{
    const struct stage_runtime *runtime = request->program->runtime;
    size_t count = 0;

    for (const char *const *fixed = cage_environment(); *fixed; fixed++)
        add_environment(command, &count, *fixed);
    for (size_t i = 0; i < runtime->environment_count; i++)
        add_environment(command, &count, runtime->environment[i]);
    for (size_t i = 0; i < request->policy->env_count; i++)
        add_environment(command, &count, request->policy->env[i]);
    command->envp[count] = NULL;
}

static int fill_files(const struct run_request *request, struct command *command, struct base_err *err)
{
    const struct stage_program *program = request->program;
    bool native = program->runtime->command_count > 0 && strcmp(program->runtime->command[0], "{program}") == 0;

    if (request->file_count > FILES_MAX)
        return base_err_set(err, BASE_E_USAGE, "--input", "is given more than %d times", FILES_MAX);
    command->file_count = 0;
    if (!program->is_command)
        command->files[command->file_count++] =
            (struct cage_file){program->name, program->bytes, program->count, native ? 0755 : 0644};
    for (size_t i = 0; i < request->file_count; i++) {
        const struct stage_file *file = &request->files[i];
        command->files[command->file_count++] = (struct cage_file){file->path, file->bytes, file->count, file->mode};
    }
    return 0;
}

static int fill_command(const struct run_request *request, struct command *command, struct base_err *err)
{
    int r = fill_argv(request, command, err);

    if (r == 0)
        r = fill_files(request, command, err);
    if (r == 0)
        fill_environment(request, command);
    return r;
}

/* The supervisor has nothing else to do until the guest writes or ends; only waiting is not for now. */
static void meanwhile(void *argument)
{
    const struct run_request *request = argument;

    if (request->receipt_draft)
        *request->receipt_draft = run_receipt_begin(request); /* without memory there is none; run_receipt() says so */
    if (site.rest)
        site.rest = cage_cgroup_reconcile(false);
    run_settle();
    if (is_in_slot(request))
        run_berth_again(&site.berths[site.turn], &site.host); /* whose turn is next */
}

/* After a run: what must be waited for is cleared now, once. */
static void clear_rest(void)
{
    if (site.rest)
        (void)cage_cgroup_reconcile(true);
    site.rest = 0;
}

/* What the host can enforce of it, and whether it can look at what the policy wants observed. */
static int check_plan(const struct policy *policy, const struct cage_host *host, struct cage_plan *ret_plan,
                      struct base_err *err)
{
    int r = cage_plan_make(policy, host, ret_plan, err);
    struct base_err why;

    /* Who is told to go on without a limit must get on: what no policy mends comes first. */
    if (r == BASE_E_REFUSED && !site.berths[0].next.shared && cage_try(&why) < 0) {
        if (err)
            *err = why;
        return why.code;
    }
    return r < 0 ? r : cage_observe_check(policy, err);
}

/* It has started without the policy's filter, under which it might not have. */
static bool lacks_calls(const struct policy *policy, const char *runtime)
{
    const struct policy_profile *profile = policy_profile_of_runtime(runtime);

    if (!policy->syscalls.narrowed)
        return false;
    for (size_t i = 0; profile && i < ARRAY_COUNT(profile->calls.bits); i++)
        if (profile->calls.bits[i] & ~policy->syscalls.calls.bits[i])
            return true;
    return !profile;
}

static bool is_cold(const struct run_request *request, char why[STAGE_COLD_BYTES])
{
    bool cold = stage_program_is_cold(request->program, why);

    for (size_t i = 0; i < request->file_count && !cold; i++)
        cold = stage_file_is_cold(&request->files[i], request->program->runtime, why);
    for (size_t i = 0; i < request->policy->env_count && !cold; i++)
        cold = stage_variable_is_cold(request->policy->env[i], request->program->runtime, why);
    return cold;
}

/* The zygote that this run could be a fork of, and in the outcome why it cannot. */
static struct run_zygote zygote_for(const struct run_request *request, const struct command *command,
                                    const struct cage_plan *plan, char why[STAGE_COLD_BYTES])
{
    const struct run_zygote none = {NULL, NULL};
    const char *refusal;

    _Static_assert(sizeof(((struct warden_outcome *)0)->cold_why) == STAGE_COLD_BYTES, "one length of reasons");
    why[0] = 0;
    if (request->cage != RUN_CAGE_ZYGOTE || !request->program->runtime->has_zygote)
        return none;
    refusal = cage_zygote_refuses(plan, command->argv);
    if (request->learn || refusal)
        (void)snprintf(why, STAGE_COLD_BYTES, "%s", refusal ? refusal : "its system calls are to be learnt");
    else if (lacks_calls(plan->policy, request->program->runtime->name))
        (void)snprintf(why, STAGE_COLD_BYTES, "it lacks system calls that the interpreter's own profile has");
    else if (!is_cold(request, why))
        return (struct run_zygote){request->program->runtime, command->envp};
    return none;
}

/* Where the run's cage is, and may stand already. */
static int take_berth(const struct run_request *request, const struct cage_plan *plan, const struct run_zygote *zygote,
                      struct run_berth **ret_berth, struct base_err *err)
{
    struct run_berth *berth = &site.berths[is_in_slot(request) ? site.turn : 0];

    *ret_berth = berth;
    site.host.shows_machine = plan->policy->proc == POLICY_PROC_MACHINE;
    if (site.open.berth == berth)
        run_settle();
    if (is_in_slot(request)) {
        site.turn = (site.turn + 1) % BERTHS;
        return run_berth_ready(berth, &site.host, plan, request->learn, zygote, err);
    }
    if (berth->keeper.cage.shared)
        run_berth_empty(berth);
    if (!cage_shows_as(&berth->next, plan->policy))
        (void)cage_drop(&berth->next); /* it was begun before the policy was known */
    return 0;
}

static int supervise(const struct run_request *request, const struct command *command, const struct cage_plan *plan,
                     struct warden_outcome *ret_outcome, struct base_err *err)
{
    char cold_why[STAGE_COLD_BYTES];
    const struct run_zygote zygote = zygote_for(request, command, plan, cold_why);
    struct warden_rest rest;
    struct run_berth *berth;
    struct base_err why;
    int r = take_berth(request, plan, &zygote, &berth, &why);
    const struct warden_job job = {
        .host = &site.host,
        .plan = plan,
        .slot = &berth->slot,
        .cage = &berth->next,
        .no_cage = r < 0 ? &why : NULL,
        .files = command->files,
        .file_count = command->file_count,
        .argv = command->argv,
        .envp = command->envp,
        .stdin_fd = request->stdin_fd,
        .stdin_bytes = request->stdin_bytes,
        .stdin_count = request->stdin_count,
        .learn = request->learn,
        .from_zygote = zygote.runtime && berth->runtime,
        .mark = request->mark,
        .interrupts = request->program->runtime->is_interrupted,
        .stdout_fd = request->stdout_fd,
        .stderr_fd = request->stderr_fd,
        .should_stop = run_stop_reason,
        .meanwhile = meanwhile,
        .meanwhile_argument = (void *)(uintptr_t)request,
    };
    r = warden_run(&job, &rest, ret_outcome, err);
    ret_outcome->from_zygote = job.from_zygote;
    (void)snprintf(ret_outcome->cold_why, sizeof(ret_outcome->cold_why), "%s",
                   zygote.runtime && !job.from_zygote ? berth->no_zygote : cold_why);
    run_settle(); /* the one before, where it was not done meanwhile */
    site.open = (struct open_run){rest, berth, ret_outcome, r < 0 ? NULL : request->settled, request->settled_argument};
    if (!site.open.settled)
        run_settle();
    clear_rest();
    return r;
}

static int execute(const struct run_request *request, struct warden_outcome *ret_outcome, struct base_err *err)
{
    static struct command command; /* large, and filled anew: what counts is counted, lists end with NULL */
    const struct policy policy = policy_settle(request->policy, request->program->runtime->name);
    struct cage_plan plan;
    int r;

    r = run_staged_check(&policy, request->program, request->files, request->file_count, err);
    if (r == 0)
        r = check_plan(&policy, &site.host, &plan, err);
    if (r == 0)
        r = fill_command(request, &command, err);
    return r < 0 ? r : supervise(request, &command, &plan, ret_outcome, err);
}

void run_settle(void)
{
    struct open_run open = site.open;

    if (!open.outcome)
        return;
    warden_settle(&open.rest, open.outcome);
    open.berth->groups_left += open.outcome->teardown.cgroups_left;
    site.open = (struct open_run){.rest = WARDEN_REST_NONE};
    if (open.berth->keeper.cage.shared)
        run_berth_again(open.berth, &site.host);
    if (open.settled)
        open.settled(open.settled_argument, open.outcome);
}

int run_check(const struct policy *policy, struct base_err *err)
{
    struct cage_host host;
    struct cage_plan plan;
    int r = run_check_stop(err);

    if (r < 0)
        return r;
    cage_host_probe(&host);
    cage_base_take(&host);
    return check_plan(policy, &host, &plan, err);
}

void run_take_groups(void)
{
    struct cage_host host;

    if (!cage_host_is_unified())
        return;
    cage_host_probe(&host);
    cage_base_take(&host);
}

int run_prepare(struct base_err *err)
{
    struct run_berth *berth = &site.berths[0];
    int r;

    own_site();
    if (berth->next.shared)
        return 0;
    r = cage_begin(&berth->next, err); /* works by itself from here */
    if (r == 0)
        r = prepare_site(err);
    return r < 0 ? r : cage_make(&site.host, &berth->slot, &berth->next, err);
}

void run_release(void)
{
    own_site();
    cage_begin_never(); /* after a wrong command line, say: a launcher that reaps nobody would keep its remains */
    run_settle();
    for (unsigned i = 0; i < BERTHS; i++)
        run_berth_retire(&site.berths[i]);
    site.looked = false;
    cage_base_leave();
}

int run_execute(const struct run_request *request, struct warden_outcome *ret_outcome, struct base_err *err)
{
    int r = run_check_stop(err);

    own_site();
    if (r == 0)
        r = prepare_site(err);
    if (r < 0)
        return r;
    return execute(request, ret_outcome, err);
}
