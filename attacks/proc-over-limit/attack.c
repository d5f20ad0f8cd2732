/* attack.c - proc-over-limit
 *
 * Makes 40 children in several ways and keeps them: asleep, stopped, or dead and not waited for. Where 20 are allowed,
 * no way may give more, and when they are gone, new ones must be possible again. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WANTED 40

enum way { ASLEEP, STOPPED, DEAD, RAW, WAYS };

static pid_t make(enum way way)
{
    pid_t child = way == RAW ? (pid_t)syscall(SYS_clone, CLONE_VFORK | CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0) : fork();

    if (child != 0)
        return child;
    if (way == ASLEEP) {
        (void)alarm(5);
        (void)pause();
    } else if (way == STOPPED) {
        (void)alarm(5);
        (void)raise(SIGSTOP);
    }
    syscall(SYS_exit, 0);
    __builtin_unreachable();
}

static int count(enum way way)
{
    int made = 0, error = 0;

    while (made < WANTED && make(way) > 0)
        made++;
    error = errno;
    printf("way %d: %d (%s)\n", (int)way, made, made < WANTED ? strerrorname_np(error) : "all");
    return made;
}

int main(void)
{
    int reached = 0;

    for (int way = 0; way < WAYS; way++) {
        int report[2], made = 0;
        pid_t group;
        if (pipe(report) < 0 || (group = fork()) < 0)
            return 1;
        if (group == 0) { /* a group of its own, so that all can be ended by one signal */
            (void)setpgid(0, 0);
            made = count((enum way)way);
            fflush(stdout);
            (void)!write(report[1], &made, sizeof(made));
            (void)kill(0, SIGKILL);
        }
        (void)waitpid(group, NULL, 0);
        if (read(report[0], &made, sizeof(made)) != sizeof(made))
            return 1;
        (void)close(report[0]);
        (void)close(report[1]);
        if (made >= WANTED)
            reached = 10;
        (void)usleep(20000); /* for those that nobody waits for to be gone */
    }
    return reached;
}
