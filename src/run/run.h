/* run.h - the one place where the rooms meet: policy + program -> outcome
 *
 * run_execute() blocks until the cage is gone. It may be called again and again in one process, one call at a time; it
 * forks, so the process must be single-threaded and small. A signal that arrives during a call and would end
 * the process ends the run instead, as `cancelled`.
 */
#pragma once

#include "policy/policy.h"
#include "stage/stage.h"
#include "warden/outcome.h"
#include <jansson.h>

/* What is made for a run, and what stood ready. */
enum run_cage {
    RUN_CAGE_FRESH,  /* everything is made for this run */
    RUN_CAGE_SLOT,   /* in a slot that serves many runs */
    RUN_CAGE_ZYGOTE, /* there, and a fork of an interpreter that stands ready, where there is one for the program */
    RUN_CAGE_MAX
};
const char *run_cage_name(enum run_cage cage);                 /* "fresh", "slot", "zygote" */
bool run_cage_find(const char *name, enum run_cage *ret_cage); /* false for another name */

/* A run's teardown is proved, or known to have failed: @outcome, which run_execute() has filled before, is complete. */
typedef void run_settled(void *argument, struct warden_outcome *outcome);

struct run_request {
    const struct policy *policy;         /* borrowed, like everything here */
    const struct stage_program *program; /* name, bytes, runtime */
    const char *const *args;             /* after the program's name; NULL-terminated, or NULL */
    const struct stage_file *files;      /* further files below /work */
    size_t file_count;
    int stdin_fd; /* -1: take stdin_bytes */
    const void *stdin_bytes;
    size_t stdin_count;
    bool learn;               /* note every system call: outcome.learned */
    bool mark;                /* give the guest a private descriptor 3 to write to */
    int stdout_fd, stderr_fd; /* also pass output through as it comes; -1: only capture */
    enum run_cage cage;       /* where it runs */
    run_settled *settled;     /* not NULL: return when the end is known; see run_settle() */
    void *settled_argument;
    struct run_common *common;   /* NULL, or what its receipt has in common with others */
    size_t receipt_stream_bytes; /* of each stream its receipt has no more, and says so; 0: all that was kept */
    json_t **receipt_draft;      /* not NULL: while the guest runs, the receipt is begun here, for run_receipt() */
};

/* Take the place where control groups are for this process and all that it starts from now on: whoever starts workers
 * does it first. Where there is none, each of them says so. run_release() gives it up. */
void run_take_groups(void);

/* Begin to build the cage of the next run, which goes on by itself while the caller reads policy and program. Nothing
 * depends on it: what fails here fails again in run_execute(), and is to be reported there, as is the emergency stop.
 */
int run_prepare(struct base_err *err);

/* Give up what run_prepare() and run_execute() keep for the next run: at the end of the process. */
void run_release(void);

/* A run that could be started, however it ended, returns 0 with *ret_outcome filled (release it); with
 * `request->settled` all of it but teardown, and the guest and all that it started are dead. A run that could not
 * be set up also returns 0, with ending SETUP_ERROR; one that was refused (policy, tier, emergency stop, a limit that
 * cannot be enforced) returns BASE_E_REFUSED, and nothing was started. */
int run_execute(const struct run_request *request, struct warden_outcome *ret_outcome, struct base_err *err);

/* What program and input files may have together: they must fit into the scratch, and into our memory (256 MiB). */
uint64_t run_staged_max_bytes(const struct policy *policy);

/* What is left of it beside these. */
uint64_t run_staged_left_bytes(const struct policy *policy, const struct stage_program *program,
                               const struct stage_file *files, size_t file_count);

/* BASE_E_TOO_LARGE where they have more. run_execute() asks it of every run before anything starts; whoever reads or
 * sends them can ask before. */
int run_staged_check(const struct policy *policy, const struct stage_program *program, const struct stage_file *files,
                     size_t file_count, struct base_err *err);

/* Say how to mend it where @code is BASE_E_TOO_LARGE because of run_staged_max_bytes(). Returns @code. */
int run_staged_remedy(const struct policy *policy, int code, struct base_err *err);

/* Complete the outcome of the last run that was to return when its end was known, and call its `settled`. The next
 * run_execute() does so too, at the latest while its guest runs, and run_release(). The outcome must live until then.
 */
void run_settle(void);

/* The receipt of the run as JSON ("fumehood.receipt/1"), every field of the contract but previous_sha256 and sha256,
 * which receipt_seal() adds. New reference. A draft is used up. */
int run_receipt(const struct run_request *request, const struct warden_outcome *outcome, json_t **ret_receipt,
                struct base_err *err);

/* What receipts under one policy have in common is made once for all requests that name it: half the work of a receipt.
 * Values of such receipts are shared, and must not be changed. For one thread at a time. NULL without memory, and then
 * as good to name. */
struct run_common *run_common_new(void);
void run_common_free(struct run_common *common);

/* {"kernel", "cpu", "cpus", "load_1min"} of this machine. New reference. */
json_t *run_environment(void);

/* Whether a run under @policy would be refused on this machine now; starts nothing, and makes no
 * more than run_take_groups() does. */
int run_check(const struct policy *policy, struct base_err *err);

/* Refused when the emergency stop is set: BASE_E_REFUSED with its reason. */
int run_check_stop(struct base_err *err);

/* Set and clear the emergency stop of this user (root: of the machine). */
int run_stop_set(const char *why, struct base_err *err);
int run_stop_clear(struct base_err *err);
