/* kernel.h - raw system calls and constants that Debian 12's headers and C library do not have
 *
 * Safe between fork and exec: nothing here allocates, locks or keeps state.
 */
#pragma once

#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <sys/mount.h> clashes with <linux/mount.h> in this C library. */
int umount2(const char *target, int flags);
#define KERNEL_MNT_DETACH 2
#define KERNEL_MS_PRIVATE (1 << 18)

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#define KERNEL_LANDLOCK_NET_BIND_TCP               (1ULL << 0)
#define KERNEL_LANDLOCK_NET_CONNECT_TCP            (1ULL << 1)
#define KERNEL_LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define KERNEL_LANDLOCK_SCOPE_SIGNAL               (1ULL << 1)

/* landlock_ruleset_attr as of ABI 6; older kernels take the first fields. */
struct kernel_landlock_ruleset {
    uint64_t handled_access_fs, handled_access_net, scoped;
};

/* As the kernel has it: the library's structure differs, and it hides the two signals that it keeps for itself. */
struct kernel_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
static inline int kernel_sigaction_get(int sig, struct kernel_sigaction *ret_action)
{
    return (int)syscall(SYS_rt_sigaction, sig, NULL, ret_action, sizeof(uint64_t));
}
static inline int kernel_sigaction_set(int sig, const struct kernel_sigaction *action)
{
    return (int)syscall(SYS_rt_sigaction, sig, action, NULL, sizeof(uint64_t));
}

static inline long kernel_clone3(struct clone_args *args)
{
    return syscall(SYS_clone3, args, sizeof(*args));
}
static inline int kernel_pidfd_send_signal(int pid_fd, int sig)
{
    return (int)syscall(SYS_pidfd_send_signal, pid_fd, sig, NULL, 0);
}
static inline int kernel_close_range(unsigned first, unsigned last, unsigned flags)
{
    return (int)syscall(SYS_close_range, first, last, flags);
}
static inline int kernel_pivot_root(const char *new_root, const char *put_old)
{
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}
static inline int kernel_open_tree(int dir_fd, const char *path, unsigned flags)
{
    return (int)syscall(SYS_open_tree, dir_fd, path, flags);
}
static inline int kernel_move_mount(int from_fd, int to_dir_fd, const char *to_path)
{
    return (int)syscall(SYS_move_mount, from_fd, "", to_dir_fd, to_path, MOVE_MOUNT_F_EMPTY_PATH);
}
static inline int kernel_fsopen(const char *type)
{
    return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}
static inline int kernel_fsconfig_text(int fs_fd, const char *key, const char *value)
{
    return (int)syscall(SYS_fsconfig, fs_fd, FSCONFIG_SET_STRING, key, value, 0);
}
static inline int kernel_fsconfig_create(int fs_fd)
{
    return (int)syscall(SYS_fsconfig, fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}
static inline int kernel_fspick(int mount_fd)
{
    return (int)syscall(SYS_fspick, mount_fd, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
}
static inline int kernel_fsconfig_reconfigure(int fs_fd)
{
    return (int)syscall(SYS_fsconfig, fs_fd, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0);
}
static inline int kernel_fsmount(int fs_fd, unsigned attributes)
{
    return (int)syscall(SYS_fsmount, fs_fd, FSMOUNT_CLOEXEC, attributes);
}
static inline int kernel_mount_setattr(int dir_fd, const char *path, unsigned flags, struct mount_attr *attributes)
{
    return (int)syscall(SYS_mount_setattr, dir_fd, path, flags, attributes, sizeof(*attributes));
}
static inline int kernel_seccomp(unsigned operation, unsigned flags, void *args)
{
    return (int)syscall(SYS_seccomp, operation, flags, args);
}
static inline int kernel_landlock_create_ruleset(const struct kernel_landlock_ruleset *attributes, size_t bytes,
                                                 unsigned flags)
{
    return (int)syscall(SYS_landlock_create_ruleset, attributes, bytes, flags);
}
static inline int kernel_landlock_add_path(int ruleset_fd, const struct landlock_path_beneath_attr *rule)
{
    return (int)syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}
static inline int kernel_landlock_restrict_self(int ruleset_fd)
{
    return (int)syscall(SYS_landlock_restrict_self, ruleset_fd, 0);
}
