/* guest_child.c - the last steps: from our process to the guest's
 *
 * Runs in: a child of the cage's first process that shares its memory and descriptors until the exec (so the parent
 * waits, and the filter's listener is in the parent's hands without being sent).
 * Privilege: full in the cage's user namespace at the start, none at the exec.
 * Must not: allocate, log, return, or exec with a promise unkept.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/mutation.h"
#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <string.h>

/* --- session --- */

/* All others have their default since the cage's first process began. */
static int reset_signals(void)
{
    const struct kernel_sigaction action = {.handler = SIG_DFL};
    int r = kernel_sigaction_set(SIGPIPE, &action);

    if (r == 0)
        r = kernel_sigaction_set(SIGXFSZ, &action);
    return r < 0 ? r : kernel_block_only(0);
}

/* Where somebody has changed since what the launcher may use, that is what the guest has. */
int cage_guest_free_processors(const struct cage_host *host)
{
    cpu_set_t now = {0};
    int r;

    if (!host->is_bound)
        return 0;
    r = kernel_getaffinity(0, &now);
    if (r < 0)
        return r;
    return memcmp(&now, &host->processors.bound_to, sizeof(now)) == 0 ? kernel_setaffinity(0, &host->processors.free)
                                                                      : 0;
}

static int apply_session(struct cage_context *context)
{
    int r;

    kernel_umask(022);
    r = cage_guest_free_processors(context->host);
    if (r == 0)
        r = kernel_setsid();
    return r < 0 ? r : reset_signals();
}

static int prove_session(struct cage_context *context)
{
    (void)context;
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY, 0);

    return kernel_getsid(0) == kernel_getpid() && fd < 0 ? 0 : -EPERM;
}

/* --- descriptors --- */

/* The ends are above every target number: they came when those were taken. */
static int apply_descriptors(struct cage_context *context)
{
    const int *ends = context->ends;
    const int in_place[] = {ends[CAGE_END_STDIN], ends[CAGE_END_STDOUT], ends[CAGE_END_STDERR], ends[CAGE_END_MARK]};
    unsigned count = ends[CAGE_END_MARK] >= 0 ? 4 : 3;

    for (unsigned target = 0; target < count; target++) {
        int r = kernel_dup3(in_place[target], (int)target, 0);
        if (r < 0)
            return r;
    }
    return kernel_close_range(count, ~0u, CLOSE_RANGE_CLOEXEC);
}

/* --- limits of one process --- */

static rlim_t limit_value(const struct cage_context *context, enum policy_limit_key key, rlim_t unlimited)
{
    const struct policy_limit *limit = &context->terms->limits[key];

    return limit->unlimited ? unlimited : (rlim_t)limit->value;
}

/* Without a group, this is what bounds the processes, and it counts ours too where both have one id. With a group it is
 * a second wall behind it. */
static rlim_t process_limit(const struct cage_context *context)
{
    bool grouped = context->terms->uses_cgroup[CAGE_PIDS];
    rlim_t value = limit_value(context, POLICY_LIMIT_PROCESSES, RLIM_INFINITY);
    rlim_t own = 1 + (context->keeper_root != 0) + (context->zygote > 0); /* the first process, its keeper, a zygote */

    if (value == RLIM_INFINITY)
        return value;
    return value + (grouped ? 64 : context->host->has_own_ids ? 0 : own);
}

static rlim_t memory_limit(const struct cage_context *context)
{
    return context->terms->uses_cgroup[CAGE_MEMORY] ? RLIM_INFINITY
                                                    : limit_value(context, POLICY_LIMIT_MEMORY_BYTES, RLIM_INFINITY);
}

/* Seconds, rounded up. With a group the supervisor's clock is the exact one, and this stands a little behind it. */
static rlim_t cpu_limit_s(const struct cage_context *context)
{
    rlim_t ms = limit_value(context, POLICY_LIMIT_CPU_MS, RLIM_INFINITY);
    bool grouped = context->terms->uses_cgroup[CAGE_CPUACCT];

    return ms == RLIM_INFINITY ? ms : (ms + 999) / 1000 + (grouped ? 2 : 0);
}

#define RLIMIT_ROWS 13
struct rlimit_row {
    int id;
    struct rlimit limit;
};

static void fill_limits(const struct cage_context *context, struct rlimit_row rows[RLIMIT_ROWS])
{
#define BOTH(value)                                                                                                    \
    {                                                                                                                  \
        value, value                                                                                                   \
    }
    /* A core limit of 1 and no other keeps a crash from the host's core handler, which is root: at 0 it runs. The
     * kernel's log has a line then, so without a handler it is 0. */
    const rlim_t core = context->host->core_is_piped ? 1 : 0;
    const struct rlimit_row filled[RLIMIT_ROWS] = {
        {RLIMIT_NOFILE, BOTH(limit_value(context, POLICY_LIMIT_OPEN_FILES, RLIM_INFINITY))},
        {RLIMIT_FSIZE, BOTH(limit_value(context, POLICY_LIMIT_FILE_BYTES, RLIM_INFINITY))},
        {RLIMIT_NPROC, BOTH(process_limit(context))},
        {RLIMIT_DATA, BOTH(memory_limit(context))},
        {RLIMIT_CPU, BOTH(cpu_limit_s(context))},
        {RLIMIT_AS, BOTH(RLIM_INFINITY)},
        {RLIMIT_STACK, {limit_value(context, POLICY_LIMIT_STACK_BYTES, RLIM_INFINITY), RLIM_INFINITY}},
        {RLIMIT_CORE, BOTH(core)},
        {RLIMIT_NICE, BOTH(0)},
        {RLIMIT_RTPRIO, BOTH(0)},
        {RLIMIT_MEMLOCK, BOTH(8u << 20)},
        {RLIMIT_MSGQUEUE, BOTH(819200)},
        {RLIMIT_SIGPENDING, BOTH(1024)},
    };
#undef BOTH

    memcpy(rows, filled, sizeof(filled));
}

static rlim_t lower(rlim_t a, rlim_t b)
{
    return a < b ? a : b;
}

/* Nobody may hand out more than they have. Where that matters for a promise, the plan has refused the run. */
int cage_guest_rlimit(int id, const struct rlimit *limit)
{
    struct rlimit now, wanted = *limit;
    int r = kernel_rlimit(id, &wanted, NULL);

    if (r != -EPERM)
        return r;
    r = kernel_rlimit(id, NULL, &now);
    if (r < 0)
        return r;
    wanted.rlim_max = lower(wanted.rlim_max, now.rlim_max);
    wanted.rlim_cur = lower(wanted.rlim_cur, wanted.rlim_max);
    return kernel_rlimit(id, &wanted, NULL);
}

static int apply_rlimits(struct cage_context *context)
{
    struct rlimit_row rows[RLIMIT_ROWS];
    int r = 0;

    fill_limits(context, rows);
    for (size_t i = 0; i < RLIMIT_ROWS && r == 0; i++)
        r = cage_guest_rlimit(rows[i].id, &rows[i].limit);
    return r;
}

static int prove_rlimits(struct cage_context *context)
{
    struct rlimit_row rows[RLIMIT_ROWS];

    fill_limits(context, rows);
    for (size_t i = 0; i < RLIMIT_ROWS; i++) {
        struct rlimit now;
        int r = kernel_rlimit(rows[i].id, NULL, &now);
        if (r < 0)
            return r;
        if (now.rlim_cur > rows[i].limit.rlim_cur || now.rlim_max > rows[i].limit.rlim_max ||
            (rows[i].id == RLIMIT_CORE && now.rlim_cur != rows[i].limit.rlim_cur))
            return -EPERM;
    }
    return 0;
}

/* --- identity --- */

static int apply_identity(struct cage_context *context)
{
    /* Without rights the map has one id, and we are it. */
    return context->host->has_own_ids ? cage_identity_set(CAGE_GUEST_ID) : 0;
}

/* Where they could not be dropped, there were none but its own, which counts as none. */
static bool has_further_groups(const struct cage_context *context)
{
    gid_t group = 0;
    int count = kernel_groups(1, &group);

    return count != 0 && (context->host->has_own_ids || count != 1 || group != CAGE_GUEST_ID);
}

static int prove_identity(struct cage_context *context)
{
    int r = cage_identity_prove(CAGE_GUEST_ID);

    return r == 0 && has_further_groups(context) ? -EPERM : r;
}

/* --- capabilities --- */

static int apply_capabilities(struct cage_context *context)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {0};

    int r = kernel_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);

    if (r == 0)
        r = KERNEL(SYS_capset, &header, none);
    if (r == 0 &&
        context->no_exec) /* the change of ids has taken its own /proc from it, and an exec would give it back */
        r = kernel_prctl(PR_SET_DUMPABLE, 1, 0);
    return r;
}

static int prove_capabilities(struct cage_context *context)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[2];

    int r = KERNEL(SYS_capget, &header, now);

    (void)context;
    if (r < 0)
        return r;
    for (int i = 0; i < 2; i++)
        if (now[i].effective | now[i].permitted | now[i].inheritable)
            return -EPERM;
    return 0;
}

/* --- no_new_privs, filter --- */

static int apply_no_new_privs(struct cage_context *context)
{
    (void)context;
    return kernel_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
}

static int prove_no_new_privs(struct cage_context *context)
{
    (void)context;
    return kernel_prctl(PR_GET_NO_NEW_PRIVS, 0, 0) == 1 ? 0 : -EPERM;
}

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* Where calls are notified that go on, a signal should not make them fail meanwhile; older kernels cannot help it. */
static int load_filter(const struct cage_terms *terms, struct sock_fprog *program)
{
    int fd = -EINVAL;

    if (terms->judge)
        fd = kernel_seccomp(SECCOMP_SET_MODE_FILTER,
                            SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, program);
    return fd == -EINVAL ? kernel_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, program) : fd;
}

/* From here to the exec nothing may be called that a filter could deny or report: this process's parent waits for its
 * exec, and is the one who answers. What every filter allows is execve and exit_group (policy/profile.h). */
static int apply_filter(struct cage_context *context)
{
    const struct cage_terms *terms = context->terms;
    unsigned count = terms->filter_count;
    const struct sock_filter *filter =
        terms->filter ? terms->filter : cage_filter(terms->network == POLICY_NETWORK_LOOPBACK, &count);
    struct sock_fprog program = {.len = (unsigned short)count, .filter = (struct sock_filter *)(uintptr_t)filter};
    int fd;

    context->start_us = kernel_clock_us();
    fd = load_filter(terms, &program);
    if (fd < 0)
        return fd;
    context->listener_fd = fd; /* closed in the guest by its exec, or when it has been taken */
    return 0;
}

/* Every filter answers ENOSYS to this one, the kernel EINVAL. */
static int prove_filter(struct cage_context *context)
{
    (void)context;
    return KERNEL(SYS_clone3, 0, 0) == -ENOSYS ? 0 : -EPERM;
}

/* --- the walk --- */

static const struct {
    enum cage_step step;
    int (*apply)(struct cage_context *);
    int (*prove)(struct cage_context *); /* NULL: success of apply is all that can be known */
} rows[] = {
    {CAGE_STEP_SESSION, apply_session, prove_session},
    {CAGE_STEP_DESCRIPTORS, apply_descriptors, NULL},
    {CAGE_STEP_IDENTITY, apply_identity, prove_identity},
    {CAGE_STEP_CAPABILITIES, apply_capabilities, prove_capabilities},
    {CAGE_STEP_NO_NEW_PRIVS, apply_no_new_privs, prove_no_new_privs},
    {CAGE_STEP_LANDLOCK, cage_landlock_apply, NULL}, /* opens files: before the limit on them */
    {CAGE_STEP_RLIMITS, apply_rlimits, prove_rlimits},
    {CAGE_STEP_SYSCALL_FILTER, apply_filter, prove_filter},
};

uint64_t cage_guest_steps(void)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        bits |= UINT64_C(1) << rows[i].step;
    return bits;
}

static int fail(struct cage_context *context, int step, int r)
{
    context->report->failed_errno = -r;
    context->report->failed_step = step;
    return r;
}

static int do_row(struct cage_context *context, size_t i)
{
    const uint64_t bit = UINT64_C(1) << rows[i].step;
    bool done = !(context->without & bit);
    int r = done ? rows[i].apply(context) : 0;

    if (!done)
        cage_mutation_instead(context, rows[i].step);
    if (r == 0 && done && rows[i].prove)
        r = rows[i].prove(context);
    if (r < 0)
        return fail(context, rows[i].step, r);
    context->report->achieved |= bit;
    return 0;
}

int cage_guest_walk(struct cage_context *context, uint64_t steps)
{
    const uint64_t asked = context->terms->requested & steps;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int r = asked >> rows[i].step & 1 ? do_row(context, i) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

static int check_achieved(struct cage_context *context)
{
    const uint64_t requested = context->terms->requested;

    return (context->report->achieved & requested) == requested ? 0 : fail(context, CAGE_AT_PROOF, -EPERM);
}

static int become(struct cage_context *context)
{
    int r = cage_guest_walk(context, cage_guest_steps());

    if (r == 0)
        r = check_achieved(context);
    if (r < 0)
        return r;
    if (context->start_us == 0)
        context->start_us = kernel_clock_us();
    context->report->start_us = context->start_us;
    return context->start_us ? 0 : fail(context, CAGE_AT_EXEC, -ENOSYS); /* no clock: no limit would hold */
}

/* Returns where it fails. (Not said to return never: a sanitizer would look at this borrowed stack, and speak.) */
static void exec_program(struct cage_context *context)
{
    const struct cage_order *order = context->order;

    (void)fail(context, CAGE_AT_EXEC, kernel_execve(order->argv[0], order->argv, order->envp));
}

int cage_guest_main(void *argument)
{
    if (become(argument) == 0)
        exec_program(argument);
    kernel_exit(1);
}

/* Only what every filter allows, and read, may be called after the walk. The clock is set by who says the word. */
int cage_guest_ahead_main(void *argument)
{
    struct cage_context *context = argument;
    uint64_t word;

    if (cage_guest_walk(context, cage_guest_steps() & ~CAGE_BIT(DESCRIPTORS)) < 0)
        kernel_exit(1);
    if (kernel_read(context->go_fd, &word, sizeof(word)) != sizeof(word))
        kernel_exit(1);
    if (check_achieved(context) == 0)
        exec_program(context);
    kernel_exit(1);
}
