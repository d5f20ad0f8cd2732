/* apart.h - what needs a process, a user or a machine of its own: loud skips, ordinary users, forked halves of a test
 */
#pragma once

#include "support.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#define APART_USER 65534u

/* ctest takes this status for "skipped". */
#define APART_SKIPPED 77

static unsigned apart_skips;

/* Skip, and say so; with FUMEHOOD_MUST_WORK set a skip is a failure. */
static inline void apart_need(bool condition, const char *why)
{
    if (condition)
        return;
    if (getenv("FUMEHOOD_MUST_WORK"))
        fail_msg("must work here: %s", why);
    print_message("SKIPPED: %s\n", why);
    apart_skips++;
    skip();
}

/* The status of a test program: failed, or skipped in part, or passed. */
static inline int apart_status(int failed)
{
    return failed ? 1 : apart_skips ? APART_SKIPPED : 0;
}

/* Give up root for good, where this is root. Returns 0 or -1. */
static inline int apart_become_user(void)
{
    if (geteuid() != 0)
        return 0;
    if (setgroups(0, NULL) < 0 || setresgid(APART_USER, APART_USER, APART_USER) < 0 ||
        setresuid(APART_USER, APART_USER, APART_USER) < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* else its own /proc is root's, and the leak check cannot look */
}

static inline int apart_write_map(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t count = fd < 0 ? -1 : write(fd, text, strlen(text));

    if (fd >= 0)
        (void)close(fd);
    return count == (ssize_t)strlen(text) ? 0 : -1;
}

/* An ordinary user's home and group are somebody's: forget them, in a mount namespace where /etc/passwd is empty. The
 * ids stay, and no capability does. Returns 0, or -1 where this user may not make namespaces. */
static inline int apart_forget_records(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}, {0}};
    char uids[64], gids[64];

    (void)snprintf(uids, sizeof(uids), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    (void)snprintf(gids, sizeof(gids), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 || apart_write_map("/proc/self/setgroups", "deny") < 0 ||
        apart_write_map("/proc/self/uid_map", uids) < 0 || apart_write_map("/proc/self/gid_map", gids) < 0 ||
        mount("/dev/null", "/etc/passwd", NULL, MS_BIND, NULL) < 0)
        return -1;
    return (int)syscall(SYS_capset, &header, none);
}

/* Start @half(@argument) in a process of its own; what it returns is that process's exit status. No assertions there:
 * they would go on with the rest of the tests. */
static inline pid_t apart_start(int (*half)(void *), void *argument)
{
    pid_t pid;

    (void)fflush(NULL);
    pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a failed test leaves nothing running */
        _exit(half(argument));
    }
    assert_true(pid > 0);
    return pid;
}

/* Wait for it; its exit status, or 256 + signal. */
static inline int apart_end(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static inline int apart_try_user_namespace(void *argument)
{
    (void)argument;
    return unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET) < 0;
}

/* Can a cage be made here at all? */
static inline void apart_need_namespaces(void)
{
    apart_need(apart_end(apart_start(apart_try_user_namespace, NULL)) == 0, "this user may not make namespaces");
}
