/* learn.c - fumehood policy learn: a policy with no more system calls than known-good programs need
 *
 * Each program runs twice: once in a cage that notes every call that the policy lets pass, and once under the policy
 * that is made of what was noted. Nothing is written unless all of them end the second time as they did the first.
 */

#include "front/cli/learn.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/place.h"
#include "base/signals.h"
#include "cage/cage.h"
#include "front/cli/choose.h"
#include "front/cli/options.h"
#include "front/cli/policy_text.h"
#include "front/cli/say.h"
#include "run/run.h"
#include <string.h>

struct values {
    const char *out, *name, *runtime, *policy, *stdin_path;
    bool if_available;
};
#define AT(field) offsetof(struct values, field)

static const struct cli_option options[] = {
    {"runtime", CLI_TEXT, AT(runtime), "NAME", "Programs", "as for fumehood run, for all of them"},
    {"stdin", CLI_TEXT, AT(stdin_path), "FILE", "Programs", "what each of them reads; default: nothing"},
    {"policy", CLI_TEXT, AT(policy), "NAME|FILE", "Policy",
     "what they run under while learning; the result is this with fewer system calls; default: as for fumehood run"},
    {"if-available", CLI_FLAG, AT(if_available), NULL, "Policy", CLI_CHOOSE_IF_AVAILABLE},
    {"name", CLI_TEXT, AT(name), "NAME", "Policy", "name of the result and of its profile; default: learned"},
    {"out", CLI_TEXT, AT(out), "FILE", "Result", "write the policy to FILE, in one step; default: standard output"},
    {NULL},
};

static const struct cli_syntax syntax = {
    .verb = "policy learn",
    .usage = "[OPTION]... -- FILE...",
    .summary = "Run programs that are known to be good, and write a policy that allows the system calls that they made "
               "and no others. Each runs again under it first; when one then ends in another way, nothing is written "
               "and the status is 1.",
    .options = options,
    .takes_args = true,
};

/* One program, and how it went while learning. */
struct lesson {
    struct stage_program program;
    struct warden_outcome outcome;
};

struct course {
    struct values values;
    struct policy policy; /* what they run under */
    struct base_buf input;
    struct lesson *lessons;
    size_t count;
};

static void course_release(struct course *course)
{
    for (size_t i = 0; i < course->count; i++) {
        stage_program_release(&course->lessons[i].program);
        warden_outcome_release(&course->lessons[i].outcome);
    }
    free(course->lessons);
    base_buf_release(&course->input);
    policy_release(&course->policy);
}

#define FILE_MAX_BYTES (64u << 20) /* also what the default scratch holds */

static int load_programs(struct course *course, const char *const *files, struct base_err *err)
{
    size_t count = 0;
    int r = 0;

    while (files[count])
        count++;
    if (count == 0)
        return cli_options_err(&syntax, err, "FILE is missing; it stands after --");
    course->lessons = calloc(count, sizeof(*course->lessons));
    if (!course->lessons)
        return base_err_set(err, BASE_E_NOMEM, "policy learn", "out of memory");
    for (; r >= 0 && course->count < count; course->count++) {
        struct stage_program *program = &course->lessons[course->count].program;
        r = stage_program_load(files[course->count], course->values.runtime, FILE_MAX_BYTES, program, err);
        if (r < 0)
            return r;
        r = stage_runtime_check(program->runtime, err);
    }
    return r;
}

static int prepare(struct course *course, const char *const *files, struct base_err *err)
{
    const struct values *values = &course->values;
    const struct cli_choice choice = {.policy = values->policy, .if_available = values->if_available};
    int r = cli_choose_policy(&choice, &course->policy, err);

    if (r >= 0 && values->name && (!*values->name || strlen(values->name) >= sizeof(course->policy.name)))
        return cli_options_err(&syntax, err, "--name must have 1 to %zu bytes", sizeof(course->policy.name) - 1);
    if (r >= 0 && values->name && policy_profile_is_taken(values->name))
        return cli_options_err(&syntax, err, "--name %s is taken by a built-in profile", values->name);
    if (r >= 0 && values->out)
        r = cli_say_usage_if_unwritable(base_place_check(values->out, err), err);
    if (r >= 0 && values->stdin_path)
        r = cli_say_usage_if_missing(base_file_read(values->stdin_path, FILE_MAX_BYTES, &course->input, err), err);
    return r < 0 ? r : load_programs(course, files, err);
}

/* --- running --- */

static int run_one(const struct course *course, const struct lesson *lesson, const struct policy *policy, bool learn,
                   struct warden_outcome *ret_outcome, struct base_err *err)
{
    const struct run_request request = {
        .policy = policy,
        .program = &lesson->program,
        .stdin_fd = -1,
        .stdin_bytes = course->input.bytes ? course->input.bytes : "",
        .stdin_count = course->input.count,
        .learn = learn,
        .stdout_fd = -1,
        .stderr_fd = -1,
    };
    int r = run_execute(&request, ret_outcome, err);

    if (r == 0 && ret_outcome->error.code) {
        *err = ret_outcome->error;
        r = err->code;
    }
    return r;
}

/* "exited with 3", "ended by signal 9", "limit (wall)" */
static const char *ending_text(const struct warden_outcome *outcome, const struct policy *policy, char *text,
                               size_t text_bytes)
{
    char name[96];

    if (outcome->ending == WARDEN_EXITED)
        (void)snprintf(text, text_bytes, "exited with %d", outcome->exit_code);
    else if (outcome->ending == WARDEN_SIGNALED)
        (void)snprintf(text, text_bytes, "was ended by signal %s",
                       base_signal_text(outcome->signal, name, sizeof(name)));
    else if (outcome->ending == WARDEN_LIMIT)
        (void)snprintf(text, text_bytes, "was ended by the %s", warden_limit_text(outcome, policy, name, sizeof(name)));
    else
        (void)snprintf(text, text_bytes, "ended as %s", warden_ending_name(outcome->ending));
    return text;
}

static int learn_one(const struct course *course, struct lesson *lesson, struct cage_numbers *learned,
                     struct base_err *err)
{
    const struct warden_outcome *outcome = &lesson->outcome;
    char text[128];
    int r = run_one(course, lesson, &course->policy, true, &lesson->outcome, err);

    if (r < 0)
        return r;
    if (outcome->ending != WARDEN_EXITED || outcome->exit_code != 0) {
        (void)base_err_set(err, BASE_E_INVALID, lesson->program.name, "%s while learning",
                           ending_text(outcome, &course->policy, text, sizeof(text)));
        return base_err_remedy(err, "learn from programs that end with 0 under fumehood run");
    }
    for (size_t i = 0; i < ARRAY_COUNT(learned->bits); i++)
        learned->bits[i] |= outcome->learned.bits[i];
    return 0;
}

/* Denials that were there before count for nothing: a good program may try and cope. */
static const struct warden_denial *new_denial(const struct warden_outcome *before, const struct warden_outcome *now)
{
    for (unsigned i = 0; i < now->denial_count; i++) {
        bool known = false;
        for (unsigned j = 0; j < before->denial_count; j++)
            known = known || strcmp(warden_outcome_denials(before)[j].what, warden_outcome_denials(now)[i].what) == 0;
        if (!known)
            return &warden_outcome_denials(now)[i];
    }
    return NULL;
}

static int verify_one(const struct course *course, const struct lesson *lesson, const struct policy *policy,
                      struct base_err *err)
{
    AUTO_OUTCOME struct warden_outcome outcome = {0};
    const struct warden_denial *denial;
    char text[128];
    int r = run_one(course, lesson, policy, false, &outcome, err);

    if (r < 0)
        return r;
    denial = new_denial(&lesson->outcome, &outcome);
    if (denial)
        (void)base_err_set(err, BASE_E_INVALID, lesson->program.name, "was denied %s when it ran again", denial->what);
    else if (outcome.ending != WARDEN_EXITED || outcome.exit_code != 0)
        (void)base_err_set(err, BASE_E_INVALID, lesson->program.name, "%s when it ran again",
                           ending_text(&outcome, policy, text, sizeof(text)));
    else
        return 0;
    return base_err_remedy(err, "it does not always do the same: give it more than once, or a --stdin that decides");
}

/* --- the policy --- */

static void narrow(struct policy *policy, const char *name, const struct cage_numbers *learned)
{
    struct policy_syscalls syscalls = {.narrowed = true};

    (void)snprintf(policy->name, sizeof(policy->name), "%s", name);
    (void)snprintf(syscalls.name, sizeof(syscalls.name), "%s", name);
    for (unsigned i = 0; i < cage_call_count; i++)
        if (cage_numbers_has(learned, cage_calls[i].nr))
            policy_set_add(&syscalls.calls, (unsigned)policy_call_find(cage_calls[i].name));
    policy->syscalls = syscalls;
}

static int give(const struct course *course, const struct policy *policy, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    int r = cli_policy_text(policy, &text, err);

    if (r < 0)
        return r;
    if (course->values.out)
        return base_place_replace(course->values.out, text.bytes, text.count, err);
    cli_say_visible(stdout, text.bytes, text.count);
    return cli_say_flush(err);
}

static int learn(struct course *course, struct base_err *err)
{
    struct cage_numbers learned = {0};
    struct policy policy = course->policy; /* borrows the environment */
    int r = 0;

    for (size_t i = 0; r >= 0 && i < course->count; i++)
        r = learn_one(course, &course->lessons[i], &learned, err);
    if (r < 0)
        return r;
    cage_learned_complete(&learned);
    narrow(&policy, course->values.name ? course->values.name : "learned", &learned);
    for (size_t i = 0; r >= 0 && i < course->count; i++)
        r = verify_one(course, &course->lessons[i], &policy, err);
    return r < 0 ? r : give(course, &policy, err);
}

int cli_policy_learn(int argc, char **argv)
{
    CLEANUP(course_release) struct course course = {.input.max = FILE_MAX_BYTES};
    struct cli_operands operands;
    struct base_err err;
    int r = cli_options_parse(&syntax, argc, argv, &course.values, &operands, &err);

    if (r == 1)
        return cli_say_end(0);
    if (r >= 0)
        r = prepare(&course, operands.args, &err);
    if (r < 0)
        return cli_say_error_view(&err);
    r = learn(&course, &err);
    run_release();
    if (r != BASE_E_INVALID)
        return r < 0 ? cli_say_error(&err) : 0;
    (void)cli_say_error(&err);
    return 1;
}
