/* attack.c - kern-setns
 *
 * Opens the namespaces of process 1, of its parent and of itself, and joins them, by file and by process descriptor. If
 * it worked, it would be where the cage's own first process is, or outside. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

static void join_all(const char *whose)
{
    static const char *const kinds[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/proc/%s/ns/%s", whose, kinds[i]);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            printf("%s: %s\n", path, strerrorname_np(errno));
            continue;
        }
        tried(path, syscall(SYS_setns, fd, 0));
        (void)close(fd);
    }
}

int main(void)
{
    tried("a descriptor that is not open", syscall(SYS_setns, -1, 0));
    if (getenv("DRILL_CONTROL"))
        return reached; /* that the call looks at its argument is enough */
    join_all("self");
    join_all("1");
    tried("all of process 1", syscall(SYS_setns, (int)syscall(SYS_pidfd_open, 1, 0), CLONE_NEWNS | CLONE_NEWUSER));
    tried("all of its parent", syscall(SYS_setns, (int)syscall(SYS_pidfd_open, getppid(), 0), CLONE_NEWNS));
    return reached;
}
