/* begin_child.c - the cage's first process is cloned
 *
 * Runs in: the supervisor, single-threaded; mostly before its C library has started (front/cli/entry.c), so that the
 * kernel's slow work for a new cage is done beside that. Must not: use the C library, allocate, print.
 * Touches: one shared mapping, one pair of sockets, one clone, the new process's processors.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/mutation.h"
#include <errno.h>

/* A fork may wait on its parent's processor until the parent rests, with others idle beside them, and then nothing is
 * done at the same time. So it is moved to any other one, and may use all of them again at once: where that one is
 * busy, the kernel can take it back. A machine with one processor has nothing to gain, and one with more than the set
 * holds goes without. */
static int move_away(pid_t pid)
{
    cpu_set_t all = {0}, others;
    unsigned own = 0;
    unsigned long left = 0;
    int r;

    if (kernel_getcpu(&own) < 0 || own >= CPU_SETSIZE || kernel_getaffinity(pid, &all) < 0)
        return 0;
    others = all;
    others.__bits[own / (8 * sizeof(others.__bits[0]))] &= ~(1UL << own % (8 * sizeof(others.__bits[0])));
    for (size_t i = 0; i < sizeof(others.__bits) / sizeof(others.__bits[0]); i++)
        left |= others.__bits[i];
    if (left == 0 || kernel_setaffinity(pid, &others) < 0)
        return 0; /* it starts here, a little later */
    r = kernel_setaffinity(pid, &all);
    return r == -ESRCH ? 0 : r;
}

/* The first process makes the network and cgroup namespaces itself: one takes long, the other needs its groups first.
 */
uint64_t cage_begin_namespaces(uint64_t without)
{
    static const struct {
        uint64_t bit, flag;
    } rows[] = {
        {CAGE_BIT(USER_NS), CLONE_NEWUSER}, {CAGE_BIT(PID_NS), CLONE_NEWPID}, {CAGE_BIT(MOUNT_NS), CLONE_NEWNS},
        {CAGE_BIT(IPC_NS), CLONE_NEWIPC},   {CAGE_BIT(UTS_NS), CLONE_NEWUTS},
    };
    uint64_t flags = 0;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (!(without & rows[i].bit))
            flags |= rows[i].flag;
    return flags;
}

/* On v2 it is born in its group; on v1 it joins its groups itself. */
static int clone_init(struct cage_context *context, int group_fd, struct cage *cage)
{
    struct clone_args args = {
        .flags = cage_begin_namespaces(context->without) | CLONE_PIDFD | (group_fd >= 0 ? CLONE_INTO_CGROUP : 0),
        .pidfd = (uint64_t)(uintptr_t)&cage->pid_fd,
        .exit_signal = SIGCHLD,
        .cgroup = group_fd >= 0 ? (uint64_t)group_fd : 0,
    };
    int pid = kernel_clone3(&args), r;

    if (pid == 0)
        cage_init_main(context);
    if (pid < 0)
        return pid;
    cage->pid = pid;
    r = cage_fd_high(&cage->pid_fd);
    return r < 0 ? r : move_away(pid);
}

int cage_begin_clone(char **environment, int group_fd, struct cage *cage)
{
    struct cage_context context = {
        .environment = environment,
        .without = cage_mutation_read(environment),
        .line_fd = -1,
        .lock_fd = -1,
        .root_fd = -1,
        .scratch_fd = -1,
        .listener_fd = -1,
        .signal_fd = -1,
        .zygote_fd = -1,
        .run_fd = -1,
        .guest_fd = -1,
        .go_fd = -1,
    };
    int fds[2], r;

    cage->shared = kernel_mmap_shared(sizeof(*cage->shared));
    if (!cage->shared)
        return -ENOMEM;
    cage->report = context.report = &cage->shared->report;
    cage->observed = context.observed = &cage->shared->observed;
    cage->report->failed_step = -1;
    context.host = &cage->shared->host;
    context.terms = &cage->shared->terms;
    context.order = &cage->shared->order;
    context.host_ns = cage->shared->host_ns;
    context.shared = cage->shared;
    r = kernel_socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds);
    if (r < 0)
        return r;
    cage->line_fd = fds[1];
    context.line_fd = fds[0];
    r = cage_fd_high(&context.line_fd);
    if (r == 0)
        r = cage_fd_high(&cage->line_fd); /* our standard streams may be closed, and must not be this */
    if (r == 0)
        r = clone_init(&context, group_fd, cage);
    (void)kernel_close(context.line_fd);
    return r;
}

/* --- before the C library --- */

static struct cage early = CAGE_NONE;

void cage_begin_early(char **environment)
{
    enum { CGROUP_V2 = 0x63677270 };
    struct statfs fs;

    if (kernel_statfs("/sys/fs/cgroup", &fs) == 0 && fs.f_type == CGROUP_V2)
        return;                                      /* there it must be born in its group */
    (void)cage_begin_clone(environment, -1, &early); /* what fails is met again by cage_begin(), and told */
}

bool cage_begin_take_early(struct cage *ret_cage)
{
    *ret_cage = early;
    early = (struct cage)CAGE_NONE;
    return ret_cage->shared != NULL;
}
