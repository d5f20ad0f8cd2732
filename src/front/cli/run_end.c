/* run_end.c - what fumehood run says and returns when the run is over */

#include "front/cli/run_end.h"
#include "base/cleanup.h"
#include "front/cli/say.h"
#include "run/run.h"
#include <stdio.h>
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

/* The policy key that a limit word stands for; POLICY_LIMIT_MAX where it may be one of several. */
static enum policy_limit_key limit_key(enum warden_limit limit)
{
    static const struct {
        enum warden_limit limit;
        enum policy_limit_key key;
    } keys[] = {
        {WARDEN_LIMIT_WALL, POLICY_LIMIT_WALL_MS},        {WARDEN_LIMIT_CPU, POLICY_LIMIT_CPU_MS},
        {WARDEN_LIMIT_IDLE, POLICY_LIMIT_IDLE_MS},        {WARDEN_LIMIT_MEMORY, POLICY_LIMIT_MEMORY_BYTES},
        {WARDEN_LIMIT_PROCESSES, POLICY_LIMIT_PROCESSES}, {WARDEN_LIMIT_OPEN_FILES, POLICY_LIMIT_OPEN_FILES},
        {WARDEN_LIMIT_INPUT, POLICY_LIMIT_STDIN_BYTES},
    };
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        if (keys[i].limit == limit)
            return keys[i].key;
    return POLICY_LIMIT_MAX;
}

static void say_limit(const struct warden_outcome *outcome, const struct policy *policy)
{
    enum policy_limit_key key = limit_key(outcome->limit);
    const char *word = warden_limit_name(outcome->limit);
    const char *detail = outcome->detail;
    char value[32] = "";

    if (key != POLICY_LIMIT_MAX && !policy->limits[key].unlimited)
        base_units_text(policy->limits[key].value, policy_limit_unit(key), value, sizeof(value));
    cli_say_note("ended by the %s limit%s%s%s%s", word ? word : "unknown", *value ? " of " : "", value,
                 *detail ? ": " : "", detail);
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

void cli_run_end_say(const struct warden_outcome *outcome, const struct policy *policy)
{
    size_t written = outcome->err.kept.count;

    /* on a terminal a line of ours must not be glued to an unfinished one of the guest; a file stays byte-exact */
    if (written && outcome->err.kept.bytes[written - 1] != '\n' && isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (outcome->ending == WARDEN_LIMIT)
        say_limit(outcome, policy);
    if (outcome->ending == WARDEN_DENIED)
        cli_say_note("ended %s, as the policy says", outcome->detail);
    if (outcome->ending == WARDEN_CANCELLED)
        cli_say_note("cancelled%s%s", *outcome->detail ? ": " : "", outcome->detail);
    if (outcome->denial_count || outcome->denials_unlisted)
        say_denials(outcome);
}
