/* run_end.c - what fumehood run says and returns when the run is over */

#include "front/cli/run_end.h"
#include "base/cleanup.h"
#include "base/signals.h"
#include "base/units.h"
#include "front/cli/say.h"
#include "run/run.h"
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATUS_TIME        124
#define STATUS_MEMORY      137
#define STATUS_OTHER_LIMIT 122
#define STATUS_REFUSED     126
#define STATUS_LOST        125

static int limit_status(enum warden_limit limit)
{
    static const unsigned char statuses[WARDEN_LIMIT_MAX] = {
        [WARDEN_LIMIT_WALL] = STATUS_TIME,
        [WARDEN_LIMIT_CPU] = STATUS_TIME,
        [WARDEN_LIMIT_IDLE] = STATUS_TIME,
        [WARDEN_LIMIT_MEMORY] = STATUS_MEMORY,
    };
    return limit < WARDEN_LIMIT_MAX && statuses[limit] ? statuses[limit] : STATUS_OTHER_LIMIT;
}

static int failure_status(const struct warden_outcome *outcome)
{
    return outcome->error.code ? base_err_status(outcome->error.code) : STATUS_LOST;
}

/* Ended from outside: by a signal to us, by the emergency stop, or (as SIGPIPE) because nobody reads its output. */
static int cancelled_status(const struct warden_outcome *outcome)
{
    if (outcome->signal)
        return 128 + outcome->signal;
    return run_check_stop(NULL) < 0 ? STATUS_REFUSED : STATUS_LOST;
}

int cli_run_end_status(const struct warden_outcome *outcome)
{
    switch (outcome->ending) {
    case WARDEN_EXITED:
        return outcome->exit_code;
    case WARDEN_SIGNALED:
        return 128 + outcome->signal;
    case WARDEN_LIMIT:
        return limit_status(outcome->limit);
    case WARDEN_DENIED:
        return STATUS_REFUSED;
    case WARDEN_CANCELLED:
        return cancelled_status(outcome);
    case WARDEN_SETUP_ERROR:
    case WARDEN_LOST:
        return failure_status(outcome);
    case WARDEN_ENDING_MAX:
        break;
    }
    return STATUS_LOST;
}

static bool is_within(const struct policy_limit *limit, const struct policy_limit *other)
{
    return !limit->unlimited && (other->unlimited || limit->value <= other->value);
}

/* A file is bounded twice: who raises one limit alone would meet the other. */
static const char *next_limit(const struct policy *policy, enum policy_limit_key key)
{
    const struct policy_limit *file = &policy->limits[POLICY_LIMIT_FILE_BYTES];
    const struct policy_limit *scratch = &policy->limits[POLICY_LIMIT_SCRATCH_BYTES];

    if (key == POLICY_LIMIT_SCRATCH_BYTES && is_within(file, scratch))
        return "; of one file: --limit file_bytes=SIZE";
    if (key == POLICY_LIMIT_FILE_BYTES && is_within(scratch, file))
        return "; of all files: --limit scratch_bytes=SIZE";
    return "";
}

const char *cli_run_end_text(const struct warden_outcome *outcome, const struct policy *policy, char *text,
                             size_t text_bytes)
{
    static const char *const forms[] = {
        [BASE_UNIT_COUNT] = "NUMBER", [BASE_UNIT_BYTES] = "SIZE", [BASE_UNIT_MS] = "TIME"};
    enum policy_limit_key key = warden_limit_key(outcome, policy);
    char limit[96], option[112] = "";

    if (key != POLICY_LIMIT_MAX)
        (void)snprintf(option, sizeof(option), " (to change it: --limit %s=%s%s)", policy_limit_name(key),
                       forms[policy_limit_unit(key)], next_limit(policy, key));
    (void)snprintf(text, text_bytes, "ended by the %s%s", warden_limit_text(outcome, policy, limit, sizeof(limit)),
                   option);
    return text;
}

static void say_limit(const struct warden_outcome *outcome, const struct policy *policy)
{
    char text[256];

    cli_say_note("%s", cli_run_end_text(outcome, policy, text, sizeof(text)));
}

/* A kill would also be the sign of a limit that is kept by killing: here it is known to be none. */
static void say_signal(const struct warden_outcome *outcome, const struct policy *policy)
{
    bool may_be_stack = outcome->signal == SIGSEGV && !policy->limits[POLICY_LIMIT_STACK_BYTES].unlimited;
    char name[32];

    cli_say_note("the program was ended by signal %s%s%s", base_signal_text(outcome->signal, name, sizeof(name)),
                 outcome->signal == SIGKILL ? ", and by no limit of its cage" : "",
                 may_be_stack ? " (a deep recursion? --limit stack_bytes=SIZE)" : "");
}

/* The first few by name, the rest as a number. */
static void say_denials(const struct warden_outcome *outcome)
{
    AUTO_BUF struct base_buf text = {.max = 4096};
    uint64_t unnamed = outcome->denials_unlisted;

    for (unsigned i = 0; i < outcome->denial_count; i++) {
        const struct warden_denial *denial = &warden_outcome_denials(outcome)[i];
        if (text.count > 600)
            unnamed += denial->count;
        else if (base_buf_printf(&text, "%s%s %llu time%s", text.count ? ", " : "", denial->what,
                                 (unsigned long long)denial->count, denial->count == 1 ? "" : "s") < 0)
            return;
    }
    if (unnamed > 0)
        (void)base_buf_printf(&text, "%s%llu more", text.count ? ", " : "", (unsigned long long)unnamed);
    if (text.count)
        cli_say_note("denied: %s", text.bytes);
}

static bool is_one_place(int a, int b)
{
    struct stat one, other;

    if (isatty(a) && isatty(b))
        return true;
    return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Where our line goes, the guest's last one may be unfinished: what it wrote to stdout counts where both go there. */
static bool is_line_open(const struct warden_outcome *outcome)
{
    const struct warden_stream *last = &outcome->err;

    if (outcome->out.passed_turn > last->passed_turn && is_one_place(STDOUT_FILENO, STDERR_FILENO))
        last = &outcome->out;
    return last->passed_turn > 0 && last->passed_last != '\n';
}

void cli_run_end_say(const struct warden_outcome *outcome, const struct policy *policy)
{
    if (is_line_open(outcome))
        cli_say_line_is_open();
    if (outcome->error.code)
        (void)cli_say_error(&outcome->error); /* its status comes with the ending */
    if (outcome->ending == WARDEN_SIGNALED)
        say_signal(outcome, policy);
    if (outcome->ending == WARDEN_LIMIT)
        say_limit(outcome, policy);
    if (outcome->ending == WARDEN_DENIED)
        cli_say_note("ended %s, as the policy says (to change it: the policy's denials)", outcome->detail);
    if (outcome->ending == WARDEN_CANCELLED)
        cli_say_note("cancelled%s%s", *outcome->detail ? ": " : "", outcome->detail);
    if (outcome->denial_count || outcome->denials_unlisted)
        say_denials(outcome);
}
