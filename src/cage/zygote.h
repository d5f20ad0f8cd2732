/* zygote.h - what the cage's first process and a zygote say to each other
 *
 * A zygote is an interpreter that has started and stands before its program. It is made by the keeper, in the keeper's
 * namespaces, with full rights in the slot's user namespace, and runs nothing of any guest's: it only forks. The
 * fork joins the cage, gives up everything that a guest must not have, and goes on as the guest.
 *
 * The keeper may have it move to other control groups. The request for a fork is one message on a line from the
 * keeper's children. The rest of a run goes over a line of its own: the fork's reply when it is the guest but for its
 * program; the program and its streams, when the listener has been taken and it is time; a byte when the streams are in
 * place; and from the zygote the fork's end.
 */
#pragma once

#include "cage/child.h"

#define ZYGOTE_LINE_FD    3 /* in the zygote, at its start */
#define ZYGOTE_PRELOAD_FD 4
#define ZYGOTE_WHY_BYTES  64 /* what it says where it cannot begin, without a NUL; else one byte: it is ready */
#define ZYGOTE_TEXT_BYTES 16384
#define ZYGOTE_ARGS_MAX   64

/* Followed by the filter. Pointers in the terms are nobody's. */
struct zygote_request {
    struct cage_terms terms;
    struct cage_host host;
    uint64_t without;
    uint64_t root; /* number of the mount that the guest must find as its root */
    uint32_t filter_count, top_folders;
    uint32_t moves; /* no fork is wanted: it is to go where the keeper has gone, and to say so with a byte */
};

/* The descriptors with it. */
enum zygote_fd {
    ZYGOTE_RUN,    /* the run's own line */
    ZYGOTE_PID_NS, /* the cage's namespaces */
    ZYGOTE_MOUNT_NS,
    ZYGOTE_IPC_NS,
    ZYGOTE_FD_MIN,
    ZYGOTE_CGROUP_NS = ZYGOTE_FD_MIN, /* on v2, one more, and the control group where the fork is born */
    ZYGOTE_GROUP,
    ZYGOTE_FD_MAX
};

/* The descriptors with it, where it is to move. */
enum zygote_move_fd {
    ZYGOTE_MOVE_TASKS,     /* to join the group */
    ZYGOTE_MOVE_CGROUP_NS, /* may be missing */
    ZYGOTE_MOVE_MAX
};

struct zygote_reply {
    uint64_t achieved;
    int32_t failed_step, failed_errno; /* -1: it is the guest now */
    int32_t listener_fd;               /* in its table, until it is told its program */
};

/* Followed by the texts of argv, each with its NUL. With it come the guest's streams, which get the lowest numbers in a
 * table where these are free. */
#define ZYGOTE_STREAMS_MAX 4
struct zygote_program {
    uint32_t arg_count, text_bytes, stream_count;
};

struct zygote_end {
    int32_t status;      /* as of wait() */
    uint32_t has_strays; /* there are children of the guest's that are the zygote's too */
    uint64_t cpu_us;     /* its own and that of all that it has waited for */
};
