/* zygote_child.c - a zygote is started, and asked to fork a guest
 *
 * Runs in: a keeper (start), and the first process of a kept cage (the rest). src/zygote is the other side.
 * Privilege: full in the slot's user namespace. Must not: allocate, log.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/plain.h"
#include "cage/zygote.h"
#include <errno.h>
#include <linux/capability.h>
#include <linux/memfd.h>

#define START_STACK_BYTES (64 * 1024)

/* --- start --- */

struct start {
    const struct cage_shared *shared;
    /* Like a guest's streams, so that what an interpreter makes of them fits: what it reads is a file, the rest a pipe,
     * whose other end must be somewhere. */
    int input_fd, null_fds[2];
    int line_fd, preload_fd;
};

/* The exec of whoever is not root keeps only what is ambient. */
static int keep_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}, {0}};
    int r = KERNEL(SYS_capget, &header, data);

    for (int i = 0; i < 2; i++)
        data[i].inheritable = data[i].permitted;
    if (r == 0)
        r = KERNEL(SYS_capset, &header, data);
    for (unsigned long capability = 0; capability <= CAP_LAST_CAP && r == 0; capability++)
        (void)kernel_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability); /* one that this kernel has not */
    return r;
}

static int exec_zygote(void *argument)
{
    const struct rlimit stack = {CAGE_STACK_BYTES,
                                 RLIM_INFINITY}; /* what the C library gives threads is settled then */
    const struct start *start = argument;
    const int from[] = {start->input_fd, start->null_fds[1], start->null_fds[1],
                        start->line_fd,  start->preload_fd,  start->null_fds[0]};
    int r = keep_capabilities();

    for (int to = 0; to < (int)ARRAY_COUNT(from) && r >= 0; to++)
        r = kernel_dup3(from[to], to, 0); /* all of them are above these numbers */
    if (r >= 0)
        r = kernel_close_range(ARRAY_COUNT(from), ~0u, 0);
    if (r >= 0)
        r = kernel_block_only(0);
    kernel_umask(022);
    if (r >= 0)
        r = cage_guest_rlimit(RLIMIT_STACK, &stack);
    if (r >= 0) /* what is preloaded may count processors */
        r = cage_guest_free_processors(&start->shared->host);
    if (r >= 0)
        (void)kernel_execve(start->shared->zygote.argv[0], start->shared->zygote.argv, start->shared->zygote.envp);
    kernel_exit(127);
}

/* It says one byte when it stands before its program, or why it does not. */
static int wait_until_ready(struct cage_context *context)
{
    char text[ZYGOTE_WHY_BYTES] = {0};
    long count;

    do
        count = kernel_read(context->zygote_fd, text, sizeof(text) - 1);
    while (count == -EINTR);
    if (count == 1)
        return 0;
    _Static_assert(sizeof(text) == sizeof(context->report->zygote_why), "one length of reasons");
    memcpy(context->report->zygote_why, text, sizeof(text));
    return count < 0 ? (int)count : -ENOEXEC;
}

static int above(int *fd)
{
    int high = kernel_fcntl(*fd, F_DUPFD_CLOEXEC, CAGE_HIGH_FD);

    (void)kernel_close(*fd);
    *fd = high;
    return high < 0 ? high : 0;
}

int cage_zygote_start(struct cage_context *context)
{
    static char stack[START_STACK_BYTES] __attribute__((aligned(64)));
    struct start start = {.shared = context->shared};
    int pair[2], r;

    if (!context->shared->zygote.argv)
        return 0;
    start.preload_fd = cage_line_wait_zygote(context);
    if (start.preload_fd < 0)
        return start.preload_fd;
    r = above(&start.preload_fd);
    if (r == 0)
        r = kernel_socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
    if (r == 0)
        r = KERNEL(SYS_pipe2, start.null_fds, O_CLOEXEC);
    if (r < 0)
        return r;
    context->zygote_fd = pair[0];
    start.line_fd = pair[1];
    r = above(&start.line_fd);
    if (r == 0)
        r = start.input_fd = KERNEL(SYS_memfd_create, "stdin", MFD_CLOEXEC);
    if (r >= 0)
        r = context->zygote =
            kernel_clone_on(CLONE_VM | CLONE_VFORK | SIGCHLD, stack + sizeof(stack), exec_zygote, &start, NULL, NULL);
    (void)kernel_close(start.line_fd);
    (void)kernel_close(start.preload_fd);
    (void)kernel_close(start.input_fd);
    (void)kernel_close(start.null_fds[0]);
    (void)kernel_close(start.null_fds[1]);
    r = r < 0 ? r : wait_until_ready(context);
    if (r == 0 && context->host->is_bound) /* where it fails, forks are slower */
        (void)kernel_setaffinity(context->zygote, &context->host->processors.bound_to);
    return r;
}

/* --- a guest --- */

static size_t texts_bytes(char *const *texts, uint32_t *ret_count)
{
    size_t bytes = 0;

    for (*ret_count = 0; texts[*ret_count]; ++*ret_count)
        bytes += cage_text_length(texts[*ret_count]) + 1;
    return bytes;
}

static void put_control(struct msghdr *message, const int *fds, unsigned count)
{
    struct cmsghdr *header = message->msg_control;

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    message->msg_controllen = CMSG_SPACE(count * sizeof(int));
}

/* Our namespaces, to be joined. Kernels before 6.11 have them in /proc alone. */
static int open_namespaces(int fds[ZYGOTE_FD_MAX], int end)
{
    static const struct {
        unsigned long request; /* PIDFD_GET_*_NAMESPACE */
        const char *path;
    } rows[ZYGOTE_FD_MAX] = {
        [ZYGOTE_PID_NS] = {0xff05, "/proc/self/ns/pid"},
        [ZYGOTE_MOUNT_NS] = {0xff03, "/proc/self/ns/mnt"},
        [ZYGOTE_IPC_NS] = {0xff02, "/proc/self/ns/ipc"},
        [ZYGOTE_CGROUP_NS] = {0xff01, "/proc/self/ns/cgroup"},
    };
    KERNEL_AUTO_CLOSE int own_fd = KERNEL(SYS_pidfd_open, kernel_getpid(), 0);

    if (own_fd < 0)
        return own_fd;
    for (int i = ZYGOTE_PID_NS; i < end; i++) {
        fds[i] = kernel_ioctl(own_fd, rows[i].request, NULL);
        if (fds[i] < 0)
            fds[i] = kernel_open(AT_FDCWD, rows[i].path, O_RDONLY, 0);
        if (fds[i] < 0)
            return fds[i]; /* what is open goes when we do */
    }
    return 0;
}

/* On the terms, which are complete. */
static int send_request(struct cage_context *context, int run_fd)
{
    const struct cage_terms *terms = context->terms;
    int fds[ZYGOTE_FD_MAX] = {[ZYGOTE_RUN] = run_fd, [ZYGOTE_GROUP] = context->run_fd};
    const unsigned fd_count = context->run_fd < 0 ? ZYGOTE_FD_MIN : ZYGOTE_FD_MAX;
    char control[CMSG_SPACE(sizeof(fds))] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct zygote_request request = {
        .terms = *terms, .host = *context->host, .without = context->without, .top_folders = context->top_folders};
    unsigned count = terms->filter_count;
    const struct sock_filter *filter =
        terms->filter ? terms->filter : cage_filter(terms->network == POLICY_NETWORK_LOOPBACK, &count);
    struct iovec iov[] = {{&request, sizeof(request)}, {(void *)(uintptr_t)filter, count * sizeof(*filter)}};
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2, .msg_control = control};
    int r = cage_mount_number(&request.root);

    request.filter_count = count;
    if (r == 0)
        r = open_namespaces(fds, fd_count == ZYGOTE_FD_MAX ? ZYGOTE_GROUP : ZYGOTE_FD_MIN);
    if (r < 0)
        return r;
    put_control(&message, fds, fd_count);
    r = kernel_sendmsg(context->zygote_fd, &message, MSG_NOSIGNAL);
    for (unsigned i = ZYGOTE_PID_NS; i < fd_count && i != ZYGOTE_GROUP; i++)
        (void)kernel_close(fds[i]);
    return r < 0 ? r : 0;
}

int cage_zygote_move(const struct cage_context *context, int tasks_fd, int ns_fd)
{
    static const struct zygote_request request = {.moves = 1};
    const int fds[ZYGOTE_MOVE_MAX] = {[ZYGOTE_MOVE_TASKS] = tasks_fd, [ZYGOTE_MOVE_CGROUP_NS] = ns_fd};
    char control[CMSG_SPACE(sizeof(fds))] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct iovec iov = {(void *)(uintptr_t)&request, sizeof(request)};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control};
    char done;
    long r;

    if (context->zygote <= 0)
        return 0;
    put_control(&message, fds, ns_fd < 0 ? 1 : ZYGOTE_MOVE_MAX);
    r = kernel_sendmsg(context->zygote_fd, &message, MSG_NOSIGNAL);
    if (r >= 0)
        do
            r = kernel_read(context->zygote_fd, &done, 1);
        while (r == -EINTR);
    return r == 1 ? 0 : r < 0 ? (int)r : -ESRCH;
}

int cage_zygote_ask(struct cage_context *context)
{
    const int on = 1;
    int pair[2], r = kernel_socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);

    if (r < 0)
        return r;
    context->guest_fd = pair[0];
    r = KERNEL(SYS_setsockopt, pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
    if (r == 0)
        r = send_request(context, pair[1]);
    (void)kernel_close(pair[1]);
    return r;
}

/* With the pid of who sent it, as it is called here. */
static int receive_reply(int run_fd, struct zygote_reply *ret_reply, pid_t *ret_pid)
{
    char control[CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(sizeof(size_t))));
    struct iovec iov = {ret_reply, sizeof(*ret_reply)};
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    const struct cmsghdr *header;
    struct ucred who;
    int count;

    do
        count = kernel_recvmsg(run_fd, &message, MSG_CMSG_CLOEXEC);
    while (count == -EINTR);
    if (count != (int)sizeof(*ret_reply)) /* or its end, which came first */
        return count < 0 ? count : -ESRCH;
    header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_CREDENTIALS)
        return -EPROTO;
    memcpy(&who, CMSG_DATA(header), sizeof(who));
    *ret_pid = who.pid;
    return 0;
}

/* All of the guest's steps but its streams; the first process answers for all others. */
static int note_reply(struct cage_context *context, const struct zygote_reply *reply)
{
    struct cage_report *report = context->report;
    const uint64_t wanted = context->terms->requested & ~CAGE_BIT(DESCRIPTORS);

    report->achieved |= reply->achieved & cage_guest_steps();
    if (reply->failed_step < 0)
        return (report->achieved & wanted) == wanted ? 0 : -EPERM;
    report->failed_errno = reply->failed_errno;
    report->failed_step = reply->failed_step;
    return -ECANCELED;
}

/* The filter's listener is in the guest's table, where it must not stay. */
static int take_listener(struct cage_context *context, pid_t pid, int their_fd)
{
    KERNEL_AUTO_CLOSE int pid_fd = KERNEL(SYS_pidfd_open, pid, 0);
    int fd = pid_fd < 0 ? pid_fd : KERNEL(SYS_pidfd_getfd, pid_fd, their_fd, 0);

    context->listener_fd = fd;
    return fd < 0 ? fd : 0;
}

/* What the supervisor has checked to be little enough (ZYGOTE_*). */
static int send_program(struct cage_context *context)
{
    const struct cage_order *order = context->order;
    const int *ends = context->ends;
    const int fds[ZYGOTE_STREAMS_MAX] = {ends[CAGE_END_STDIN], ends[CAGE_END_STDOUT], ends[CAGE_END_STDERR],
                                         ends[CAGE_END_MARK]};
    char control[CMSG_SPACE(sizeof(fds))] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct zygote_program program = {.stream_count = ends[CAGE_END_MARK] >= 0 ? 4 : 3};
    struct iovec iov[1 + ZYGOTE_ARGS_MAX] = {{&program, sizeof(program)}};
    struct msghdr message = {.msg_iov = iov, .msg_control = control};
    int r;

    program.text_bytes = (uint32_t)texts_bytes(order->argv, &program.arg_count);
    if (program.arg_count > ZYGOTE_ARGS_MAX)
        return -E2BIG;
    for (uint32_t i = 0; i < program.arg_count; i++)
        iov[1 + i] = (struct iovec){order->argv[i], cage_text_length(order->argv[i]) + 1};
    message.msg_iovlen = 1 + program.arg_count;
    put_control(&message, fds, program.stream_count);
    r = kernel_sendmsg(context->guest_fd, &message, MSG_NOSIGNAL);
    return r < 0 ? r : 0;
}

/* Its end may be told instead. */
static int wait_for_streams(struct cage_context *context)
{
    struct zygote_end end;
    long count;

    do
        count = kernel_read(context->guest_fd, &end, sizeof(end));
    while (count == -EINTR);
    return count == 1 ? 0 : count < 0 ? (int)count : -ESRCH;
}

/* Nobody could tell the end of a fork whose zygote is dead. */
static bool zygote_lives(const struct cage_context *context)
{
    struct pollfd fd = {.fd = context->zygote_fd};

    return kernel_poll(&fd, 1, 0) == 0;
}

static int begin(struct cage_context *context)
{
    int r;

    context->report->start_us = kernel_clock_us();
    if (context->report->start_us == 0) /* no limit would hold */
        return -ENOSYS;
    if (!zygote_lives(context))
        return -ESRCH;
    /* It runs nothing unless its streams are in place; what it runs may have its end before we hear of that. */
    context->report->achieved |= context->terms->requested & CAGE_BIT(DESCRIPTORS);
    r = send_program(context);
    if (r == 0)
        r = wait_for_streams(context);
    if (r < 0)
        context->report->achieved &= ~CAGE_BIT(DESCRIPTORS);
    return r;
}

pid_t cage_zygote_let_go(struct cage_context *context)
{
    struct zygote_reply reply;
    pid_t pid = -1;
    int r = context->guest_fd < 0 ? cage_zygote_ask(context) : 0;

    if (r == 0)
        r = receive_reply(context->guest_fd, &reply, &pid);
    if (r == 0)
        r = note_reply(context, &reply);
    if (r == 0)
        r = take_listener(context, pid, reply.listener_fd);
    if (r == 0)
        r = begin(context);
    return r < 0 ? r : pid;
}

bool cage_zygote_ended(struct cage_context *context, int *ret_status)
{
    struct zygote_end end;
    struct iovec iov = {&end, sizeof(end)};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
    int count = context->guest_fd < 0 ? -EAGAIN : kernel_recvmsg(context->guest_fd, &message, MSG_DONTWAIT);

    if (count == -EAGAIN || count == -EINTR)
        return false;
    if (count != (int)sizeof(end)) { /* nobody knows how the guest ends, and it ends with us */
        context->report->zygote_died = 1;
        kernel_exit(1);
    }
    *ret_status = end.status;
    context->report->fork_cpu_us = end.cpu_us;
    context->has_strays = end.has_strays;
    return true;
}
