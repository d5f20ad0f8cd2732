/* attack.c - kern-machine-state
 *
 * Names the machine, adds and removes swap, sets quotas, switches accounting on, reads the kernel's log, hangs up
 * terminals. Arguments are such that bare nothing changes: an answer other than EPERM shows that the call got through.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOWHERE ((void *)8)

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
    tried("name it", syscall(SYS_sethostname, NOWHERE, 4));
    tried("name its domain", syscall(SYS_setdomainname, NOWHERE, 4));
    tried("accounting into a wild path", syscall(SYS_acct, NOWHERE));
    tried("the size of the kernel's log", syscall(SYS_syslog, 10, NULL, 0));
    tried("an order to the log that does not exist", syscall(SYS_syslog, 99, NULL, 0));
    tried("swap on a wild path", syscall(SYS_swapon, NOWHERE, 0));
    tried("swap off a wild path", syscall(SYS_swapoff, NOWHERE));
    tried("an order about quotas that does not exist", syscall(SYS_quotactl, 0x7f000000, NOWHERE, 0, NULL));
    tried("the same on a bad descriptor", syscall(SYS_quotactl_fd, -1, 0, 0, NULL));
    if (!getenv("DRILL_CONTROL"))
        tried("hang up the terminal", syscall(SYS_vhangup));
    return reached;
}
