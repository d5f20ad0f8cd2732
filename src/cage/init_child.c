/* init_child.c - the cage's first process: builds the cage from inside, starts the guest, stays to reap and to answer
 *
 * Runs in: process 1 of the cage, a fork of the supervisor from before it knew what would run.
 * Privilege: full in the cage's user namespace until the guest is there, then none (under observe: CAP_SYS_PTRACE).
 * Must not: allocate, log, return, follow a path that a guest could have made.
 *
 * Theory of operation: the steps of steps.def are walked in order. Each applies, then reads back. The process keeps a
 * copy of the supervisor's memory, so it is made unreadable (not dumpable, other id than the guest's where there are
 * two, hidden in /proc) and the environment in that copy, which may hold secrets, is wiped first of all. When it exits,
 * for whatever reason, the kernel kills everything that is left in the cage before the supervisor sees it end.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/mutation.h"
#include "cage/plain.h"
#include <errno.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>

/* --- namespaces: made by clone, proved here --- */

static int read_back_namespaces(struct cage_context *context)
{
    return cage_ns_names(context->own_ns);
}

static int prove_namespace(struct cage_context *context, enum cage_ns ns)
{
    return cage_text_equal(context->own_ns[ns], context->host_ns[ns]) ? -EPERM : 0;
}

#define PROVE_NAMESPACE(name, NS)                                                                                      \
    static int prove_##name(struct cage_context *context)                                                              \
    {                                                                                                                  \
        return prove_namespace(context, CAGE_NS_##NS);                                                                 \
    }
PROVE_NAMESPACE(user_ns, USER)
PROVE_NAMESPACE(network_ns, NETWORK)
PROVE_NAMESPACE(uts_ns, UTS)
PROVE_NAMESPACE(cgroup_ns, CGROUP)

/* Of those that are new in each run, the names are the keeper's where there is one: then it must not be the keeper's
 * namespace either. In its process tree it is itself the first, its mounts have their numbers, and it has left a queue.
 * (A name in /proc would tell too, and cost as much as all other proofs together.) */
static int prove_pid_ns(struct cage_context *context)
{
    return kernel_getpid() == 1 ? prove_namespace(context, CAGE_NS_PID) : -EPERM;
}

static int prove_mount_ns(struct cage_context *context)
{
    uint64_t root;
    int r = context->keeper_root ? cage_mount_number(&root) : 0;

    if (r < 0)
        return r;
    if (context->keeper_root && root == context->keeper_root)
        return -EPERM;
    return prove_namespace(context, CAGE_NS_MOUNT);
}

static int prove_ipc_ns(struct cage_context *context)
{
    if (context->keeper_root && KERNEL(SYS_msgget, CAGE_KEEPER_QUEUE, 0) != -ENOENT)
        return -EPERM;
    return prove_namespace(context, CAGE_NS_IPC);
}

static int raise_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    KERNEL_AUTO_CLOSE int fd = kernel_socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return fd < 0 ? fd : kernel_ioctl(fd, SIOCSIFFLAGS, &request);
}

/* Made here and not by clone: it takes the kernel as long as all mounts together, and the supervisor makes the control
 * groups meanwhile. */
static int apply_network_ns(struct cage_context *context)
{
    (void)context;
    return kernel_unshare(CLONE_NEWNET);
}

/* With `network: none` not even loopback is up. */
static int apply_network(struct cage_context *context)
{
    return context->terms->network == POLICY_NETWORK_LOOPBACK ? raise_loopback() : 0;
}

static int apply_uts_ns(struct cage_context *context)
{
    (void)context;
    return kernel_sethostname(CAGE_HOSTNAME, sizeof(CAGE_HOSTNAME) - 1);
}

/* --- cgroup --- */

/* v1: a process that writes itself is moved at once; on v2 it was born in its group. */
static int apply_cgroup(struct cage_context *context)
{
    for (size_t i = 0; i < ARRAY_COUNT(context->tasks_fds) && context->tasks_fds[i] >= 0; i++) {
        long r = kernel_write(context->tasks_fds[i], "0", 1);
        (void)kernel_close(context->tasks_fds[i]);
        if (r < 0)
            return (int)r;
    }
    return 0;
}

/* Its root is where the maker stands then. On v2 that must be the run's group, which its keeper is not in; and a keeper
 * that had one of its own could make nobody in a group that it does not see. */
static bool makes_cgroup_ns_each_time(const struct cage_context *context)
{
    return context->host->manager == CAGE_MANAGER_V2;
}

static int apply_cgroup_ns(struct cage_context *context)
{
    return context->keeps && makes_cgroup_ns_each_time(context) ? 0 : kernel_unshare(CLONE_NEWCGROUP);
}

static int apply_cgroup_ns_again(struct cage_context *context)
{
    int r = makes_cgroup_ns_each_time(context) ? kernel_unshare(CLONE_NEWCGROUP) : 0;

    return r < 0 || !makes_cgroup_ns_each_time(context) ? r : cage_ns_name(CAGE_NS_CGROUP, context->own_ns);
}

/* --- identity --- */

static int apply_identity_map(struct cage_context *context)
{
    int r = context->host->has_own_ids ? kernel_no_groups() : 0;

    if (r < 0 || !context->host->has_own_ids)
        return r;
    return cage_identity_set(0);
}

static int prove_identity_map(struct cage_context *context)
{
    return cage_identity_prove(context->host->has_own_ids ? 0 : CAGE_GUEST_ID);
}

/* --- parent death --- */

/* Changing ids has cleared any earlier setting. A supervisor that died before this line has closed its end of line_fd,
 * which the loop sees. */
static int apply_parent_death(struct cage_context *context)
{
    int r = kernel_prctl(PR_SET_PDEATHSIG, SIGKILL, 0);

    (void)context;
    return r < 0 ? r : kernel_prctl(PR_SET_DUMPABLE, 0, 0);
}

static int prove_parent_death(struct cage_context *context)
{
    int sig = 0, r = kernel_prctl(PR_GET_PDEATHSIG, (unsigned long)&sig, 0);

    (void)context;
    return r == 0 && sig == SIGKILL && kernel_prctl(PR_GET_DUMPABLE, 0, 0) == 0 ? 0 : -EPERM;
}

/* --- bounding set --- */

static int apply_bounding(struct cage_context *context)
{
    (void)context;
    return cage_bounding_empty();
}

static int prove_bounding(struct cage_context *context)
{
    (void)context;
    return cage_bounding_prove();
}

/* --- the walk --- */

/* Nothing that the host mounts from now on may appear in what we clone of it. */
static int cut_off_mounts(struct cage_context *context)
{
    struct mount_attr private = {.propagation = KERNEL_MS_PRIVATE};

    (void)context;
    return kernel_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &private);
}

/* Who does a row: a fresh cage's first process does all but what is done again; a keeper what stays; the first process
 * that it makes what is new in each run, and again what a fork or new namespaces have undone. */
enum { FRESH = 1, KEEPER = 2, KEPT = 4, STAYS = FRESH | KEEPER, EACH = FRESH | KEPT };

static int prove(struct cage_context *context);

/* In this order. Proofs come when all that they are about is there, all of them in every cage: some need the finished
 * file system to look through. */
static const struct {
    unsigned who, step;
    int (*apply)(struct cage_context *); /* NULL: clone did it */
    int (*prove)(struct cage_context *); /* NULL: success of apply is all that can be known */
} rows[] = {
    {STAYS, CAGE_AT_START, cut_off_mounts, NULL},
    {STAYS, CAGE_STEP_USER_NS, NULL, prove_user_ns},
    {EACH, CAGE_STEP_PID_NS, NULL, prove_pid_ns},
    {EACH, CAGE_STEP_MOUNT_NS, NULL, prove_mount_ns},
    {EACH, CAGE_STEP_IPC_NS, NULL, prove_ipc_ns},
    {STAYS, CAGE_STEP_UTS_NS, apply_uts_ns, prove_uts_ns},
    {STAYS, CAGE_STEP_NETWORK_NS, apply_network_ns, prove_network_ns},
    {STAYS, CAGE_AT_START, cage_mount_take_settings,
     NULL}, /* it need not wait for what comes now, and that takes long */
    {STAYS, CAGE_AT_START, cage_line_wait_ids, NULL},
    {STAYS, CAGE_STEP_IDENTITY_MAP, apply_identity_map, prove_identity_map},
    {STAYS | KEPT, CAGE_STEP_PARENT_DEATH, apply_parent_death, prove_parent_death},
    {STAYS, CAGE_STEP_OWN_ROOT, cage_mount_own_root, cage_mount_prove_root},
    {STAYS, CAGE_STEP_HOST_VIEW, cage_mount_host_view, cage_mount_prove_view},
    {STAYS, CAGE_STEP_DEVICES, cage_mount_devices, cage_mount_prove_devices},
    {STAYS, CAGE_STEP_PROC_MASKED, cage_mount_proc, cage_mount_prove_proc},
    {STAYS, CAGE_AT_START, cage_mount_enter, NULL},
    {STAYS, CAGE_AT_START, cage_line_wait_groups, NULL},
    {STAYS, CAGE_STEP_CGROUP, apply_cgroup, NULL},
    {STAYS, CAGE_STEP_CGROUP_NS, apply_cgroup_ns, prove_cgroup_ns},
    {KEPT, CAGE_STEP_CGROUP_NS, apply_cgroup_ns_again, NULL},
    {KEEPER, CAGE_AT_START, cage_zygote_start, NULL}, /* it needs its rights, and gives up what it can by itself */
    {STAYS, CAGE_STEP_BOUNDING, apply_bounding, prove_bounding},
    {STAYS, CAGE_AT_PROOF, read_back_namespaces, NULL},
    {KEPT, CAGE_STEP_PROC_MASKED, cage_mount_proc_over, NULL},
    {EACH, CAGE_STEP_SCRATCH, cage_mount_scratch, cage_mount_prove_scratch},
    {EACH, CAGE_AT_PROOF, prove, NULL},
    {KEPT, CAGE_AT_START, cage_start_ready, NULL},
    /* All that can be done without knowing what will run is done here. */
    {EACH, CAGE_AT_START, cage_line_wait_order, NULL},
    {EACH, CAGE_STEP_NETWORK_NS, apply_network, NULL},
    {EACH, CAGE_AT_INPUTS, cage_mount_inputs, NULL},
};

/* What this machine cannot do is in no order. */
static bool possible(const struct cage_context *context, unsigned step)
{
    return step != CAGE_STEP_CGROUP || context->host->manager != CAGE_MANAGER_NONE;
}

static bool done(const struct cage_context *context, unsigned step)
{
    return step >= CAGE_STEP_MAX || !(context->without & (UINT64_C(1) << step));
}

void cage_init_fail(struct cage_context *context, unsigned step, int r)
{
    context->report->failed_errno = -r;
    context->report->failed_step = (int32_t)step;
    kernel_exit(1);
}

/* Whether this is a fresh cage or a keeper is said on the way. */
static void build(struct cage_context *context, unsigned who)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (!(rows[i].who & (context->keeps ? KEEPER : who)))
            continue;
        bool is_done = done(context, rows[i].step);
        bool applies = is_done && rows[i].apply && possible(context, rows[i].step);
        int r = applies ? rows[i].apply(context) : 0;
        if (!is_done)
            cage_mutation_instead(context, rows[i].step);
        if (r < 0)
            cage_init_fail(context, rows[i].step, r);
    }
}

static int prove(struct cage_context *context)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (rows[i].step >= CAGE_STEP_MAX || !possible(context, rows[i].step))
            continue;
        int r = rows[i].prove && done(context, rows[i].step) ? rows[i].prove(context) : 0;
        if (r < 0)
            cage_init_fail(context, rows[i].step, r);
        if (rows[i].step != CAGE_STEP_PROC_MASKED || !context->host->shows_machine)
            context->report->achieved |= UINT64_C(1) << rows[i].step;
    }
    return 0;
}

/* --- the process itself --- */

static int keep_needed(struct cage_context *context)
{
    const int keep[] = {context->line_fd, context->lock_fd, context->root_fd, context->zygote_fd, context->run_fd};

    return cage_close_all_but(keep, ARRAY_COUNT(keep));
}

static int watch_children(struct cage_context *context)
{
    const uint64_t signals = KERNEL_SIGNAL_BIT(SIGCHLD);
    int r = kernel_block_only(signals);

    if (r < 0)
        return r;
    context->signal_fd = kernel_signalfd(signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return context->signal_fd < 0 ? context->signal_fd : 0;
}

/* Nothing of ours is opened where the guest's streams will be. What stands there meanwhile takes no bytes: whoever has
 * something to say to a standard stream, such as a sanitizer, must not say it to our supervisor. */
static int fill_low(struct cage_context *context)
{
    int high = kernel_fcntl(context->signal_fd, F_DUPFD_CLOEXEC, CAGE_LOW_FDS), r = high < 0 ? high : 0;

    for (int low = 0; low < CAGE_LOW_FDS && r >= 0; low++)
        r = kernel_dup3(high, low, O_CLOEXEC);
    context->signal_fd = high;
    return r < 0 ? r : 0;
}

/* To read what the guest names, also where it has another id or hides its memory from its own. */
static uint32_t kept_capabilities(const struct cage_context *context)
{
    return context->terms->observe ? 1u << CAP_SYS_PTRACE : 0;
}

/* The guest runs: what it needed is its own now, and we keep only what the loop needs. */
static int let_go(struct cage_context *context)
{
    const uint32_t kept = kept_capabilities(context);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct left[2] = {{.effective = kept, .permitted = kept}};
    const int keep[] = {context->listener_fd, context->signal_fd, context->line_fd,
                        context->scratch_fd,  context->lock_fd,   context->guest_fd};
    int r = KERNEL(SYS_capset, &header, left);

    if (r < 0)
        return r;
    return cage_close_all_but(keep, ARRAY_COUNT(keep));
}

/* From here on we mostly wait, and what we do is short: to answer, to notice an end, to die. Among all processes that a
 * guest may have spinning beside us our turn would come late; who asks for short turns gets them soon. A kernel before
 * 6.12 knows no such wish, and lets those that wake up go first anyway. */
#define TURN_NS 100000

static void take_short_turns(void)
{
    struct kernel_sched_attr attr = {0};

    if (kernel_sched_getattr(0, &attr) < 0 || attr.policy != SCHED_OTHER)
        return;
    attr.size = sizeof(attr);
    attr.runtime = TURN_NS;
    (void)kernel_sched_setattr(0, &attr);
}

/* What was to become the guest and was killed on the way has none of what it had not done yet, and is no guest. */
static void check_become(struct cage_context *context, pid_t guest)
{
    uint64_t missing = context->terms->requested & ~context->report->achieved;
    unsigned step = 0;

    if (missing == 0)
        return;
    while (!(missing >> step & 1))
        step++;
    if (kernel_wait(guest, &context->report->wait_status, 0) < 0)
        cage_init_fail(context, CAGE_AT_PROOF, -EPERM);
    cage_init_fail(context, step, 0);
}

/* The cage is built; the rest of its life. */
static void run(struct cage_context *context) __attribute__((noreturn));
static void run(struct cage_context *context)
{
    pid_t guest;
    int r;

    guest = cage_start_guest(context);
    if (context->report->failed_step >= 0)
        kernel_exit(1);
    if (guest < 0)
        cage_init_fail(context, CAGE_AT_START, guest);
    check_become(context, guest);
    r = let_go(context);
    if (r < 0)
        cage_init_fail(context, CAGE_AT_START, r);
    r = context->terms->observe ? cage_observe_prove(guest) : 0;
    if (r < 0)
        cage_init_fail(context, CAGE_AT_OBSERVE, r);
    take_short_turns();
    context->report->started = 1;
    cage_notify_loop(context, guest);
    kernel_exit(0);
}

static int settle_down(struct cage_context *context)
{
    int r = keep_needed(context);

    if (r == 0)
        r = watch_children(context);
    return r < 0 ? r : fill_low(context);
}

void cage_init_main(struct cage_context *context)
{
    int r;

    kernel_umask(0);
    (void)kernel_setsid(); /* fails only for a group leader, which a fresh process is not */
    r = cage_launcher_forget(context->environment);
    if (r == 0)
        r = settle_down(context);
    if (r < 0)
        cage_init_fail(context, CAGE_AT_START, r);
    build(context, FRESH);
    if (context->keeps)
        cage_keep_main(context);
    run(context);
}

int cage_init_kept(void *argument)
{
    const struct kernel_sigaction action = {.handler = SIG_DFL};
    struct cage_context *context = argument;
    int r;

    r = kernel_sigaction_set(SIGCHLD, &action); /* which a keeper ignores; its session, without a terminal, is ours */
    if (r == 0)
        r = settle_down(context);
    if (r < 0)
        cage_init_fail(context, CAGE_AT_START, r);
    build(context, KEPT);
    run(context);
}
