/* ids_priv.c - ids are mapped into a cage
 *
 * Runs in: the supervisor, single-threaded, with its rights.
 * Touches: the new process's id maps; where a user's range is used, starts newuidmap and newgidmap, which write them.
 * What these programs say is not believed: the kernel is asked what the maps are.
 */
#include "base/argv.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cage/child.h"
#include "cage/ids.h"
#include "cage/kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- by ourselves --- */

/* Root whose capabilities an engine has taken; --if-available is about limits, and does not help it. */
const char *cage_root_remedy(void)
{
    return "root lacks CAP_SETUID or CAP_SETGID here: give the container --cap-add SETUID --cap-add SETGID, or an "
           "ordinary user, --user 1000: docs/containers.md";
}

static int write_map(pid_t pid, const char *file, const char *text, struct base_err *err)
{
    char path[64];
    AUTO_CLOSE int fd = -1;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, text, strlen(text)) >= 0)
        return 0;
    (void)base_err_sys(err, BASE_E_SETUP, errno, file, "the cage's ids cannot be mapped");
    if (err && err->sys_errno == EPERM && geteuid() == 0)
        (void)base_err_remedy(err, "%s", cage_root_remedy());
    return BASE_E_SETUP;
}

static int write_own(const struct cage_ids *ids, pid_t pid, struct base_err *err)
{
    char users[96], groups[96];
    int r;

    (void)snprintf(users, sizeof(users), "0 %u 1\n%u %u 1\n", ids->first_user, CAGE_GUEST_ID, ids->guest_user);
    (void)snprintf(groups, sizeof(groups), "0 %u 1\n%u %u 1\n", ids->first_group, CAGE_GUEST_ID, ids->guest_group);
    r = write_map(pid, "uid_map", users, err);
    return r < 0 ? r : write_map(pid, "gid_map", groups, err);
}

/* 1000 is the starter's own id, and nobody in the cage has another. */
static int write_starters(pid_t pid, struct base_err *err)
{
    char user[48], group[48];
    int r;

    (void)snprintf(user, sizeof(user), "%u %u 1\n", CAGE_GUEST_ID, (unsigned)geteuid());
    (void)snprintf(group, sizeof(group), "%u %u 1\n", CAGE_GUEST_ID, (unsigned)getegid());
    r = write_map(pid, "setgroups", "deny", err);
    if (r == 0)
        r = write_map(pid, "uid_map", user, err);
    return r < 0 ? r : write_map(pid, "gid_map", group, err);
}

/* --- by newuidmap and newgidmap --- */

#define STACK_BYTES (16 * 1024)
#define PATIENCE_MS 10000 /* they may ask a network who the user is */

struct mapper {
    const char *program, *map; /* and the file that it is to write */
    uint32_t first, guest;     /* ids outside */
    char numbers[4][12];       /* the process and what is not the same each time */
    char *argv[9];
    pid_t pid; /* -1: it is not there */
    int pid_fd;
    char stack[STACK_BYTES] __attribute__((aligned(64)));
};

static void fill(struct mapper *mapper, enum cage_ids_program which, const struct cage_ids *ids, pid_t pid)
{
    bool users = which == CAGE_IDS_USERS;

    mapper->program = cage_ids_program(which);
    mapper->map = users ? "uid_map" : "gid_map";
    mapper->first = users ? ids->first_user : ids->first_group;
    mapper->guest = users ? ids->guest_user : ids->guest_group;
    mapper->pid = mapper->pid_fd = -1;
    (void)snprintf(mapper->numbers[0], sizeof(mapper->numbers[0]), "%d", (int)pid);
    (void)snprintf(mapper->numbers[1], sizeof(mapper->numbers[1]), "%u", mapper->first);
    (void)snprintf(mapper->numbers[2], sizeof(mapper->numbers[2]), "%u", CAGE_GUEST_ID);
    (void)snprintf(mapper->numbers[3], sizeof(mapper->numbers[3]), "%u", mapper->guest);
    const char *const words[ARRAY_COUNT(mapper->argv)] = {
        mapper->program, mapper->numbers[0], "0", mapper->numbers[1], "1", mapper->numbers[2], mapper->numbers[3], "1"};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        mapper->argv[i] = base_argv_word(words[i]);
}

/* It shares our memory until its exec, so no signal may find a handler of ours in it. They stay blocked in it: it is
 * short, and SIGKILL ends it. */
static int start(struct mapper *mapper)
{
    sigset_t all, before;

    if (!mapper->program)
        return -ENOENT;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    mapper->pid = kernel_clone_on(CLONE_VM | CLONE_PIDFD | SIGCHLD, mapper->stack + sizeof(mapper->stack),
                                  cage_ids_exec, mapper->argv, &mapper->pid_fd, NULL);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return mapper->pid < 0 ? mapper->pid : 0;
}

/* True when it is dead, by itself or because its time is over. Whoever ignores SIGCHLD has nothing to reap. */
static bool finish(struct mapper *mapper, uint64_t end_us)
{
    struct pollfd fd = {.fd = mapper->pid_fd, .events = POLLIN};
    bool in_time = false;

    if (mapper->pid < 0)
        return true;
    for (uint64_t now = base_clock_us(); !in_time && now < end_us; now = base_clock_us())
        in_time = poll(&fd, 1, (int)((end_us - now + 999) / 1000)) > 0;
    if (!in_time)
        (void)kernel_pidfd_send_signal(mapper->pid_fd, SIGKILL);
    while (waitpid(mapper->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    base_cleanup_close(&mapper->pid_fd);
    CAGE_STACK_RENEW(mapper->stack); /* it is part of ours */
    return in_time;
}

/* These two lines and no other. */
static bool is_mapped(const struct mapper *mapper, pid_t pid)
{
    char path[64], text[256];
    unsigned rows[6];
    int end = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, mapper->map);
    if (base_file_read_start(AT_FDCWD, path, text, sizeof(text)) < 0 ||
        sscanf(text, "%u %u %u %u %u %u %n", &rows[0], &rows[1], &rows[2], &rows[3], &rows[4], &rows[5], &end) != 6)
        return false;
    return text[end] == 0 && rows[0] == 0 && rows[1] == mapper->first && rows[2] == 1 && rows[3] == CAGE_GUEST_ID &&
           rows[4] == mapper->guest && rows[5] == 1;
}

static int not_mapped(const struct mapper *mapper, const char *why, struct base_err *err)
{
    (void)base_err_set(err, BASE_E_SETUP, mapper->map, "%s %s", mapper->program ? mapper->program : "newuidmap", why);
    return base_err_remedy(err,
                           "fumehood doctor --all says what it was asked for; to stay in your further groups, which "
                           "receipts then say: setpriv --no-new-privs fumehood ...");
}

static int check(const struct mapper *mapper, bool in_time, pid_t pid, struct base_err *err)
{
    if (mapper->pid < 0)
        return not_mapped(mapper, "cannot be started", err);
    if (!in_time)
        return not_mapped(mapper, "did not end in 10 s", err);
    return is_mapped(mapper, pid) ? 0 : not_mapped(mapper, "did not map the cage's ids", err);
}

/* Both at once; neither needs what the other writes. */
static int have_mapped(const struct cage_ids *ids, pid_t pid, struct base_err *err)
{
    struct mapper mappers[CAGE_IDS_PROGRAM_MAX];
    uint64_t end_us = base_clock_us() + PATIENCE_MS * 1000;
    bool in_time[CAGE_IDS_PROGRAM_MAX];
    int r = 0;

    for (int i = 0; i < CAGE_IDS_PROGRAM_MAX; i++) {
        fill(&mappers[i], (enum cage_ids_program)i, ids, pid);
        (void)start(&mappers[i]);
    }
    for (int i = 0; i < CAGE_IDS_PROGRAM_MAX; i++)
        in_time[i] = finish(&mappers[i], end_us);
    for (int i = 0; i < CAGE_IDS_PROGRAM_MAX && r == 0; i++)
        r = check(&mappers[i], in_time[i], pid, err);
    return r;
}

/* --- all --- */

int cage_ids_map(const struct cage_host *host, unsigned at, pid_t pid, struct base_err *err)
{
    const struct cage_ids ids = cage_ids_of(host, at);
    int r;

    if (host->has_own_ids && host->privileged)
        return write_own(&ids, pid, err);
    r = host->has_own_ids ? have_mapped(&ids, pid, err) : write_starters(pid, err);
    if (r < 0) /* where its namespaces have no rights, the first process may be dead by now */
        (void)cage_namespaces_blame(err);
    return r;
}
