/* warden.h - the supervisor of one run: starts the cage, holds the clocks and the pipes, ends it, proves it gone */
#pragma once

#include "cage/cage.h"
#include "warden/outcome.h"

struct warden_job {
    const struct cage_host *host;
    const struct cage_plan *plan;
    const struct cage_slot *slot;
    struct cage *cage;              /* made before, and used up; NULL or CAGE_NONE: it is made now */
    const struct base_err *no_cage; /* not NULL: a slot has none to give, for this reason: a SETUP_ERROR */
    const struct cage_file *files;
    size_t file_count;
    char *const *argv;
    char *const *envp;
    int stdin_fd; /* -1: stdin_bytes */
    const void *stdin_bytes;
    size_t stdin_count;
    bool learn;
    bool from_zygote; /* see cage_guest */
    bool mark;
    bool interrupts; /* at a limit of time the guest is interrupted first, and has a moment to write what it holds back
                      */
    int stdout_fd, stderr_fd; /* -1: only capture */
    /* Asked about twenty times a second; a non-empty clause ends the run as cancelled. May be NULL. */
    const char *(*should_stop)(void);
    /* Called once, when the guest is on its way; short work that needs no outcome. May be NULL. */
    void (*meanwhile)(void *argument);
    void *meanwhile_argument;
};

/* What is still to be torn down of a run whose end is known. */
struct warden_rest {
    struct cage cage;
    uint64_t from_us; /* when the end came */
    bool is_stuck;    /* it cannot be killed */
};
#define WARDEN_REST_NONE                                                                                               \
    {                                                                                                                  \
        .cage = CAGE_NONE                                                                                              \
    }

/* Run it to its end. Returns 0 with the outcome filled but for its teardown, whatever the ending (also SETUP_ERROR and
 * LOST): the guest and all that it started are dead, or known not to die. Either way *ret_rest is to be settled.
 * A signal that arrives meanwhile and would end this process (base/signals.h) ends the run as cancelled and is used up.
 * Single-threaded callers only. */
int warden_run(const struct warden_job *job, struct warden_rest *ret_rest, struct warden_outcome *ret_outcome,
               struct base_err *err);

/* Wait for the end of all that is left of the cage, remove or prove clean what held it, and complete @outcome. Does
 * nothing to what is settled already. */
void warden_settle(struct warden_rest *rest, struct warden_outcome *outcome);
