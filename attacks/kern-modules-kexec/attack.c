/* attack.c - kern-modules-kexec
 *
 * Loads and unloads modules, loads another kernel, restarts the machine, every time with arguments that even root is
 * refused. Another answer than EPERM shows that the call was looked at: then the right arguments would have worked. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
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
    tried("load a module from memory", syscall(SYS_init_module, NOWHERE, 8, NOWHERE));
    tried("load a module from a file", syscall(SYS_finit_module, -1, NOWHERE, 0));
    tried("unload a module", syscall(SYS_delete_module, NOWHERE, 0));
    tried("load a kernel from memory", syscall(SYS_kexec_load, 0, 17, NOWHERE, 0));
    tried("load a kernel from a file", syscall(SYS_kexec_file_load, -1, -1, 0, NOWHERE, 0));
    tried("restart, without the magic number", syscall(SYS_reboot, 1, 2, 0x01234567, NULL));
    tried("halt, with half the magic number", syscall(SYS_reboot, 0xfee1dead, 0, 0, NULL));
    return reached;
}
