/* attack.c - kern-ids
 *
 * Takes the ids of root and of strangers by every call that there is, takes groups, and gives itself capabilities. If
 * it worked, files and processes of other users would be open to it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
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
    struct __user_cap_header_struct header = {.version = 1}; /* no such version: EINVAL from who looks */
    struct __user_cap_data_struct all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}};
    gid_t groups[64] = {0};

    tried("capabilities in a form that does not exist", syscall(SYS_capset, &header, all));
    header.version = _LINUX_CAPABILITY_VERSION_3;
    tried("all capabilities", syscall(SYS_capset, &header, all));
    tried("group 0", syscall(SYS_setgid, 0));
    tried("group 0, in two ways", syscall(SYS_setregid, 0, 0));
    tried("group 0, in three ways", syscall(SYS_setresgid, 0, 0, 0));
    tried("groups", syscall(SYS_setgroups, 1, groups));
    tried("user 0", syscall(SYS_setuid, 0));
    tried("user 0, in two ways", syscall(SYS_setreuid, 0, -1));
    tried("user 0, in three ways", syscall(SYS_setresuid, -1, 0, -1));
    tried("a stranger", syscall(SYS_setresuid, 1001, 1001, 1001));
    (void)setfsuid(0); /* answers nothing: the next call tells */
    (void)setfsgid(0);
    if (setfsuid((uid_t)-1) != 1000 || setfsgid((gid_t)-1) != 1000 || getuid() != 1000 || getegid() != 1000) {
        printf("it is user %d, for files %d\n", (int)getuid(), setfsuid((uid_t)-1));
        reached = 10;
    }
    for (int i = 0, count = getgroups(64, groups); i < count; i++)
        if (groups[i] != 1000 && groups[i] != 65534) { /* 65534: not known here, and good for nothing */
            printf("it is in group %d\n", (int)groups[i]);
            reached = 10;
        }
    return reached;
}
