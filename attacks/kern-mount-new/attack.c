/* attack.c - kern-mount-new
 *
 * Takes copies of mounts, moves and changes them and makes new file systems with the calls that came later than mount,
 * and asks for the list of mounts with the latest ones. What lists by name of the old calls only stops nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOWHERE        ((void *)8)
#define STATMOUNT      457
#define LISTMOUNT      458
#define OPEN_TREE_ATTR 467

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
    unsigned long mounts[8], ask[4] = {32, 0, ~0UL, 0};

    tried("a tree at a wild path", syscall(SYS_open_tree, AT_FDCWD, NOWHERE, 0));
    tried("move a wild mount", syscall(SYS_move_mount, -1, NOWHERE, -1, NOWHERE, 0));
    tried("a file system by a wild name", syscall(SYS_fsopen, NOWHERE, 0));
    tried("settings of none", syscall(SYS_fsconfig, -1, 99, NULL, NULL, 0));
    tried("mount none", syscall(SYS_fsmount, -1, 0, 0));
    tried("pick a wild path", syscall(SYS_fspick, AT_FDCWD, NOWHERE, 0));
    tried("flags of a wild path", syscall(SYS_mount_setattr, AT_FDCWD, NOWHERE, 0, NOWHERE, 32));
    tried("a tree with flags at a wild path", syscall(OPEN_TREE_ATTR, AT_FDCWD, NOWHERE, 0, NULL, 0));
    if (getenv("DRILL_CONTROL"))
        return reached;
    tried("a copy of the root", syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* clone */));
    tried("a tmpfs", syscall(SYS_fsopen, "tmpfs", 0));
    tried("the root's file system", syscall(SYS_fspick, AT_FDCWD, "/", 0));
    tried("list mounts", syscall(LISTMOUNT, ask, mounts, 8, 0));
    ask[1] = 1;
    tried("ask for one", syscall(STATMOUNT, ask, mounts, sizeof(mounts), 0));
    return reached;
}
