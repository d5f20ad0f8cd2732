/* attack.c - kern-io-ports
 *
 * Asks for the right to use the machine's ports, for segments of its own, and opens the devices that lead to memory and
 * ports. If it worked, the guest could talk to the hardware. Bare it asks for the rights that it has already. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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
    if (result >= 0 || (error != EPERM && error != ENOSYS && error != ENOENT && error != EACCES))
        reached = 10;
}

int main(void)
{
    static const char *const devices[] = {"/dev/mem", "/dev/port", "/dev/kmsg", "/dev/cpu/0/msr", "/dev/kvm"};
    char table[64];

    tried("port level 0", syscall(SYS_iopl, 0));
    tried("port level 4, which does not exist", syscall(SYS_iopl, 4));
    tried("ports past the last", syscall(SYS_ioperm, 0x10000UL, 1UL, 0));
    tried("read the descriptor table", syscall(SYS_modify_ldt, 0, table, sizeof(table)));
    tried("write the descriptor table", syscall(SYS_modify_ldt, 17, (void *)8, 16));
    if (getenv("DRILL_CONTROL"))
        return reached;
    tried("port level 3", syscall(SYS_iopl, 3));
    tried("the keyboard's ports", syscall(SYS_ioperm, 0x60UL, 5UL, 1));
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        tried(devices[i], open(devices[i], O_RDONLY | O_CLOEXEC));
    return reached;
}
