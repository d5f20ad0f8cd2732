/* outcome.h - everything that is known about one run when it is over
 *
 * A plain value apart from four buffers, so that it can cross a process boundary. Facts come from the kernel and from
 * the warden's own record; nothing in it is parsed from what the guest wrote.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "cage/filter.h"
#include "policy/policy.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum warden_ending {
    WARDEN_EXITED,
    WARDEN_SIGNALED,
    WARDEN_LIMIT,
    WARDEN_DENIED,
    WARDEN_CANCELLED,
    WARDEN_SETUP_ERROR,
    WARDEN_LOST,
    WARDEN_ENDING_MAX
};

/* The words of ending.limit in the contract. */
enum warden_limit {
    WARDEN_LIMIT_NONE,
    WARDEN_LIMIT_WALL,
    WARDEN_LIMIT_CPU,
    WARDEN_LIMIT_IDLE,
    WARDEN_LIMIT_MEMORY,
    WARDEN_LIMIT_PROCESSES,
    WARDEN_LIMIT_OUTPUT,
    WARDEN_LIMIT_DISK,
    WARDEN_LIMIT_OPEN_FILES,
    WARDEN_LIMIT_INPUT,
    WARDEN_LIMIT_MAX
};

struct warden_stream {
    uint64_t bytes; /* all that the guest wrote before it was stopped */
    bool truncated; /* more was written than kept */
    char sha256[BASE_HASH_HEX];
    struct base_buf kept;
    uint64_t passed_turn; /* the turn of the last byte that was passed on, counted over both streams; 0: none was */
    char passed_last;     /* that byte */
};

struct warden_denial {
    char class_name[16]; /* syscall network process filesystem device privilege */
    char what[48];       /* "socket(AF_INET)" */
    uint64_t count;
    uint64_t first_us; /* since the guest's start */
};

/* What the guest was after, under observe: its claim. */
struct warden_sight {
    uint64_t count;
    char seen[8]; /* tried missing refused */
    bool is_exec; /* else a file */
    bool is_cut;  /* the path was longer */
    char path[257];
};

/* Absent is not zero: a counter that the machine could not give is WARDEN_UNKNOWN. */
#define WARDEN_UNKNOWN UINT64_MAX

struct warden_outcome {
    char run_id[33];
    char started_utc[32];
    enum warden_ending ending;
    int exit_code; /* EXITED */
    int signal; /* SIGNALED: what killed the guest; CANCELLED: what the supervisor was sent, SIGPIPE where the reader of
                   its output went away, else 0 */
    enum warden_limit limit; /* LIMIT */
    char detail[256];        /* a clause for people; empty when there is nothing to add */
    struct base_err error;   /* SETUP_ERROR and LOST: what went wrong; code 0 otherwise */

    uint64_t protections_requested, protections_achieved, protections_missing; /* bits by CAGE_STEP_* */
    int landlock_abi; /* by which that wall was put up; 0: it was not */
    struct {
        char enforced_by[24]; /* "cgroup-v1", "rlimit", "supervisor", "tmpfs", "none" (only with _if_available) */
        uint64_t hits;        /* times that the kernel said no; WARDEN_UNKNOWN where it does not count */
        uint64_t in_force;    /* what the starter was limited to, where that is less; 0: it is not */
    } limits[POLICY_LIMIT_MAX];

    struct {
        char manager[8]; /* "v1", "v2", "none" */
        char base[16];   /* where they are: cage_base_name() */
        char unit[128];  /* v2: systemd's name of what that is in; empty: of nothing of its */
    } groups;

    struct base_buf denials; /* of struct warden_denial: see warden_outcome_denials() */
    unsigned denial_count;
    uint64_t denials_unlisted; /* attempts beyond the table */

    struct base_buf observed; /* struct warden_sight, one after the other */
    uint64_t observed_unlisted, observed_unread;

    struct cage_numbers learned; /* what it called and was not denied; under learn only */
    uint64_t settings;           /* rows of settings.def that it was shown */

    uint64_t wall_us, cpu_us, memory_peak_bytes, processes_peak, scratch_peak_bytes;
    struct warden_stream out, err;
    struct base_buf mark; /* what came on the private descriptor, as far as value_bytes keeps it */
    bool mark_truncated;

    bool is_kept;      /* its cage was made by a keeper, in a slot that serves many runs */
    bool from_zygote;  /* it was forked by an interpreter that stood ready */
    char cold_why[96]; /* why it was not, where there could be one */
    struct {
        unsigned number; /* all the same where slots have no ids or groups of their own */
        pid_t keeper;
        unsigned runs; /* that the keeper has served, with this one */
    } slot;
    struct { /* complete when the run is settled */
        unsigned processes_left, cgroups_left, mounts_left, files_left;
        uint64_t us;
        char slot_why[64]; /* why the slot does not serve again; empty: it was proved clean, or there is none */
    } teardown;
};
/* Whatever the limit, all of a stream is counted and hashed, and no more than this is kept: it stands in our memory,
 * and in the receipt. */
#define WARDEN_KEEP_MAX_BYTES (UINT64_C(8) << 20)
/* What the line of a value has beyond it: less than this. */
#define WARDEN_MARK_LINE_BYTES 256u

/* The denied attempts, denial_count of them. */
const struct warden_denial *warden_outcome_denials(const struct warden_outcome *outcome);

/* Add one. BASE_E_NOMEM. */
int warden_outcome_add_denial(struct warden_outcome *outcome, const struct warden_denial *denial);

void warden_outcome_release(struct warden_outcome *outcome);
#define AUTO_OUTCOME CLEANUP(warden_outcome_release)

const char *warden_ending_name(enum warden_ending ending); /* "exited", ... "setup-error", "lost" */
const char *warden_limit_name(enum warden_limit limit);    /* "wall", ...; NULL for NONE */

/* The key of the policy's limit that ended a run under @policy; POLICY_LIMIT_MAX where none did. */
enum policy_limit_key warden_limit_key(const struct warden_outcome *outcome, const struct policy *policy);

/* "wall limit of 10s", "output limit of 1MiB on stdout": what ended it, and how much that is. Returns @text. */
const char *warden_limit_text(const struct warden_outcome *outcome, const struct policy *policy, char *text,
                              size_t text_bytes);
