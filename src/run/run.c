/* run.c - policy + program -> outcome */
#include "run/run.h"
#include "base/argv.h"
#include "base/cleanup.h"
#include "run/receipt.h"
#include "run/stop.h"
#include "warden/warden.h"
#include <stdio.h>
#include <string.h>

#define ARGS_MAX        1024
#define ENVIRONMENT_MAX (POLICY_ENV_MAX + 16)
#define FILES_MAX       256

#define UNKNOWN_REST 1u

/* What is the same for every run of this process. A fork gets its own: a slot belongs to one process. */
static struct {
    pid_t owner;
    bool looked;   /* host and slot are there */
    unsigned rest; /* slots of killed owners that are not cleared */
    struct cage_host host;
    struct cage_slot slot;
    struct cage cage; /* made ahead, for the next run */
} site = {.slot = {.lock_fd = -1}, .cage = CAGE_NONE};

static void own_site(void)
{
    if (site.owner == getpid())
        return;
    cage_forget(&site.cage); /* the copies of a parent's */
    cage_slot_release(&site.slot);
    site.looked = false;
    site.owner = getpid();
}

static int prepare_site(struct base_err *err)
{
    int r;

    if (site.looked)
        return 0;
    cage_host_probe(&site.host);
    r = cage_slot_acquire(&site.host, &site.slot, err);
    if (r < 0)
        return r;
    site.looked = true;
    site.rest = UNKNOWN_REST;
    return 0;
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
    command->files[0] = (struct cage_file){program->name, program->bytes, program->count, native ? 0755 : 0644};
    for (size_t i = 0; i < request->file_count; i++) {
        const struct stage_file *file = &request->files[i];
        command->files[1 + i] = (struct cage_file){file->path, file->bytes, file->count, file->mode};
    }
    command->file_count = 1 + request->file_count;
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
}

/* After a run: what must be waited for is cleared now, once. */
static void clear_rest(void)
{
    if (site.rest)
        (void)cage_cgroup_reconcile(true);
    site.rest = 0;
}

/* What the host can enforce of it, and whether it can look at what the policy wants observed. */
static int plan_on(const struct cage_host *host, const struct policy *policy, struct cage_plan *ret_plan,
                   struct base_err *err)
{
    int r = cage_plan_make(policy, host, ret_plan, err);

    return r < 0 ? r : cage_observe_check(policy, err);
}

static int execute(const struct run_request *request, struct warden_outcome *ret_outcome, struct base_err *err)
{
    AUTO_FREE struct command *command = calloc(1, sizeof(*command));
    const struct policy policy = policy_settle(request->policy, request->program->runtime->name);
    struct cage_plan plan;
    int r;

    if (!command)
        return base_err_set(err, BASE_E_NOMEM, "run", "no memory");
    r = plan_on(&site.host, &policy, &plan, err);
    if (r == 0)
        r = fill_command(request, command, err);
    if (r < 0)
        return r;
    struct warden_job job = {
        .host = &site.host,
        .plan = &plan,
        .slot = &site.slot,
        .cage = &site.cage,
        .files = command->files,
        .file_count = command->file_count,
        .argv = command->argv,
        .envp = command->envp,
        .stdin_fd = request->stdin_fd,
        .stdin_bytes = request->stdin_bytes,
        .stdin_count = request->stdin_count,
        .learn = request->learn,
        .mark = request->mark,
        .stdout_fd = request->stdout_fd,
        .stderr_fd = request->stderr_fd,
        .should_stop = run_stop_reason,
        .meanwhile = meanwhile,
        .meanwhile_argument = (void *)(uintptr_t)request,
    };
    r = warden_run(&job, ret_outcome, err);
    clear_rest();
    return r;
}

int run_check(const struct policy *policy, struct base_err *err)
{
    struct cage_host host;
    struct cage_plan plan;
    int r = run_check_stop(err);

    if (r < 0)
        return r;
    cage_host_probe(&host);
    return plan_on(&host, policy, &plan, err);
}

int run_prepare(struct base_err *err)
{
    int r;

    own_site();
    if (site.cage.pid > 0)
        return 0;
    r = cage_begin(&site.cage, err); /* works by itself from here */
    if (r == 0)
        r = prepare_site(err);
    return r < 0 ? r : cage_make(&site.host, &site.slot, &site.cage, err);
}

void run_release(void)
{
    own_site();
    cage_begin_never(); /* after a wrong command line, say: a launcher that reaps nobody would keep its remains */
    (void)cage_drop(&site.cage); /* what stays of it is cleared by the next start */
    cage_slot_release(&site.slot);
    site.looked = false;
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
