/* spawn_priv.c - the supervisor's half of starting a cage
 *
 * Runs in: the supervisor, single-threaded, with its rights.
 * Touches: one clone, the new process's id maps, one pipe.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* The first process makes the network and cgroup namespaces itself: one takes long, the other needs its groups first.
 */
#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS)

/* What the cage itself stores in its tmpfs besides the guest's files: folders, generated files, mount points. */
#define OWN_INODES 48
#define OWN_BYTES  (64u << 10)

static int look_at_namespaces(struct cage_context *context, struct base_err *err)
{
    int r = cage_ns_names(context->host_ns);

    return r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "/proc/self/ns", "cannot be looked at") : 0;
}

/* The guest gets its whole share: what is staged for it comes on top. Sizes count in pages. */
static void size_scratch(struct cage_context *context)
{
    const struct policy *policy = context->start->plan->policy;
    const struct policy_limit *bytes = &policy->limits[POLICY_LIMIT_SCRATCH_BYTES];
    const struct policy_limit *inodes = &policy->limits[POLICY_LIMIT_SCRATCH_INODES];
    uint64_t staged_bytes = OWN_BYTES, staged_inodes = OWN_INODES;

    for (size_t i = 0; i < context->start->file_count; i++) {
        staged_bytes += (context->start->files[i].count + 4095) & ~UINT64_C(4095);
        staged_inodes += 8; /* the file and the folders above it */
    }
    /* 0 is this file system's word for unlimited; it never comes from a policy's number. */
    (void)snprintf(context->tmpfs_size, sizeof(context->tmpfs_size), "%" PRIu64,
                   bytes->unlimited ? 0 : bytes->value + staged_bytes);
    (void)snprintf(context->tmpfs_inodes, sizeof(context->tmpfs_inodes), "%" PRIu64,
                   inodes->unlimited ? 0 : inodes->value + staged_inodes);
}

static int write_map(pid_t pid, const char *file, const char *text, struct base_err *err)
{
    char path[64];
    AUTO_CLOSE int fd = -1;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, file, "the cage's ids cannot be mapped");
    return 0;
}

/* Started by root: 0 (the cage's own first process) and 1000 (the guest) are two ids that only this slot has. Otherwise
 * 1000 is the starter's own id, and nobody in the cage has another. */
static int map_ids(const struct cage_start *start, pid_t pid, struct base_err *err)
{
    char uids[96], gids[96];
    int r = 0;

    if (start->host->privileged) {
        unsigned base = start->host->uid_base + 2 * start->slot->number;
        (void)snprintf(uids, sizeof(uids), "0 %u 1\n%u %u 1\n", base, CAGE_GUEST_ID, base + 1);
        (void)snprintf(gids, sizeof(gids), "%s", uids);
    } else {
        (void)snprintf(uids, sizeof(uids), "%u %u 1\n", CAGE_GUEST_ID, (unsigned)geteuid());
        (void)snprintf(gids, sizeof(gids), "%u %u 1\n", CAGE_GUEST_ID, (unsigned)getegid());
        r = write_map(pid, "setgroups", "deny", err);
    }
    if (r == 0)
        r = write_map(pid, "uid_map", uids, err);
    return r < 0 ? r : write_map(pid, "gid_map", gids, err);
}

static int clone_failed(int sys_errno, struct base_err *err)
{
    (void)base_err_sys(err, BASE_E_SETUP, sys_errno, "namespaces", "the cage's first process cannot be made");
    if (sys_errno == EPERM || sys_errno == ENOSPC)
        return base_err_remedy(err,
                               "user namespaces are switched off here: see sysctl user.max_user_namespaces and, on "
                               "Debian and Ubuntu, kernel.unprivileged_userns_clone and "
                               "kernel.apparmor_restrict_unprivileged_userns");
    return err ? err->code : BASE_E_SETUP;
}

static int clone_init(struct cage_context *context, const struct cage_cgroup *cgroup, struct cage *cage,
                      struct base_err *err)
{
    bool born_in_group = context->start->host->manager == CAGE_MANAGER_V2;
    struct clone_args args = {
        .flags = NAMESPACES | CLONE_PIDFD | (born_in_group ? CLONE_INTO_CGROUP : 0),
        .pidfd = (uint64_t)(uintptr_t)&cage->pid_fd,
        .exit_signal = SIGCHLD,
        .cgroup = born_in_group ? (uint64_t)cgroup->dir_fds[CAGE_PIDS] : 0,
    };
    long pid = kernel_clone3(&args);

    if (pid == 0)
        cage_init_main(context);
    if (pid < 0)
        return clone_failed(errno, err);
    cage->pid = (pid_t)pid;
    return 0;
}

static void abandon(struct cage *cage)
{
    int status;

    if (cage->pid > 0) {
        (void)kernel_pidfd_send_signal(cage->pid_fd, SIGKILL); /* it may be dead already */
        while (waitpid(cage->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    base_cleanup_close(&cage->pid_fd);
    base_cleanup_close(&cage->life_fd);
}

static void fill_context(struct cage_context *context)
{
    const struct cage_start *start = context->start;
    unsigned filter_count;

    size_scratch(context);
    for (int c = 0; c < CAGE_CONTROLLER_MAX; c++)
        if (!cage_cgroup_join_path(start, (enum cage_controller)c, context->join_paths[c], CAGE_GROUP_PATH_BYTES))
            context->join_paths[c][0] = 0;
    context->filter.filter = (struct sock_filter *)(uintptr_t)cage_filter(
        start->plan->policy->network == POLICY_NETWORK_LOOPBACK, &filter_count);
    context->filter.len = (unsigned short)filter_count;
}

static int open_life(struct cage_context *context, struct cage *cage, struct base_err *err)
{
    int fds[2], r;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "pipe", "cannot be made");
    cage->life_fd = fds[1];
    r = cage_fd_high(&fds[0]);
    context->life_fd = fds[0];
    return r < 0 ? base_err_sys(err, BASE_E_SETUP, -r, "pipe", "cannot be moved") : 0;
}

/* On v1 the groups are made while the new process is busy with its network; on v2 it is born in them. */
static int make_both(struct cage_context *context, struct cage_cgroup *cgroup, struct cage *cage, struct base_err *err)
{
    const struct cage_start *start = context->start;
    bool born_in_group = start->host->manager == CAGE_MANAGER_V2;
    int r = born_in_group ? cage_cgroup_create(start->host, start->plan, start->slot, cgroup, err) : 0;

    if (r == 0)
        r = clone_init(context, cgroup, cage, err);
    if (r == 0)
        r = map_ids(start, cage->pid, err);
    if (r == 0 && !born_in_group)
        r = cage_cgroup_create(start->host, start->plan, start->slot, cgroup, err);
    if (r == 0 && write(cage->life_fd, "g", 1) != 1)
        r = base_err_sys(err, BASE_E_SETUP, errno, "cage", "its first process died");
    return r;
}

int cage_spawn(const struct cage_start *start, struct cage_cgroup *ret_cgroup, struct cage *ret_cage,
               struct base_err *err)
{
    struct cage_context context = {
        .start = start,
        .report = start->report,
        .life_fd = -1,
        .root_fd = -1,
        .listener_fd = -1,
        .signal_fd = -1,
    };
    struct cage cage = CAGE_NONE;
    int r = look_at_namespaces(&context, err);

    *ret_cgroup = (struct cage_cgroup)CAGE_CGROUP_NONE;
    if (r < 0)
        return r;
    fill_context(&context);
    r = open_life(&context, &cage, err);
    if (r == 0)
        r = make_both(&context, ret_cgroup, &cage, err);
    base_cleanup_close(&context.life_fd);
    if (r < 0) {
        abandon(&cage);
        return r;
    }
    *ret_cage = cage;
    return 0;
}

struct cage_report *cage_report_new(void)
{
    void *memory = mmap(NULL, sizeof(struct cage_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cage_report *report = memory == MAP_FAILED ? NULL : memory;

    if (report)
        report->failed_step = -1;
    return report;
}

void cage_report_free(struct cage_report *report)
{
    if (report)
        (void)munmap(report, sizeof(*report));
}
