/* python.c - CPython as a zygote: preloaded into it, this stops it just before it opens its program
 *
 * Runs in: an interpreter that the keeper has started in its own namespaces, with full rights in the slot's user
 * namespace (zygote.h); from guest_main() on in the guest-to-be.
 * Must not: run a byte of a guest's before cage_guest_become() has returned 0 and the listener is handed over.
 *
 * Theory of operation: the interpreter starts as it would for a program of the path that FUMEHOOD_ZYGOTE names, which
 * is not there. Everything up to its opening is the interpreter's own doing: settings, site, streams, sys. There it
 * calls fopen(), which is here. It imports what is to be preloaded, and then forks a guest for each request. Such a
 * fork joins the cage's namespaces, becomes the guest step by step as one that would exec, and runs the program with no
 * frame of anybody else's on the interpreter's stack (program.c).
 */
#include "base/cleanup.h"
#include "cage/kernel.h"
#include "cage/zygote.h"
#include "zygote/interpreter.h"
#include "zygote/pages.h"
#include "zygote/program.h"
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

static void give_up(const char *why) __attribute__((noreturn));
static void give_up(const char *why)
{
    if (write(STDERR_FILENO, why, strlen(why)) < 0)
        _exit(2); /* nobody reads it */
    _exit(1);
}

/* Its streams are the two ends of a pipe. What it says there, or does beside, would be missing in its forks. */
static bool is_quiet(void)
{
    struct stat tasks;
    int said = 0;

    zygote_program_flush("stdout");
    zygote_program_flush("stderr");
    return ioctl(STDIN_FILENO, FIONREAD, &said) == 0 && said == 0 && stat("/proc/self/task", &tasks) == 0 &&
           tasks.st_nlink == 3; /* its folder, itself, one thread */
}

/* What is there before the first fork need not be made, nor copied, in each. */
static void warm_up(void)
{
    char text[sizeof(zygote.preload) + 512];

    (void)snprintf(
        text, sizeof(text),
        "for _ in '%s'.split(): __import__(_)\n"
        "exec(compile('def _(n):\\n return [i for i in range(n) if i %% 2]\\nassert _(9)', '_', 'exec'), {})\n"
        "del _\n"
        "__import__('gc').collect()\n"
        "__import__('gc').freeze()\n",
        zygote.preload);
    if (zygote_py.run_simple(text, NULL) < 0)
        give_up("a module cannot be preloaded");
    if (!is_quiet())
        give_up("it says something, or has threads, before its program");
}

/* --- a request --- */

struct request {
    struct zygote_request head;
    char rest[CAGE_FILTER_MAX * sizeof(struct sock_filter) + ZYGOTE_TEXT_BYTES];
};
static struct request request;

static bool receive(int fds[ZYGOTE_FD_MAX])
{
    char control[CMSG_SPACE(ZYGOTE_FD_MAX * sizeof(int))] __attribute__((aligned(sizeof(size_t))));
    struct iovec iov[] = {{&request.head, sizeof(request.head)}, {request.rest, sizeof(request.rest)}};
    struct msghdr message = {
        .msg_iov = iov, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *header;
    ssize_t count;

    for (int i = 0; i < ZYGOTE_FD_MAX; i++)
        fds[i] = -1;
    do
        count = recvmsg(ZYGOTE_LINE_FD, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    header = CMSG_FIRSTHDR(&message);
    if (count < (ssize_t)sizeof(request.head) || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || !header)
        return false;
    memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return (size_t)count ==
           sizeof(request.head) + request.head.filter_count * sizeof(struct sock_filter) + request.head.text_bytes;
}

/* --- the guest-to-be --- */

static int join(const int fds[ZYGOTE_FD_MAX])
{
    const int keep[] = {fds[ZYGOTE_RUN], fds[ZYGOTE_STDIN], fds[ZYGOTE_STDOUT], fds[ZYGOTE_STDERR], fds[ZYGOTE_MARK]};
    uint64_t root = 0;

    if (!(request.head.without & CAGE_BIT(MOUNT_NS)) && setns(fds[ZYGOTE_MOUNT_NS], CLONE_NEWNS) < 0)
        return -errno;
    if (!(request.head.without & CAGE_BIT(IPC_NS)) && setns(fds[ZYGOTE_IPC_NS], CLONE_NEWIPC) < 0)
        return -errno;
    if (cage_mount_number(&root) < 0 || root != request.head.root || chdir("/work") < 0)
        return -EPERM;
    return cage_close_all_but(keep, ARRAY_COUNT(keep));
}

/* Above the numbers of its streams, which are closed now. */
static int move_up(int fds[ZYGOTE_FD_MAX])
{
    int r = 0;

    for (int i = ZYGOTE_RUN; i < ZYGOTE_FD_MAX && r == 0; i++)
        r = cage_fd_high(&fds[i]);
    return r;
}

static int become(int fds[ZYGOTE_FD_MAX], struct cage_report *report, int *ret_listener_fd)
{
    struct cage_terms *terms = &request.head.terms;
    struct cage_context context = {
        .report = report,
        .host = &request.head.host,
        .terms = terms,
        .without = request.head.without,
        .keeper_root = request.head.root, /* there is one, and we are there */
        .zygote = 1,
        .no_exec = true,
        .listener_fd = -1,
    };
    int r = move_up(fds);

    if (r == 0)
        r = join(fds);
    if (r < 0) {
        report->failed_step = CAGE_AT_START;
        report->failed_errno = -r;
        return r;
    }
    terms->filter = (const struct sock_filter *)(const void *)request.rest;
    terms->filter_count = request.head.filter_count;
    terms->judge = NULL;
    /* The first process answers for all other steps. */
    report->achieved = terms->requested & ~cage_guest_steps();
    context.ends[CAGE_END_STDIN] = fds[ZYGOTE_STDIN];
    context.ends[CAGE_END_STDOUT] = fds[ZYGOTE_STDOUT];
    context.ends[CAGE_END_STDERR] = fds[ZYGOTE_STDERR];
    context.ends[CAGE_END_MARK] = fds[ZYGOTE_MARK];
    r = cage_guest_become(&context);
    *ret_listener_fd = context.listener_fd;
    report->achieved &= cage_guest_steps();
    return r;
}

/* Only read, write, close and exit_group may be used from here on: the filter is in force, and nobody answers yet. */
static void hand_over(int run_fd, const struct cage_report *report, int listener_fd)
{
    const struct zygote_reply reply = {
        .achieved = report->achieved,
        .start_us = report->start_us,
        .failed_step = report->failed_step,
        .failed_errno = report->failed_errno,
        .listener_fd = listener_fd,
    };
    char word;

    if (write(run_fd, &reply, sizeof(reply)) != sizeof(reply) || reply.failed_step >= 0 || read(run_fd, &word, 1) != 1)
        _exit(1);
    (void)close(listener_fd);
    (void)close(run_fd);
}

/* As the interpreter had them. */
static void ignore_again(void)
{
    const struct kernel_sigaction action = {.handler = SIG_IGN};

    (void)kernel_sigaction_set(SIGPIPE, &action);
    (void)kernel_sigaction_set(SIGXFSZ, &action);
}

/* The program's path is the last word of the interpreter's command; arguments follow it. */
static void run_program(void) __attribute__((noreturn));
static void run_program(void)
{
    const char *path = request.rest + request.head.filter_count * sizeof(struct sock_filter);
    uint32_t skip = 0;

    for (; strncmp(path, "/work/", 6) != 0 && skip < request.head.arg_count; skip++)
        path += strlen(path) + 1;
    exit(zygote_program_run(path, request.head.arg_count - skip - 1));
}

/* The guest can read its own memory: what of the machine was needed to become it is not for it. */
static void forget_host(void)
{
    explicit_bzero(&request.head.terms, sizeof(request.head.terms));
    explicit_bzero(&request.head.host, sizeof(request.head.host));
}

static void guest_main(int fds[ZYGOTE_FD_MAX]) __attribute__((noreturn));
static void guest_main(int fds[ZYGOTE_FD_MAX])
{
    static struct cage_report report = {.failed_step = -1};
    int listener_fd = -1;

    zygote.stands = false; /* from here on fopen() is fopen() */
    (void)become(fds, &report, &listener_fd);
    forget_host();
    hand_over(fds[ZYGOTE_RUN], &report, listener_fd);
    ignore_again();
    zygote_py.after_fork_child();
    run_program();
}

/* --- the zygote --- */

static void tell_end(int run_fd, int status)
{
    const struct zygote_end end = {.status = status};

    (void)send(run_fd, &end, sizeof(end), MSG_NOSIGNAL | MSG_DONTWAIT); /* nobody is there: the cage was killed */
}

static void serve_one(int own_pid_fd)
{
    int fds[ZYGOTE_FD_MAX], status = 0;
    pid_t pid;

    if (!receive(fds))
        _exit(0); /* the keeper is gone, or talks nonsense */
    if (!(request.head.without & CAGE_BIT(PID_NS)) && setns(fds[ZYGOTE_PID_NS], CLONE_NEWPID) < 0)
        _exit(1);
    zygote_py.before_fork();
    pid = fork();
    if (pid == 0)
        guest_main(fds);
    zygote_py.after_fork_parent();
    if (pid < 0)
        _exit(1);
    for (int i = 0; i < ZYGOTE_FD_MAX; i++)
        if (i != ZYGOTE_RUN && fds[i] >= 0)
            (void)close(fds[i]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    explicit_bzero(&request, sizeof(request)); /* the next fork has a copy of all that is here */
    tell_end(fds[ZYGOTE_RUN], status);
    (void)close(fds[ZYGOTE_RUN]);
    (void)setns(own_pid_fd, CLONE_NEWPID); /* nothing of a dead cage is held */
}

static void serve(void) __attribute__((noreturn));
static void serve(void)
{
    int own_pid_fd;

    if (!zygote_interpreter_find())
        give_up("this interpreter is not known");
    (void)zygote_py.gil_ensure();
    if (!zygote_program_prepare(zygote.path))
        give_up("its driver does not load");
    warm_up();
    zygote_pages_inherit();
    own_pid_fd = KERNEL(SYS_pidfd_open, getpid(), 0);
    if (own_pid_fd < 0 || cage_bounding_empty() < 0 || write(ZYGOTE_LINE_FD, "", 1) != 1)
        give_up("it cannot begin");
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
