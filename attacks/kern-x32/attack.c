/* attack.c - kern-x32
 *
 * Calls the kernel by x32 numbers: ordinary ones with a high bit set, and those that only x32 has. A filter that
 * compares numbers without looking for that bit lets them past. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X32 0x40000000L

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

int main(void)
{
    static char *const none[] = {NULL};

    if (syscall(SYS_getpid) <= 0)
        return 1; /* the ordinary number must work */
    tried("getpid", syscall(X32 | SYS_getpid));
    tried("socket", syscall(X32 | SYS_socket, AF_INET, SOCK_STREAM, 0));
    tried("ptrace by the ordinary number", syscall(X32 | SYS_ptrace, 0, 0, 0, 0));
    tried("ptrace by x32's own", syscall(X32 | 521, 0, 0, 0, 0));
    tried("execve by x32's own", syscall(X32 | 520, "/none", none, none));
    tried("process_vm_readv by x32's own", syscall(X32 | 539, 1, NULL, 0, NULL, 0, 0));
    tried("the last number with that bit", syscall(0x7fffffffL));
    return reached;
}
