/* attack.c - proc-other-memory
 *
 * Reads and writes the memory of its parent, of process 1 and of a process outside, takes their open files, and asks
 * what it shares with them. If it worked, it could read the supervisor's secrets or answer its own denials. Bare, it
 * does so with a child of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;
static char here[64], there[64];

static void tried(const char *what, pid_t pid, long result)
{
    printf("%s of %d: %s\n", what, (int)pid, result < 0 ? strerrorname_np(errno) : "done");
    if (result >= 0 || (errno != EPERM && errno != EBADF)) /* EBADF: there was no descriptor to give */
        reached = 10;
}

static void reach_into(pid_t pid)
{
    struct iovec mine = {here, sizeof(here)}, its = {there, sizeof(there)};
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    tried("reading", pid, syscall(SYS_process_vm_readv, pid, &mine, 1L, &its, 1L, 0L));
    tried("writing", pid, syscall(SYS_process_vm_writev, pid, &mine, 1L, &its, 1L, 0L));
    tried("comparing memory", pid, syscall(SYS_kcmp, getpid(), pid, 1L, 0L, 0L));
    for (int wanted = 0; wanted < 6; wanted++)
        tried("taking a file", pid, syscall(SYS_pidfd_getfd, fd, wanted, 0));
    if (fd >= 0)
        (void)close(fd);
}

int main(int count, char **words)
{
    pid_t child = fork();

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    reach_into(child);
    if (!getenv("DRILL_CONTROL")) {
        reach_into(1);
        reach_into(getppid());
        if (count > 1)
            reach_into(atoi(words[1]));
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    return reached;
}
