/* launch.h - inside the room: start a process in a chosen state */
#pragma once

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A descriptor that the new process has under a number of its own. */
struct drill_gift {
    int fd, at;
};
#define DRILL_GIFTS_MAX 8

struct drill_launch {
    const char *path;
    char *const *argv;
    char *const *envp;
    const char *folder;                       /* to start in; NULL: ours */
    int stdin_fd, stdout_fd, stderr_fd;       /* -1: /dev/null */
    struct drill_gift gifts[DRILL_GIFTS_MAX]; /* all others are closed */
    unsigned gift_count;
    bool session;     /* a session of its own */
    bool group;       /* a process group of its own; in the foreground where stdin is a terminal */
    bool terminal;    /* with session: stdin_fd becomes its controlling terminal */
    bool odd_signals; /* SIGCHLD and SIGPIPE ignored, every signal blocked */
    bool bounded;     /* hard resource limits, for what runs outside a cage */
    unsigned pace;    /* with bounded: how many times its processor time; 0 is 1 */
};

/* Start it; it is killed when we end. The caller must be single-threaded. */
int drill_launch(const struct drill_launch *launch, pid_t *ret_pid, struct base_err *err);

/* The fork's part: become that process, or end with status 127. */
void drill_launch_become(const struct drill_launch *launch, pid_t parent) __attribute__((noreturn));
