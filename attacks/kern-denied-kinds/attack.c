/* attack.c - kern-denied-kinds
 *
 * Makes hundreds of denied calls that all look different, with numbers and families that do not exist, and only then
 * attempts what it came for. If noise could push those off the list, the receipt would not name them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
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

int main(void)
{
    for (long nr = 600; nr < 900; nr++)
        (void)syscall(0x40000000L | nr);
    for (int family = 100; family < 400; family++)
        (void)socket(family, SOCK_STREAM, 0);
    tried("mount", syscall(SYS_mount, (void *)8, (void *)8, (void *)8, 0, NULL));
    tried("ptrace", syscall(SYS_ptrace, 99L, -1L, 0L, 0L));
    return reached;
}
