/* attack.c - proc-owner-signals
 *
 * Makes process 1, its parent and groups the owners of a pipe, chooses the signal that they get when something arrives,
 * and lets something arrive. Also ends children whose last word to their parent is a deadly signal. The check of who
 * may send is another one than that of kill. Bare, a child of its own is the owner, and dies. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void signal_by_pipe(pid_t owner, int sig)
{
    int ends[2];
    char byte;

    if (pipe2(ends, O_NONBLOCK) < 0)
        exit(1);
    if (fcntl(ends[0], F_SETOWN, owner) < 0 || fcntl(ends[0], F_SETSIG, sig) < 0)
        printf("owner %d, signal %d: %s\n", (int)owner, sig, strerrorname_np(errno));
    (void)fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    for (int i = 0; i < 3; i++) {
        (void)!write(ends[1], "x", 1);
        (void)!read(ends[0], &byte, 1);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    static const int signals[] = {0, SIGIO, SIGKILL, SIGSTOP, SIGTERM, SIGCHLD, 64};
    pid_t child = getenv("DRILL_CONTROL") ? fork() : -1;
    int status;

    if (child == 0) {
        (void)alarm(3);
        (void)pause();
        _exit(0);
    }
    if (child > 0) {
        (void)usleep(20000);
        signal_by_pipe(child, SIGTERM);
        (void)waitpid(child, &status, 0);
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 10 : 0;
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        signal_by_pipe(1, signals[i]);
        signal_by_pipe(getppid(), signals[i]);
        signal_by_pipe(-1, signals[i]);
    }
    if (syscall(SYS_clone, CLONE_PARENT | SIGKILL, 0, 0, 0, 0) == 0)
        _exit(0); /* its parent is process 1 */
    (void)usleep(100000);
    return syscall(SYS_setns, -1, 0) == 0 ? 10 : 0; /* process 1 must still be there to answer */
}
