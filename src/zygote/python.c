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
 * frame of anybody else's on the interpreter's stack. Functions of the interpreter are looked up in the process: its
 * headers are not needed, only what its stable interface promises.
 */
#include "base/cleanup.h"
#include "base/embedded.h"
#include "cage/kernel.h"
#include "cage/zygote.h"
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

extern const struct base_embedded zygote_driver[];

typedef void object; /* PyObject */

/* --- the interpreter's functions --- */

static struct {
    int (*gil_ensure)(void);
    int (*run_simple)(const char *, void *);
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(void);
    object *(*import_add)(const char *);
    object *(*module_dict)(object *);
    object *(*compile)(const char *, const char *, int, void *, int);
    object *(*module_of)(const char *, object *);
    object *(*attribute)(object *, const char *);
    object *(*call)(object *, const char *, ...);
    object *(*list_new)(long);
    int (*list_append)(object *, object *);
    object *(*bytes)(const char *, long);
    object *(*run_file)(FILE *, const char *, int, object *, object *, int, void *);
    object **system_exit, *none;
    object *(*sys_object)(const char *);
    object *(*call_method)(object *, const char *, const char *, ...);
    int (*is_true)(object *);
    void (*unraisable)(object *);
    int (*finalize)(void);
    int (*matches)(object *);
    void (*fetch)(object **, object **, object **);
    void (*normalize)(object **, object **, object **);
    void (*restore)(object *, object *, object *);
    void (*print)(int);
    void (*clear)(void);
    long (*as_long)(object *);
} py;

static bool find_functions(void)
{
    const struct {
        void *place;
        const char *name;
    } names[] = {
        {&py.gil_ensure, "PyGILState_Ensure"},
        {&py.run_simple, "PyRun_SimpleStringFlags"},
        {&py.before_fork, "PyOS_BeforeFork"},
        {&py.after_fork_parent, "PyOS_AfterFork_Parent"},
        {&py.after_fork_child, "PyOS_AfterFork_Child"},
        {&py.import_add, "PyImport_AddModule"},
        {&py.module_dict, "PyModule_GetDict"},
        {&py.compile, "Py_CompileStringExFlags"},
        {&py.module_of, "PyImport_ExecCodeModule"},
        {&py.attribute, "PyObject_GetAttrString"},
        {&py.call, "PyObject_CallFunction"},
        {&py.list_new, "PyList_New"},
        {&py.list_append, "PyList_Append"},
        {&py.bytes, "PyBytes_FromStringAndSize"},
        {&py.run_file, "PyRun_FileExFlags"},
        {&py.system_exit, "PyExc_SystemExit"},
        {&py.none, "_Py_NoneStruct"},
        {&py.sys_object, "PySys_GetObject"},
        {&py.call_method, "PyObject_CallMethod"},
        {&py.is_true, "PyObject_IsTrue"},
        {&py.unraisable, "PyErr_WriteUnraisable"},
        {&py.finalize, "Py_FinalizeEx"},
        {&py.restore, "PyErr_Restore"},
        {&py.matches, "PyErr_ExceptionMatches"},
        {&py.fetch, "PyErr_Fetch"},
        {&py.normalize, "PyErr_NormalizeException"},
        {&py.print, "PyErr_PrintEx"},
        {&py.clear, "PyErr_Clear"},
        {&py.as_long, "PyLong_AsLong"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        void *found = dlsym(RTLD_DEFAULT, names[i].name);
        if (!found)
            return false;
        memcpy(names[i].place, &found, sizeof(found));
    }
    return true;
}

/* --- before any guest --- */

#define DRIVER     "_fumehood_zygote"
#define FILE_INPUT 257 /* Py_file_input */

static struct {
    char path[512]; /* of the program that is not there; empty: this is no zygote (any more) */
    char preload[4096];
    object *enter, *status_of, *wait_for_threads, *is_noticed, *is_interrupt, *main_dict;
} zygote;

/* The interpreter, which reads its environment later, sees none of this: it stands before all that is a guest's. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FUMEHOOD_ZYGOTE"), *preload = getenv("FUMEHOOD_PRELOAD");

    (void)snprintf(zygote.path, sizeof(zygote.path), "%s", path ? path : "");
    (void)snprintf(zygote.preload, sizeof(zygote.preload), "%s", preload ? preload : "");
    if (path && preload)
        environ += CAGE_ZYGOTE_TEXTS;
}

static void give_up(const char *why) __attribute__((noreturn));
static void give_up(const char *why)
{
    if (write(STDERR_FILENO, why, strlen(why)) < 0)
        _exit(2); /* nobody reads it */
    _exit(1);
}

/* The driver as a module that nobody can import by name. */
static void load_driver(void)
{
    object *code = py.compile((const char *)zygote_driver[0].bytes, "<zygote>", FILE_INPUT, NULL, -1);
    object *module = code ? py.module_of(DRIVER, code) : NULL;

    const struct {
        object **place;
        const char *name;
    } functions[] = {
        {&zygote.enter, "enter"},
        {&zygote.status_of, "status_of"},
        {&zygote.wait_for_threads, "wait_for_threads"},
        {&zygote.is_noticed, "is_noticed"},
        {&zygote.is_interrupt, "is_interrupt"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(functions); i++)
        if (!module || !(*functions[i].place = py.attribute(module, functions[i].name)))
            give_up("its driver does not load");
    zygote.main_dict = py.module_dict(py.import_add("__main__"));
}

static void flush_plainly(const char *name)
{
    object *stream = py.sys_object(name);

    if (stream)
        (void)py.call_method(stream, "flush", NULL);
    py.clear();
}

/* Its streams are the two ends of a pipe. What it says there, or does beside, would be missing in its forks. */
static bool is_quiet(void)
{
    struct stat tasks;
    int said = 0;

    flush_plainly("stdout");
    flush_plainly("stderr");
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
        "__import__('sys').modules.pop('" DRIVER "')\n"
        "exec(compile('def _(n):\\n return [i for i in range(n) if i %% 2]\\nassert _(9)', '_', 'exec'), {})\n"
        "del _\n"
        "__import__('gc').collect()\n"
        "__import__('gc').freeze()\n",
        zygote.preload);
    if (py.run_simple(text, NULL) < 0)
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

static object *arguments_of(const char *text, uint32_t count)
{
    object *list = py.list_new(0);

    for (uint32_t i = 0; list && i < count; i++, text += strlen(text) + 1)
        (void)py.list_append(list, py.bytes(text, (long)strlen(text)));
    return list;
}

static bool says_yes(object *answer)
{
    bool yes = !answer || py.is_true(answer) != 0;

    py.clear();
    return yes;
}

struct end {
    int status;
    bool interrupted; /* it dies of the signal, as who has no handler of it */
};

static struct end end_of_exit(object *type, object *value, object *traceback)
{
    object *number = py.call(zygote.status_of, "O", value);
    const struct end end = {.status = number ? (int)py.as_long(number) : 1};

    py.clear();
    py.restore(type, value, traceback); /* and with it all that it holds is gone */
    py.clear();
    return end;
}

/* How the program has ended. An exception that is not SystemExit is printed, as the interpreter would: when all is
 * flushed. */
static struct end take_end(object *result)
{
    bool is_exit = !result && py.matches(*py.system_exit) != 0;
    object *type, *value, *traceback;
    struct end end = {.status = 1};

    py.fetch(&type, &value, &traceback);
    flush_plainly("stderr");
    flush_plainly("stdout");
    if (result)
        return (struct end){.status = 0};
    py.normalize(&type, &value, &traceback);
    if (is_exit)
        return end_of_exit(type, value, traceback);
    end.interrupted = says_yes(py.call(zygote.is_interrupt, "O", value));
    py.restore(type, value, traceback);
    py.print(1);
    return end;
}

/* As the interpreter does it at its end; false where it then ends with another status. */
static bool flush(const char *name, bool tell)
{
    object *stream = py.sys_object(name);
    object *closed = stream && stream != py.none ? py.attribute(stream, "closed") : NULL;
    bool is_there = stream && stream != py.none && !(closed && py.is_true(closed) != 0);

    py.clear();
    if (!is_there || py.call_method(stream, "flush", NULL))
        return true;
    if (tell)
        py.unraisable(stream);
    else
        py.clear();
    return false;
}

/* The interpreter's own end takes it several milliseconds. Where nobody would notice, what it does comes to this. */
static bool end_interpreter(void)
{
    bool whole;

    if (!py.call(zygote.wait_for_threads, NULL))
        py.unraisable(NULL);
    if (says_yes(py.call(zygote.is_noticed, NULL)))
        return py.finalize() == 0;
    whole = flush("stdout", true);
    return flush("stderr", false) && whole;
}

static void die_of_interrupt(void)
{
    const struct kernel_sigaction action = {.handler = SIG_DFL};

    if (kernel_sigaction_set(SIGINT, &action) == 0)
        (void)kill(getpid(), SIGINT);
}

static int leave(struct end end)
{
    if (!end_interpreter())
        end.status = 120;
    if (end.interrupted)
        die_of_interrupt();
    return end.status;
}

static void run_program(void) __attribute__((noreturn));
static void run_program(void)
{
    const char *texts = request.rest + request.head.filter_count * sizeof(struct sock_filter);
    const char *path = texts;
    uint32_t skip = request.head.arg_count;
    object *result = NULL;
    FILE *file;

    /* The program's path is the last word of the interpreter's command; arguments follow it. */
    for (skip = 0; strncmp(path, "/work/", 6) != 0 && skip < request.head.arg_count; skip++)
        path += strlen(path) + 1;
    if (!py.call(zygote.enter, "yO", path, arguments_of(path + strlen(path) + 1, request.head.arg_count - skip - 1)))
        py.print(1);
    file = fopen(path, "rb");
    if (file)
        result = py.run_file(file, path, FILE_INPUT, zygote.main_dict, zygote.main_dict, 1, NULL);
    exit(leave(take_end(result)));
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

    zygote.path[0] = 0; /* from here on fopen() is fopen() */
    (void)become(fds, &report, &listener_fd);
    forget_host();
    hand_over(fds[ZYGOTE_RUN], &report, listener_fd);
    ignore_again();
    py.after_fork_child();
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
    py.before_fork();
    pid = fork();
    if (pid == 0)
        guest_main(fds);
    py.after_fork_parent();
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

    if (!find_functions())
        give_up("this interpreter is not known");
    (void)py.gil_ensure();
    load_driver();
    warm_up();
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

    if (zygote.path[0] && strcmp(path, zygote.path) == 0)
        serve();
    memcpy(&next, &found, sizeof(found));
    return next(path, mode);
}
