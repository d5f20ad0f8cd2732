/* warden.h - the supervisor of one run: starts the cage, holds the clocks and the pipes, ends it, proves it gone */
#pragma once

#include "cage/cage.h"
#include "warden/outcome.h"

struct warden_job {
    const struct cage_host *host;
    const struct cage_plan *plan;
    const struct cage_slot *slot;
    struct cage *cage; /* made before, and used up; NULL or CAGE_NONE: it is made now */
    const struct cage_file *files;
    size_t file_count;
    char *const *argv;
    char *const *envp;
    int stdin_fd; /* -1: stdin_bytes */
    const void *stdin_bytes;
    size_t stdin_count;
    bool learn;
    bool mark;
    int stdout_fd, stderr_fd; /* -1: only capture */
    /* Asked about twenty times a second; a non-empty clause ends the run as cancelled. May be NULL. */
    const char *(*should_stop)(void);
    /* Called once, when the guest is on its way; short work that needs no outcome. May be NULL. */
    void (*meanwhile)(void *argument);
    void *meanwhile_argument;
};

/* Run it to its end. Returns 0 with the outcome filled, whatever the ending (also SETUP_ERROR and LOST). SIGINT,
 * SIGTERM and SIGHUP that arrive meanwhile end the run as cancelled and are used up. Single-threaded callers only. */
int warden_run(const struct warden_job *job, struct warden_outcome *ret_outcome, struct base_err *err);
