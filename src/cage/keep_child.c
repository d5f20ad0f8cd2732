/* keep_child.c - the keeper: holds what of a cage need not be new for each run, and makes first processes in it
 *
 * Runs in: process 1 of a slot's outer process tree: what began as a cage's first process, and was told to stay.
 * Privilege: full in the slot's user namespace, none outside it. Must not: allocate, log, return.
 * Touches: what it is told by the supervisor, and nothing that a guest can reach: guests live in process trees, mounts
 * and queues of their own below it, and cannot see it.
 *
 * Theory of operation: user, network, host name and control group namespaces, ids, control groups and the read-only
 * root are made once. Each run gets a child of this process with new process, mount and queue namespaces, which mounts
 * the guest's scratch and /proc, proves everything again, and is from there on what a fresh cage's first process is.
 * When this process dies, the kernel kills all that is below it.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <sys/ipc.h>

#define NEW_EACH_TIME (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC)
#define STACK_BYTES   (128 * 1024)

/* It shares this process's memory, which saves the copy and its end. Its stack is its own: there is one at a time, and
 * what is not on that is only read. */
static int clone_sharing(uint64_t flags, struct cage_context *own, int *ret_pid_fd)
{
    static char stack[STACK_BYTES] __attribute__((aligned(64)));

    CAGE_STACK_RENEW(stack);
    return kernel_clone_on(flags | CLONE_VM, stack + sizeof(stack), cage_init_kept, own, ret_pid_fd, NULL);
}

/* Whom the kernel kills for want of memory it kills with all that share that memory, and on v2 that is not to be us:
 * there the first process has a copy, and is born in the run's group. */
static int clone_into_run(uint64_t flags, struct cage_context *own, int *ret_pid_fd)
{
    struct clone_args args = {
        .flags = flags | CLONE_INTO_CGROUP,
        .pidfd = (uint64_t)(uintptr_t)ret_pid_fd,
        .cgroup = (uint64_t)own->run_fd,
    };
    int pid = kernel_clone3(&args);

    if (pid == 0)
        kernel_exit(cage_init_kept(own));
    return pid;
}

static int clone_first(const struct cage_context *context, int line_fd, int run_fd, int *ret_pid_fd)
{
    static struct cage_context own;
    const uint64_t flags = (cage_begin_namespaces(context->without) & NEW_EACH_TIME) | CLONE_PIDFD; /* no SIGCHLD */

    own = *context;
    own.line_fd = line_fd;
    own.run_fd = run_fd;
    own.keeps = false;
    return run_fd < 0 ? clone_sharing(flags, &own, ret_pid_fd) : clone_into_run(flags, &own, ret_pid_fd);
}

/* The former first process, which the supervisor has seen dead; with it the kernel has killed all that was in its tree.
 * Nobody waits for this but who asks: it would wake us for each run. */
static void reap(struct cage_context *context)
{
    struct rusage usage;
    int status, r = 0;

    if (context->first > 0)
        r = kernel_wait_usage(context->first, &status, __WALL, &usage);
    if (r == context->first && r > 0) {
        context->report->kept_status = status;
        context->report->kept_cpu_us = kernel_usage_cpu_us(&usage);
    }
    context->first = 0;
}

static void make_next(struct cage_context *context, int line_fd, int run_fd)
{
    int pid_fd = -1;

    reap(context);
    context->first = clone_first(context, line_fd, run_fd, &pid_fd);
    if (context->first < 0)
        cage_init_fail(context, CAGE_AT_START, context->first);
    if (cage_line_say_made(context->line_fd, context->first, pid_fd) < 0)
        kernel_exit(1);
    (void)kernel_close(pid_fd);
    (void)kernel_close(line_fd);
    if (run_fd >= 0)
        (void)kernel_close(run_fd);
}

/* On v1, with the last cage dead: to another group, together with the zygote. No guest is to see that there was a
 * first one, so the namespace that hides where they are begins there, too. */
static int move(struct cage_context *context, int tasks_fd)
{
    bool has_ns = !(context->without & CAGE_BIT(CGROUP_NS));
    KERNEL_AUTO_CLOSE int ns_fd = -1;
    int r = (int)kernel_write(tasks_fd, "0", 1);

    if (r >= 0 && has_ns)
        r = kernel_unshare(CLONE_NEWCGROUP);
    if (r >= 0 && has_ns)
        r = cage_ns_name(CAGE_NS_CGROUP, context->own_ns);
    if (r >= 0 && has_ns)
        r = ns_fd = kernel_open(AT_FDCWD, "/proc/self/ns/cgroup", O_RDONLY, 0);
    if (r >= 0)
        r = cage_zygote_move(context, tasks_fd, ns_fd);
    (void)kernel_close(tasks_fd);
    return r < 0 ? r : 0;
}

/* What its cages are told from it by (prove_mount_ns, prove_ipc_ns), and what none of them need look for again. */
static int leave_marks(struct cage_context *context)
{
    bool has_queues = !(context->without & CAGE_BIT(IPC_NS)); /* else the machine's would get one */
    int r = has_queues ? KERNEL(SYS_msgget, CAGE_KEEPER_QUEUE, IPC_CREAT | 0600) : 0;

    context->top_folders = cage_landlock_look();
    return r < 0 ? r : cage_mount_number(&context->keeper_root);
}

/* A guest whose zygote was killed becomes our child, and its cage cannot end before it is reaped. The kernel does that
 * at once where a SIGCHLD would be ignored; first processes, which we ask for, send none. */
static int reap_strays(void)
{
    const struct kernel_sigaction action = {.handler = SIG_IGN};

    return kernel_sigaction_set(SIGCHLD, &action);
}

void cage_keep_main(struct cage_context *context)
{
    int line_fd, run_fd, r = leave_marks(context);

    if (r == 0)
        r = reap_strays();
    if (r == 0)
        r = kernel_block_only(0); /* nothing is to wait for us: a user's guests can see how many signals do */
    if (r < 0)
        cage_init_fail(context, CAGE_AT_PROOF, r);
    for (;;) {
        r = cage_line_wait_asked(context, &line_fd, &run_fd);
        if (r == CAGE_WORD_NEXT)
            make_next(context, line_fd, run_fd);
        else if (r == CAGE_WORD_REAP || r == CAGE_WORD_MOVE)
            reap(context);
        if (r == CAGE_WORD_MOVE && move(context, line_fd) < 0)
            kernel_exit(1); /* it serves no more */
        if (r < 0 && context->without & CAGE_BIT(PARENT_DEATH))
            reap(context); /* when its cage is at its end: the other half of that promise */
        if (r < 0 || (r != CAGE_WORD_NEXT && cage_line_say_gone(context->line_fd) < 0))
            kernel_exit(1); /* the supervisor is dead, or talks nonsense */
    }
}
