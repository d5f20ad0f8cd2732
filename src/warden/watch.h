/* watch.h - inside the room: one run while it is watched */
#pragma once

#include "base/hash.h"
#include "warden/warden.h"

#define WARDEN_CHUNK_BYTES 65536

/* Processes that the kernel cannot end (stuck in a device, say) are given up after this, and reported as left. */
#define WARDEN_KILL_PATIENCE_US 10000000

/* Of a run that is lost: a limit that is not ours was met. */
#define WARDEN_OUTER_MEMORY    "the machine, or a group around it, ran out of memory"
#define WARDEN_OUTER_PROCESSES "it failed after a group around it refused a new process"

/* Why the supervisor ended the run. */
struct warden_stop {
    bool wanted;
    enum warden_ending ending; /* LIMIT, CANCELLED or LOST */
    enum warden_limit limit;
    int signal; /* CANCELLED by a signal to the supervisor: which; SIGPIPE: nobody reads its output */
    char detail[128];
};

/* What the guest writes: read, counted, hashed, kept up to a limit, passed on. */
struct warden_sink {
    int read_fd;                  /* our end; -1 at its end */
    int pass_fd;                  /* -1: not passed on */
    bool pass_owned, pass_socket; /* a description of our own; a socket, which is asked not to block */
    struct base_hash hash;
    uint64_t bytes, keep_max; /* kept is never longer than keep_max */
    uint64_t pass_left;       /* what may still be passed on: the limit holds there too */
    struct base_buf *kept;
    char *pending; /* WARDEN_CHUNK_BYTES: read, not yet passed on; nothing more is read until it is */
    size_t pending_from, pending_count;
    bool pass_broken;     /* pass_fd takes nothing any more */
    bool reader_gone;     /* that is because nobody reads there; else its disk is full, or worse */
    struct base_buf tail; /* after the guest's end: what is still to be passed on */
    uint64_t passed_turn; /* see struct warden_stream */
    char passed_last;
};

/* The guest's ends must not be one of the numbers that they will be moved to. */
#define WARDEN_FIRST_GUEST_FD 10

/* What the guest reads. */
struct warden_source {
    int write_fd; /* our end; -1 when done, or when it has a file */
    int file_fd;  /* the description that the guest has, where it has a file; -1: it has a pipe */
    off_t from;   /* where from_fd stood before */
    uint64_t file_bytes;
    int from_fd; /* -1: from bytes */
    const char *bytes;
    size_t count;
    uint64_t given, given_max;
    char *chunk; /* WARDEN_CHUNK_BYTES */
    size_t chunk_from, chunk_count;
    bool exhausted;
};

enum { WARDEN_OUT, WARDEN_ERR, WARDEN_MARK, WARDEN_SINK_MAX };

struct warden_watch {
    const struct warden_job *job;
    struct cage cage;
    const struct cage_report *report; /* the cage's */
    struct warden_outcome *outcome;
    int guest_fds[4]; /* the guest's ends, until the cage has them */
    int signal_fd;
    struct warden_sink sinks[WARDEN_SINK_MAX];
    struct warden_source source;
    struct warden_stop stop;
    uint64_t started_us, next_tick_us, killed_us;
    uint64_t interrupted_us;           /* when the guest was, or should have been; 0: not yet */
    uint64_t interrupted_cpu_us;       /* what its group had counted then */
    uint64_t active_cpu_us, active_us; /* processor time when it last grew, and when that was */
    int status;                        /* of the cage's first process */
    uint64_t rusage_cpu_us;
    bool dead;                  /* the guest and all that it started: the cage, or all of it but its own process */
    bool stuck;                 /* it cannot be killed */
    bool put_first;             /* the cage's first process is */
    bool dying;                 /* its first process is at its end */
    bool hurried;               /* the limit on processors is lifted: it is to end */
    bool signalled;             /* somebody wants us to end, whatever else did */
    enum cage_controller taken; /* whose limit did not hold to the end; CAGE_CONTROLLER_MAX: all did */
};

/* streams.c */
int warden_streams_open(struct warden_watch *watch, struct base_err *err);
void warden_streams_close(struct warden_watch *watch);
int warden_sink_read(struct warden_sink *sink);   /* 1 more, 0 nothing now or at the end, or BASE_E_NOMEM */
void warden_sink_pass(struct warden_sink *sink);  /* write what is pending, as far as its reader takes it now */
int warden_sink_drain(struct warden_sink *sink);  /* nobody writes any more: take all that is in the pipe */
int warden_sink_finish(struct warden_sink *sink); /* take what is in the pipe now, and nothing that comes later */
bool warden_sink_flush(struct warden_sink *sink); /* pass the tail on, as it is taken now; true when all of it is */
void warden_source_move(struct warden_source *source);
bool warden_sink_over(const struct warden_watch *watch, int sink); /* it has said more than its limit */
bool warden_source_over(const struct warden_source *source);       /* more than given_max was there to give */

/* input.c: 0 with what the guest reads as a file, where that is known; 1 where it is not; or BASE_E_SETUP. And at the
 * end, which may come without a beginning. */
int warden_input_file(struct warden_source *source, int *ret_guest_fd, struct base_err *err);
void warden_input_leave(struct warden_source *source);

/* clocks.c */
void warden_clocks_start(struct warden_watch *watch);
int warden_clocks_timeout_ms(const struct warden_watch *watch);
void warden_clocks_tick(struct warden_watch *watch);
void warden_stop(struct warden_watch *watch, enum warden_ending ending, enum warden_limit limit, const char *detail);

/* ending.c */
void warden_ending_decide(struct warden_watch *watch, const struct cage_counters *counters);
enum policy_limit_key warden_taken_key(const struct warden_watch *watch); /* of it; POLICY_LIMIT_MAX: none */
void warden_ending_stopped(struct warden_watch *watch);                   /* as watch->stop says */
