/* outcome.c - words and memory of an outcome */
#include "warden/outcome.h"

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
