/* python.c - CPython as a zygote: preloaded into it, this stops it just before it opens its program
 *
 * Runs in: an interpreter that the keeper has started in its own namespaces, with full rights in the slot's user
 * namespace (zygote.h); from guest_main() on in the guest-to-be.
 * Must not: run a byte of a guest's before all of the guest's steps are done and the listener is handed over.
 *
 * Theory of operation: the interpreter starts as it would for a program of the path that FUMEHOOD_ZYGOTE names, which
 * is not there. Everything up to its opening is the interpreter's own doing: settings, site, streams, sys. There it
 * calls fopen(), which is here. It imports what is to be preloaded, and then forks a guest for each request. Such a
 * fork joins the cage's namespaces, becomes the guest step by step as one that would exec, waits for its program where
 * that is not known yet, and runs it with no frame of anybody else's on the interpreter's stack (program.c).
 */
#include "base/cleanup.h"
#include "cage/kernel.h"
#include "cage/zygote.h"
#include "zygote/interpreter.h"
#include "zygote/libraries.h"
#include "zygote/pages.h"
#include "zygote/program.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- before any guest --- */

static struct {
    bool stands;    /* this is a zygote, or begins to be one: not what it has forked */
    char path[512]; /* of the program that is not there */
    char preload[4096];
} zygote;

/* The interpreter, which reads its environment later, sees none of this: it stands before all that is a guest's. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FUMEHOOD_ZYGOTE"), *preload = getenv("FUMEHOOD_PRELOAD");

    if (!path || !preload)
        return;
    (void)snprintf(zygote.path, sizeof(zygote.path), "%s", path);
    (void)snprintf(zygote.preload, sizeof(zygote.preload), "%s", preload);
    zygote.stands = true;
    environ += CAGE_ZYGOTE_TEXTS;
}

/* The keeper hears why. */
static void give_up(const char *why, const char *name) __attribute__((noreturn));
static void give_up(const char *why, const char *name)
{
    char text[ZYGOTE_WHY_BYTES];
    int length = snprintf(text, sizeof(text), "%s%s", why, name);

    if (length > 0)
        (void)send(ZYGOTE_LINE_FD, text, strlen(text), MSG_NOSIGNAL);
    _exit(1);
}

/* Its output is a pipe. What it says there, or does beside, would be missing in its forks. */
static bool is_quiet(void)
{
    struct stat tasks;
    int said = 0;

    zygote_program_flush("stdout");
    zygote_program_flush("stderr");
    return ioctl(STDOUT_FILENO, FIONREAD, &said) == 0 && said == 0 && stat("/proc/self/task", &tasks) == 0 &&
           tasks.st_nlink == 3; /* its folder, itself, one thread */
}

static void preload(void)
{
    char *rest = zygote.preload, *name;

    while ((name = strsep(&rest, " ")))
        if (*name && !zygote_py.import(name))
            give_up("there is no module ", name);
    if (!zygote_program_note_preloaded())
        give_up("it has no memory", "");
}

/* What is there before the first fork need not be made, nor copied, in each. */
static void warm_up(void)
{
    static const char text[] =
        "exec(compile('def _(n):\\n return [i for i in range(n) if i % 2]\\nassert _(9)', '_', 'exec'), {})\n"
        "__import__('gc').collect()\n"
        "__import__('gc').freeze()\n";

    if (zygote_py.run_simple(text, NULL) < 0)
        give_up("it runs no program", "");
    if (!is_quiet())
        give_up("it prints or has threads before its program", "");
}

/* --- what it is told --- */

static struct zygote_request request;
static union {
    struct sock_filter filter[CAGE_FILTER_MAX]; /* of a request */
    char texts[ZYGOTE_TEXT_BYTES];              /* of a program */
} rest;

/* One message: its head, its rest, descriptors. How many bytes the rest has, or -1. */
static ssize_t receive(int line_fd, int flags, struct iovec head, int *fds, size_t fd_max, size_t *ret_fd_count)
{
    char control[CMSG_SPACE(ZYGOTE_FD_MAX * sizeof(int))] __attribute__((aligned(sizeof(size_t))));
    struct iovec iov[] = {head, {&rest, sizeof(rest)}};
    struct msghdr message = {
        .msg_iov = iov, .msg_iovlen = 2, .msg_control = control, .msg_controllen = CMSG_SPACE(fd_max * sizeof(int))};
    struct cmsghdr *header;
    ssize_t count;

    do
        count = recvmsg(line_fd, &message, flags);
    while (count < 0 && errno == EINTR);
    header = CMSG_FIRSTHDR(&message);
    if (count < (ssize_t)head.iov_len || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || !header)
        return -1;
    *ret_fd_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(fds, CMSG_DATA(header), *ret_fd_count * sizeof(int));
    return count - (ssize_t)head.iov_len;
}

static bool receive_request(int fds[ZYGOTE_FD_MAX])
{
    const struct iovec head = {&request, sizeof(request)};
    size_t fd_count;
    ssize_t count = receive(ZYGOTE_LINE_FD, MSG_CMSG_CLOEXEC, head, fds, ZYGOTE_FD_MAX, &fd_count);

    if (count == 0 && request.moves)
        return fd_count <= ZYGOTE_MOVE_MAX;
    return count >= 0 && (fd_count == ZYGOTE_FD_MIN || fd_count == ZYGOTE_FD_MAX) &&
           (size_t)count == request.filter_count * sizeof(struct sock_filter);
}

/* The streams get the lowest numbers, which are free. */
static bool receive_program(int run_fd, struct zygote_program *ret_program)
{
    const struct iovec head = {ret_program, sizeof(*ret_program)};
    int fds[ZYGOTE_STREAMS_MAX];
    size_t fd_count;
    ssize_t count = receive(run_fd, 0, head, fds, ZYGOTE_STREAMS_MAX, &fd_count);

    if (count < 0 || (size_t)count != ret_program->text_bytes || fd_count != ret_program->stream_count)
        return false;
    for (int i = 0; i < (int)fd_count; i++)
        if (fds[i] != i)
            return false;
    return true;
}

/* --- the guest-to-be --- */

/* Of the descriptors only its line stays. It has all the numbers that streams will have, and another. */
static int keep_line(int *run_fd)
{
    int r = cage_fd_high(run_fd);

    if (r == 0 && !(request.without & CAGE_BIT(DESCRIPTORS)))
        r = cage_close_all_but(run_fd, 1);
    for (int low = 0; low < ZYGOTE_STREAMS_MAX && r == 0; low++)
        r = dup3(*run_fd, low, O_CLOEXEC) < 0 ? -errno : 0;
    return r;
}

static int join(int fds[ZYGOTE_FD_MAX])
{
    uint64_t root = 0;

    if (!(request.without & CAGE_BIT(MOUNT_NS)) && setns(fds[ZYGOTE_MOUNT_NS], CLONE_NEWNS) < 0)
        return -errno;
    if (!(request.without & CAGE_BIT(IPC_NS)) && setns(fds[ZYGOTE_IPC_NS], CLONE_NEWIPC) < 0)
        return -errno;
    if (fds[ZYGOTE_CGROUP_NS] >= 0 && !(request.without & CAGE_BIT(CGROUP_NS)) &&
        setns(fds[ZYGOTE_CGROUP_NS], CLONE_NEWCGROUP) < 0)
        return -errno;
    if (cage_mount_number(&root) < 0 || root != request.root || chdir("/work") < 0)
        return -EPERM;
    return keep_line(&fds[ZYGOTE_RUN]);
}

/* As the interpreter had them. */
static void ignore_again(void)
{
    const struct kernel_sigaction action = {.handler = SIG_IGN};

    (void)kernel_sigaction_set(SIGPIPE, &action);
    (void)kernel_sigaction_set(SIGXFSZ, &action);
}

/* The interpreter does what it does after a fork without rights, but before the filter: nobody answers yet. */
static int become(int fds[ZYGOTE_FD_MAX], struct cage_report *report, int *ret_listener_fd)
{
    const uint64_t last = CAGE_BIT(SYSCALL_FILTER), none = CAGE_BIT(DESCRIPTORS); /* they come with the program */
    struct cage_terms *terms = &request.terms;
    struct cage_context context = {
        .report = report,
        .host = &request.host,
        .terms = terms,
        .without = request.without,
        .top_folders = request.top_folders,
        .keeper_root = request.root, /* there is one, and we are there */
        .zygote = 1,
        .no_exec = true,
        .listener_fd = -1,
    };
    int r = join(fds);

    if (r < 0) {
        report->failed_step = CAGE_AT_START;
        report->failed_errno = -r;
        return r;
    }
    terms->filter = rest.filter;
    terms->filter_count = request.filter_count;
    terms->judge = NULL;
    r = cage_guest_walk(&context, ~(last | none));
    if (r < 0)
        return r;
    ignore_again();
    zygote_py.after_fork_child();
    r = cage_guest_walk(&context, last);
    *ret_listener_fd = context.listener_fd;
    return r;
}

/* From here on the filter is in force, and until its streams are there nobody answers: only recvmsg, write, close and
 * exit_group may be used (cage_zygote_refuses). */
static void say_ready(int run_fd, const struct cage_report *report, int listener_fd)
{
    const struct zygote_reply reply = {
        .achieved = report->achieved,
        .failed_step = report->failed_step,
        .failed_errno = report->failed_errno,
        .listener_fd = listener_fd,
    };

    if (write(run_fd, &reply, sizeof(reply)) != sizeof(reply) || reply.failed_step >= 0)
        _exit(1);
    for (int low = 0; low < ZYGOTE_STREAMS_MAX; low++)
        (void)close(low);
}

static void wait_for_program(int run_fd, int listener_fd, struct zygote_program *ret_program)
{
    if (!receive_program(run_fd, ret_program) || write(run_fd, "", 1) != 1)
        _exit(1);
    (void)close(listener_fd);
    (void)close(run_fd);
}

static void end(int status) __attribute__((noreturn));
static void end(int status)
{
    if (zygote_libraries_want_end())
        exit(status);
    (void)fflush(NULL);
    _exit(status);
}

/* The program's path is the last word of the interpreter's command; arguments follow it. */
static void run_program(const struct zygote_program *program) __attribute__((noreturn));
static void run_program(const struct zygote_program *program)
{
    const char *path = rest.texts;
    uint32_t skip = 0;

    for (; strncmp(path, "/work/", 6) != 0 && skip < program->arg_count; skip++)
        path += strlen(path) + 1;
    end(zygote_program_run(path, program->arg_count - skip - 1));
}

/* The guest can read its own memory: what of the machine was needed to become it is not for it. */
static void forget_host(void)
{
    explicit_bzero(&request, sizeof(request));
}

static void guest_main(int fds[ZYGOTE_FD_MAX]) __attribute__((noreturn));
static void guest_main(int fds[ZYGOTE_FD_MAX])
{
    static struct cage_report report = {.failed_step = -1};
    struct zygote_program program;
    int listener_fd = -1;

    zygote_pages_own();
    zygote.stands = false; /* from here on fopen() is fopen() */
    (void)become(fds, &report, &listener_fd);
    forget_host();
    say_ready(fds[ZYGOTE_RUN], &report, listener_fd);
    wait_for_program(fds[ZYGOTE_RUN], listener_fd, &program);
    run_program(&program);
}

/* --- the zygote --- */

/* What the C library has told the kernel of our one thread; a fork without its help needs it again. */
static struct {
    int *id; /* where it keeps its number */
    void *robust_list;
    size_t robust_list_bytes;
} thread;

static bool find_thread(void)
{
    return prctl(PR_GET_TID_ADDRESS, &thread.id, 0, 0, 0) == 0 && thread.id &&
           syscall(SYS_get_robust_list, 0, &thread.robust_list, &thread.robust_list_bytes) == 0;
}

/* CLONE_PARENT makes them. */
static bool has_children(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

static void tell_end(int run_fd, int status, const struct rusage *usage)
{
    const struct zygote_end end = {
        .status = status, .has_strays = has_children(), .cpu_us = kernel_usage_cpu_us(usage)};

    (void)send(run_fd, &end, sizeof(end), MSG_NOSIGNAL | MSG_DONTWAIT); /* nobody is there: the cage was killed */
}

/* Until its cage is dead. A guest can make others of our children too, and the cage cannot end before we have reaped
 * them. */
static void wait_for_all(pid_t guest, int run_fd)
{
    struct rusage usage;
    int status;
    pid_t pid;

    while ((pid = wait4(-1, &status, __WALL, &usage)) > 0 || errno == EINTR)
        if (pid == guest)
            tell_end(run_fd, status, &usage);
}

/* As fork() for a process with one thread, but born in another group: what the C library remembers of its own thread is
 * set right by the kernel. Nothing that stands ready here has asked to be told of forks. */
static pid_t fork_into(int group_fd)
{
    struct clone_args args = {
        .flags = CLONE_INTO_CGROUP | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID,
        .child_tid = (uint64_t)(uintptr_t)thread.id,
        .exit_signal = SIGCHLD,
        .cgroup = (uint64_t)group_fd,
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

    if (pid == 0)
        (void)syscall(SYS_set_robust_list, thread.robust_list, thread.robust_list_bytes);
    return pid;
}

/* Into the cage's process tree. Where it is not to be had, mostly because the cage is dead before anything ran in it,
 * who asked for it hears that its line is closed. */
static pid_t fork_guest(int fds[ZYGOTE_FD_MAX])
{
    pid_t pid;

    if (!(request.without & CAGE_BIT(PID_NS)) && setns(fds[ZYGOTE_PID_NS], CLONE_NEWPID) < 0)
        return -1;
    zygote_py.before_fork();
    pid = fds[ZYGOTE_GROUP] < 0 ? fork() : fork_into(fds[ZYGOTE_GROUP]);
    if (pid == 0)
        guest_main(fds);
    zygote_py.after_fork_parent();
    return pid;
}

/* To where the keeper is. Nobody is below us now. */
static void follow(const int fds[ZYGOTE_FD_MAX])
{
    int ns_fd = fds[ZYGOTE_MOVE_CGROUP_NS];

    if (write(fds[ZYGOTE_MOVE_TASKS], "0", 1) != 1 || (ns_fd >= 0 && setns(ns_fd, CLONE_NEWCGROUP) < 0) ||
        write(ZYGOTE_LINE_FD, "", 1) != 1)
        _exit(1); /* the keeper hears that its line is closed */
    for (int i = 0; i < ZYGOTE_MOVE_MAX; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

static void serve_one(int own_pid_fd)
{
    int fds[ZYGOTE_FD_MAX] = {-1, -1, -1, -1, -1, -1};
    pid_t pid;

    if (!receive_request(fds))
        _exit(0); /* the keeper is gone, or talks nonsense */
    if (request.moves) {
        follow(fds);
        return;
    }
    pid = fork_guest(fds);
    for (int i = ZYGOTE_RUN + 1; i < ZYGOTE_FD_MAX; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    (void)setns(own_pid_fd, CLONE_NEWPID); /* nothing of a dead cage is held */
    forget_host();                         /* the next fork has a copy of all that is here */
    if (pid > 0)
        wait_for_all(pid, fds[ZYGOTE_RUN]);
    (void)close(fds[ZYGOTE_RUN]);
}

/* An empty program, in a fork that is no guest, shows what every program does. */
static void run_empty(int say_fd) __attribute__((noreturn));
static void run_empty(int say_fd)
{
    int program_fd = memfd_create("empty", MFD_CLOEXEC);
    char path[32];

    zygote.stands = false;
    zygote_py.after_fork_child();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", program_fd);
    (void)zygote_program_run(path, 0);
    zygote_pages_note(say_fd);
    _exit(0);
}

static void rehearse(void)
{
    int fds[2];
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return;
    zygote_pages_begin();
    zygote_py.before_fork();
    pid = fork();
    if (pid == 0)
        run_empty(fds[1]);
    zygote_py.after_fork_parent();
    (void)close(fds[1]);
    zygote_pages_learn(fds[0]);
    (void)close(fds[0]);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
}

static void serve(void) __attribute__((noreturn));
static void serve(void)
{
    int own_pid_fd;

    if (!zygote_interpreter_find())
        give_up("it lacks functions of CPython", "");
    (void)zygote_py.gil_ensure();
    if (!zygote_program_prepare(zygote.path))
        give_up("it lacks modules of CPython", "");
    preload();
    warm_up();
    zygote_pages_inherit();
    zygote_libraries_note();
    rehearse();
    own_pid_fd = KERNEL(SYS_pidfd_open, getpid(), 0);
    if (own_pid_fd < 0 || !find_thread() || cage_bounding_empty() < 0 || write(ZYGOTE_LINE_FD, "", 1) != 1)
        give_up("it cannot begin", "");
    for (;;)
        serve_one(own_pid_fd);
}

/* The interpreter opens its program with this, and has given up its lock meanwhile. */
__attribute__((visibility("default"))) FILE *fopen64(const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    void *found = dlsym(RTLD_NEXT, "fopen64");

    if (zygote.stands && strcmp(path, zygote.path) == 0)
        serve();
    memcpy(&next, &found, sizeof(found));
    return next(path, mode);
}
