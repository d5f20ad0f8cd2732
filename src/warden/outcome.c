/* outcome.c - words and memory of an outcome */
#include "warden/outcome.h"
#include "base/units.h"
#include <stdio.h>

const struct warden_denial *warden_outcome_denials(const struct warden_outcome *outcome)
{
    return (const struct warden_denial *)(const void *)outcome->denials.bytes;
}

int warden_outcome_add_denial(struct warden_outcome *outcome, const struct warden_denial *denial)
{
    int r = base_buf_append(&outcome->denials, denial, sizeof(*denial));

    if (r == 0)
        outcome->denial_count++;
    return r;
}

void warden_outcome_release(struct warden_outcome *outcome)
{
    base_buf_release(&outcome->denials);
    base_buf_release(&outcome->out.kept);
    base_buf_release(&outcome->err.kept);
    base_buf_release(&outcome->mark);
    base_buf_release(&outcome->observed);
}

const char *warden_ending_name(enum warden_ending ending)
{
    static const char *const names[WARDEN_ENDING_MAX] = {
        "exited", "signaled", "limit", "denied", "cancelled", "setup-error", "lost",
    };

    return ending < WARDEN_ENDING_MAX ? names[ending] : NULL;
}

const char *warden_limit_name(enum warden_limit limit)
{
    static const char *const names[WARDEN_LIMIT_MAX] = {
        NULL, "wall", "cpu", "idle", "memory", "processes", "output", "disk", "open_files", "input",
    };

    return limit < WARDEN_LIMIT_MAX ? names[limit] : NULL;
}

static bool is_over(const struct warden_stream *stream, const struct policy_limit *limit)
{
    return !limit->unlimited && stream->bytes > limit->value;
}

static bool has_hits(const struct warden_outcome *outcome, enum policy_limit_key key)
{
    return outcome->limits[key].hits != WARDEN_UNKNOWN && outcome->limits[key].hits > 0;
}

static enum policy_limit_key output_key(const struct warden_outcome *outcome, const struct policy *policy)
{
    bool is_err = !is_over(&outcome->out, &policy->limits[POLICY_LIMIT_STDOUT_BYTES]) &&
                  is_over(&outcome->err, &policy->limits[POLICY_LIMIT_STDERR_BYTES]);

    return is_err ? POLICY_LIMIT_STDERR_BYTES : POLICY_LIMIT_STDOUT_BYTES;
}

static enum policy_limit_key disk_key(const struct warden_outcome *outcome)
{
    if (has_hits(outcome, POLICY_LIMIT_SCRATCH_BYTES))
        return POLICY_LIMIT_SCRATCH_BYTES;
    return has_hits(outcome, POLICY_LIMIT_SCRATCH_INODES) ? POLICY_LIMIT_SCRATCH_INODES : POLICY_LIMIT_FILE_BYTES;
}

enum policy_limit_key warden_limit_key(const struct warden_outcome *outcome, const struct policy *policy)
{
    switch (outcome->ending == WARDEN_LIMIT ? outcome->limit : WARDEN_LIMIT_NONE) {
    case WARDEN_LIMIT_WALL:
        return POLICY_LIMIT_WALL_MS;
    case WARDEN_LIMIT_CPU:
        return POLICY_LIMIT_CPU_MS;
    case WARDEN_LIMIT_IDLE:
        return POLICY_LIMIT_IDLE_MS;
    case WARDEN_LIMIT_MEMORY:
        return POLICY_LIMIT_MEMORY_BYTES;
    case WARDEN_LIMIT_PROCESSES:
        return POLICY_LIMIT_PROCESSES;
    case WARDEN_LIMIT_OUTPUT:
        return output_key(outcome, policy);
    case WARDEN_LIMIT_DISK:
        return disk_key(outcome);
    case WARDEN_LIMIT_OPEN_FILES:
        return POLICY_LIMIT_OPEN_FILES;
    case WARDEN_LIMIT_INPUT:
        return POLICY_LIMIT_STDIN_BYTES;
    case WARDEN_LIMIT_NONE:
    case WARDEN_LIMIT_MAX:
        break;
    }
    return POLICY_LIMIT_MAX;
}

/* Where one word of an ending stands for several limits: which. */
static const char *limit_where(enum policy_limit_key key)
{
    static const char *const where[POLICY_LIMIT_MAX + 1] = {
        [POLICY_LIMIT_STDOUT_BYTES] = " on stdout",          [POLICY_LIMIT_STDERR_BYTES] = " on stderr",
        [POLICY_LIMIT_SCRATCH_BYTES] = " for all its files", [POLICY_LIMIT_SCRATCH_INODES] = " files",
        [POLICY_LIMIT_FILE_BYTES] = " for one file",
    };

    return where[key] ? where[key] : "";
}

const char *warden_limit_text(const struct warden_outcome *outcome, const struct policy *policy, char *text,
                              size_t text_bytes)
{
    enum policy_limit_key key = warden_limit_key(outcome, policy);
    const char *word = warden_limit_name(outcome->limit);
    bool known = key != POLICY_LIMIT_MAX && !policy->limits[key].unlimited;
    char value[32] = "";

    if (known)
        base_units_text(policy->limits[key].value, policy_limit_unit(key), value, sizeof(value));
    (void)snprintf(text, text_bytes, "%s limit%s%s%s", word ? word : "unknown", known ? " of " : "", value,
                   limit_where(key));
    return text;
}
