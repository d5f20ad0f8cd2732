/* attack.c - kern-mount
 *
 * Binds folders over others, makes read-only ones writable, mounts control groups and the kernel's own file systems,
 * takes mounts away, changes the root. If it worked, it could uncover what the cage hides or command the kernel through
 * a file. Bare, only arguments that lead nowhere are used. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
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
    tried("mount at a wild path", syscall(SYS_mount, NOWHERE, NOWHERE, NOWHERE, 0, NULL));
    tried("unmount a wild path", syscall(SYS_umount2, NOWHERE, 0));
    tried("unmount with flags that nobody knows", syscall(SYS_umount2, "/none", 0x10000));
    tried("swap roots at wild paths", syscall(SYS_pivot_root, NOWHERE, NOWHERE));
    tried("change the root to a wild path", syscall(SYS_chroot, NOWHERE));
    if (getenv("DRILL_CONTROL"))
        return reached;
    tried("make the root writable", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
    tried("make /usr writable", mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
    tried("its folder over /etc", mount("/work", "/etc", NULL, MS_BIND, NULL));
    tried("control groups", mount("none", "/tmp", "cgroup", 0, "memory"));
    tried("control groups, version 2", mount("none", "/tmp", "cgroup2", 0, NULL));
    tried("a full /proc", mount("none", "/tmp", "proc", 0, NULL));
    tried("sysfs", mount("none", "/tmp", "sysfs", 0, NULL));
    tried("a disk", mount("/dev/vda", "/tmp", "ext4", 0, NULL));
    tried("take /proc away", umount2("/proc", MNT_DETACH));
    tried("share its mounts", mount(NULL, "/", NULL, MS_SHARED | MS_REC, NULL));
    tried("another root", syscall(SYS_pivot_root, "/work", "/work"));
    tried("a root of its own", chroot("/work"));
    return reached;
}
