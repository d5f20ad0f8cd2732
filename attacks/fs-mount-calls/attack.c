/* attack.c - changes what is mounted where, by the old calls and by the new ones, in new namespaces too
 *
 * If it worked, a program could lay the machine's folders into its own, make read-only ones writable, or take off what
 * hides them. Bare, it works in a mount namespace of its own and leaves nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void attempt(const char *what, long r)
{
    printf("%s: %s\n", what, r < 0 ? strerror(errno) : "reached");
    reached |= r >= 0;
}

static int control(const char *folder)
{
    if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return 77;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 77;
    attempt("bind", mount("/usr", folder, NULL, MS_BIND | MS_REC, NULL));
    attempt("umount", umount2(folder, MNT_DETACH));
    attempt("open_tree", syscall(SYS_open_tree, AT_FDCWD, folder, 1));
    return reached ? 10 : 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    if (getenv("DRILL_CONTROL"))
        return control(argv[1]);
    attempt("bind /", mount("/", "/work", NULL, MS_BIND | MS_REC, NULL));
    attempt("bind the folder", mount(argv[1], "/work", NULL, MS_BIND, NULL));
    attempt("remount", mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
    attempt("remount /", mount(NULL, "/", NULL, MS_REMOUNT, "size=1g"));
    attempt("tmpfs", mount("none", "/work", "tmpfs", 0, NULL));
    attempt("proc", mount("proc", "/work", "proc", 0, NULL));
    attempt("umount /usr", umount2("/usr", MNT_DETACH));
    attempt("umount /proc", umount2("/proc", MNT_DETACH));
    attempt("umount /", umount2("/", MNT_DETACH));
    attempt("pivot_root", syscall(SYS_pivot_root, ".", "."));
    attempt("chroot", chroot("/work"));
    attempt("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
    attempt("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
    attempt("open_tree by path", syscall(SYS_open_tree, AT_FDCWD, argv[1], 0));
    attempt("move_mount", syscall(SYS_move_mount, AT_FDCWD, "/usr", AT_FDCWD, "/work", 0));
    attempt("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, "\0\0\0\0\0\0\0\0\0", 32));
    attempt("fspick", syscall(SYS_fspick, AT_FDCWD, "/", 0));
    attempt("new mounts", unshare(CLONE_NEWNS));
    attempt("new user and mounts", unshare(CLONE_NEWUSER | CLONE_NEWNS));
    attempt("the mounts of process 1", syscall(SYS_setns, open("/proc/1/ns/mnt", O_RDONLY), CLONE_NEWNS));
    attempt("statmount", syscall(457, "", "", 0, 0));
    attempt("listmount", syscall(458, "", "", 0, 0));
    return reached ? 10 : 0;
}
