/* launch_child.c - start a process in a chosen state
 *
 * Runs in: a fork of the drill, up to its exec. A step that fails ends it with status 127.
 */
#include "base/cleanup.h"
#include "drill/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FAILED  127
#define HIGH_FD 300 /* above every number that is given away */

static const struct {
    int resource;
    rlim_t most;
} bounds[] = {
    {RLIMIT_CORE, 0},           {RLIMIT_CPU, 10},      {RLIMIT_FSIZE, 64u << 20},
    {RLIMIT_DATA, 1024u << 20}, {RLIMIT_NOFILE, 1024}, {RLIMIT_NPROC, 4096},
};

static void need(bool condition)
{
    if (!condition)
        _exit(FAILED);
}

static void set_bounds(unsigned pace)
{
    for (size_t i = 0; i < ARRAY_COUNT(bounds); i++) {
        struct rlimit limit;
        rlim_t most = bounds[i].most * (bounds[i].resource == RLIMIT_CPU && pace > 0 ? pace : 1);
        need(getrlimit((__rlimit_resource_t)bounds[i].resource, &limit) == 0);
        if (limit.rlim_max > most)
            limit.rlim_max = most;
        if (limit.rlim_cur > limit.rlim_max)
            limit.rlim_cur = limit.rlim_max;
        need(setrlimit((__rlimit_resource_t)bounds[i].resource, &limit) == 0);
    }
}

/* To their numbers by way of high ones, so that none is overwritten before it was copied. */
static void place_descriptors(const struct drill_launch *launch)
{
    const int streams[] = {launch->stdin_fd, launch->stdout_fd, launch->stderr_fd};
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), from[3 + DRILL_GIFTS_MAX];

    need(null_fd >= 0);
    for (unsigned i = 0; i < 3 + launch->gift_count; i++) {
        int fd = i >= 3 ? launch->gifts[i - 3].fd : streams[i] < 0 ? null_fd : streams[i];
        from[i] = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
        need(from[i] >= 0);
    }
    need(close_range(3, HIGH_FD - 1, 0) == 0);
    for (unsigned i = 0; i < 3 + launch->gift_count; i++)
        need(dup2(from[i], i >= 3 ? launch->gifts[i - 3].at : (int)i) >= 0);
    need(close_range(HIGH_FD, ~0u, 0) == 0);
}

static void place_in_session(const struct drill_launch *launch)
{
    if (launch->session)
        need(setsid() >= 0);
    if (launch->session && launch->terminal)
        need(ioctl(STDIN_FILENO, TIOCSCTTY, 0) == 0);
    if (!launch->group)
        return;
    need(setpgid(0, 0) == 0);
    if (isatty(STDIN_FILENO)) {
        (void)signal(SIGTTOU, SIG_IGN);
        (void)tcsetpgrp(STDIN_FILENO, getpgrp()); /* fails where it is nobody's: then there is no foreground */
        (void)signal(SIGTTOU, SIG_DFL);
    }
}

static void set_signals(bool odd)
{
    sigset_t set;

    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)sigemptyset(&set);
    if (odd) {
        (void)signal(SIGPIPE, SIG_IGN);
        (void)signal(SIGCHLD, SIG_IGN);
        (void)sigfillset(&set);
    }
    need(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
}

void drill_launch_become(const struct drill_launch *launch, pid_t parent)
{
    need(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent);
    place_descriptors(launch);
    place_in_session(launch);
    need(!launch->folder || chdir(launch->folder) == 0);
    if (launch->bounded)
        set_bounds(launch->pace);
    set_signals(launch->odd_signals);
    (void)execve(launch->path, launch->argv, launch->envp);
    _exit(FAILED);
}
