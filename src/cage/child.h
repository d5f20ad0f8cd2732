/* child.h - inside the room: what the cage's first process and the guest-to-be share
 *
 * Everything here is prepared before the fork. Functions of the *_child.c files run after it: they return 0 or -errno,
 * use system calls and plain memory only, and never allocate, log or take a lock.
 */
#pragma once

#include "cage/cage.h"
#include <linux/filter.h>
#include <sys/stat.h>

#define CAGE_GUEST_ID 1000u
#define CAGE_HOSTNAME "cage"

/* Room for the path of a file in a group of ours. */
#define CAGE_GROUP_PATH_BYTES (CAGE_PATH_BYTES + 64)

/* "user:[4026531837]": a namespace as /proc names it. Reading the link is four times as cheap as looking behind it. */
#define CAGE_NS_NAME_BYTES 40
enum cage_ns {
    CAGE_NS_USER,
    CAGE_NS_PID,
    CAGE_NS_MOUNT,
    CAGE_NS_NETWORK,
    CAGE_NS_IPC,
    CAGE_NS_UTS,
    CAGE_NS_CGROUP,
    CAGE_NS_MAX
};

struct cage_context {
    const struct cage_start *start;
    struct cage_report *report;
    int life_fd; /* read end: one byte says "ids are mapped, groups are made", end of file "your supervisor died" */
    char host_ns[CAGE_NS_MAX][CAGE_NS_NAME_BYTES]; /* the supervisor's namespaces */
    char own_ns[CAGE_NS_MAX][CAGE_NS_NAME_BYTES];  /* the cage's, read back when it is built */
    struct sock_fprog filter;
    char join_paths[CAGE_CONTROLLER_MAX][CAGE_GROUP_PATH_BYTES]; /* v1: the `tasks` files of our groups; empty: none */
    char tmpfs_size[32], tmpfs_inodes[32];
    uint64_t staged_bytes, staged_inodes; /* what the scratch holds before the guest starts */
    /* filled by the child */
    int root_fd, listener_fd, signal_fd;
};

/* init_child.c: the cage's first process; never returns. */
void cage_init_main(struct cage_context *context) __attribute__((noreturn));

/* cgroup_priv.c: make the groups of a slot, with the plan's limits. */
int cage_cgroup_create(const struct cage_host *host, const struct cage_plan *plan, const struct cage_slot *slot,
                       struct cage_cgroup *ret_cgroup, struct base_err *err);

/* cgroup_priv.c: where a process writes itself into the group of @controller; false when it need not (v2, not used). */
bool cage_cgroup_join_path(const struct cage_start *start, enum cage_controller controller, char *path,
                           size_t path_bytes);

/* ns_child.c: the names of the caller's namespaces now. */
int cage_ns_names(char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES]);

/* guest_child.c: applies the guest's steps and execs; never returns. */
int cage_guest_main(void *context);

/* mount_child.c */
int cage_mount_own_root(struct cage_context *context);
int cage_mount_host_view(struct cage_context *context);
int cage_mount_devices(struct cage_context *context);
int cage_mount_scratch(struct cage_context *context);
int cage_mount_proc(struct cage_context *context);
int cage_mount_inputs(struct cage_context *context);
int cage_mount_enter(struct cage_context *context);
int cage_mount_prove_root(struct cage_context *context);
int cage_mount_prove_view(struct cage_context *context);
int cage_mount_prove_scratch(struct cage_context *context);
int cage_mount_prove_proc(struct cage_context *context);

/* landlock_child.c */
int cage_landlock_apply(struct cage_context *context);

/* notify_child.c: answer and record denied calls until the guest's first process ends. */
void cage_notify_loop(struct cage_context *context, pid_t guest);

/* The guest's streams and its mark become 0 to 3, in a table that the first process shares: everything that it needs
 * itself must stand above. Moves *@fd there; on failure it stays where it is. */
#define CAGE_LOW_FDS 4
#define CAGE_HIGH_FD 10
int cage_fd_high(int *fd);

/* Close every descriptor of this process but the @count in @keep (any order; -1 is skipped). */
int cage_close_all_but(const int *keep, unsigned count);
