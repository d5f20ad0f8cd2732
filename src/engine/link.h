/* link.h - one worker as whoever started it has it
 *
 * A worker is started by exec, so that it is small whatever starts it, and its start costs no copy of that. It has at
 * most one job that runs, and beside it some whose verdict is known while their cages are still being cleared away.
 * A worker that dies is replaced with the next job. Of its open jobs one that it did not begin can be given to another;
 * of the others it is told what it still said, else they are lost.
 *
 * No function here is safe to be called by two threads for one link at a time, but for two links it is. A process that
 * was forked from the one that started a link must not use it.
 */
#pragma once

#include "engine/wire.h"
#include <sys/types.h>

/* What all workers of a pool are started with. */
struct engine_start {
    char *program; /* owned */
    struct base_buf policy;
    char policy_sha256[BASE_HASH_HEX];
    int stderr_fd; /* what a worker has as that; -1: nothing */
    char **envp;   /* of a worker: the few names that it looks at; NULL-terminated */
};

/* @program is the path of fumehood, taken as it is: no PATH is asked. All is copied, also what is needed of the
 * environment. */
int engine_start_init(struct engine_start *start, const char *program, const struct policy *policy, int stderr_fd,
                      struct base_err *err);
void engine_start_release(struct engine_start *start);

#define ENGINE_OPEN_MAX 2

struct engine_link {
    pid_t pid;     /* 0: there is none */
    int processor; /* what it keeps to, but for its guests; -1: none. Whoever launches it sets this before */
    int pidfd, fd, life_fd;
    int former_fd; /* of a dead worker: what it said last, of jobs that are still open; -1: nothing */
    bool greeted;
    uint64_t last_number;
    struct engine_open {
        uint64_t number; /* 0: free */
        bool judged;
        bool orphaned; /* its worker is dead */
        bool untaken;  /* which had not read all of it */
        void *tag;
    } open[ENGINE_OPEN_MAX];
};
#define ENGINE_LINK_NONE ((struct engine_link){.processor = -1, .pidfd = -1, .fd = -1, .life_fd = -1, .former_fd = -1})

/* Start a worker; engine_link_greet() then waits until it is ready. Several may be on their way at a time.
 * BASE_E_SETUP: it cannot be started. */
int engine_link_launch(struct engine_link *link, const struct engine_start *start, struct base_err *err);

/* BASE_E_SETUP: the program is no fumehood of this build, or ended too early. Other codes: what the worker says of its
 * policy, such as BASE_E_REFUSED. The worker is then gone. */
int engine_link_greet(struct engine_link *link, const struct engine_start *start, struct base_err *err);

/* Nothing runs in it, and there is room for one more job. */
bool engine_link_is_idle(const struct engine_link *link);

/* No job is open. */
bool engine_link_is_settled(const struct engine_link *link);

/* A dead worker had jobs: engine_link_receive() tells of one without waiting. */
bool engine_link_has_orphan(const struct engine_link *link);

/* Hand a job to an idle worker, which is started anew where it has died. @tag comes back with its events. BASE_E_LOST:
 * the new one died, too, before it had the whole of it. */
int engine_link_submit(struct engine_link *link, const struct engine_start *start, const struct run_request *request,
                       void *tag, struct base_err *err);

/* What became of a job: its VERDICT, with an outcome that lacks what is known only once its cage is gone; then that it
 * is SETTLED. A job that could not be run is SETTLED at once, with a code: BASE_E_LOST where its worker died before it
 * had read all of it, so that nothing was started. */
enum engine_kind { ENGINE_VERDICT, ENGINE_SETTLED };
struct engine_event {
    enum engine_kind kind;
    void *tag;
    bool lost;                   /* SETTLED after a verdict: the worker died between the two */
    bool untaken;                /* SETTLED without one: it can be submitted again, nothing of it has happened */
    struct engine_answer answer; /* VERDICT, or SETTLED without one: its outcome is the receiver's to release */
};

/* Read the next event of a link with open jobs; blocks. Those of a dead worker come at once. */
void engine_link_receive(struct engine_link *link, struct engine_event *ret_event);

/* Complete the outcome that came with the verdict by what came with SETTLED. */
void engine_event_settle(const struct engine_event *event, struct warden_outcome *outcome);

/* Ask the worker to end, with what it runs; engine_link_end() then waits for it until base_clock_us() is @until_us, and
 * kills it. Open jobs are forgotten. */
void engine_link_ask_end(struct engine_link *link);
void engine_link_end(struct engine_link *link, uint64_t until_us);
