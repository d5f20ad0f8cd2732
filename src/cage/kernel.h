/* kernel.h - system calls without the C library
 *
 * For the files that end in _child.c: they run between fork and exec, and some of them before the C library of the
 * program has started (begin_child.c). So nothing here uses errno, locks, thread-local or allocated memory: a call
 * returns its result or -errno. Calls without a wrapper in Debian 12's library stand here for everybody.
 */
#pragma once

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

/* <sys/mount.h> clashes with <linux/mount.h> in this C library. */
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
#define KERNEL_LANDLOCK_LOG_SAME_EXEC_OFF          (1u << 0)
#define KERNEL_LANDLOCK_LOG_SUBDOMAINS_OFF         (1u << 2)

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

/* --- the one instruction --- */

#if defined(__x86_64__)
static inline long kernel_call(long nr, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long kernel_call(long nr, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
#else
#error "system calls of this processor are not known here"
#endif

/* KERNEL(nr, up to six arguments) */
#define KERNEL_SIX(nr, a, b, c, d, e, f, ...)                                                                          \
    kernel_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define KERNEL(...) ((int)KERNEL_SIX(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0))

/* --- processes --- */

/* Runs @main with @argument on a stack that ends at @stack_top, in a process that shares what @flags say; returns its
 * number, and with CLONE_PIDFD a descriptor of it in *@ret_pid_fd; with CLONE_CHILD_CLEARTID *@alive becomes 0 when it
 * execs or ends. @main must not return. */
static inline int kernel_clone_on(uint64_t flags, void *stack_top, int (*main)(void *), void *argument, int *ret_pid_fd,
                                  int *alive)
{
    void **top = (void **)stack_top - 2;
#if defined(__x86_64__)
    long result;
    register int *r10 __asm__("r10") = alive;

    top[0] = argument;
    top[1] = (void *)(uintptr_t)main;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "popq %%rdi\n\t"
                     "popq %%rax\n\t"
                     "callq *%%rax\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "0"((long)SYS_clone), "D"(flags), "S"(top), "d"(ret_pid_fd), "r"(r10)
                     : "rcx", "r8", "r11", "memory");
    return (int)result;
#else
    register long x8 __asm__("x8") = SYS_clone;
    register long x0 __asm__("x0") = (long)flags;
    register long x1 __asm__("x1") = (long)top;
    register long x2 __asm__("x2") = (long)ret_pid_fd, x3 __asm__("x3") = 0, x4 __asm__("x4") = (long)alive;

    top[0] = argument;
    top[1] = (void *)(uintptr_t)main;
    __asm__ volatile("svc 0\n\t"
                     "cbnz x0, 1f\n\t"
                     "ldp x0, x1, [sp], #16\n\t"
                     "mov x29, xzr\n\t"
                     "blr x1\n\t"
                     "brk #0\n"
                     "1:"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                     : "memory", "x30");
    return (int)x0;
#endif
}

static inline int kernel_clone3(struct clone_args *args)
{
    return KERNEL(SYS_clone3, args, sizeof(*args));
}
static inline void kernel_exit(int status) __attribute__((noreturn));
static inline void kernel_exit(int status)
{
    for (;;)
        (void)KERNEL(SYS_exit_group, status);
}
static inline int kernel_execve(const char *path, char *const *argv, char *const *envp)
{
    return KERNEL(SYS_execve, path, argv, envp);
}
static inline int kernel_wait(pid_t pid, int *status, int options)
{
    return KERNEL(SYS_wait4, pid, status, options, 0);
}
static inline int kernel_wait_usage(pid_t pid, int *status, int options, struct rusage *ret_usage)
{
    return KERNEL(SYS_wait4, pid, status, options, ret_usage);
}
static inline uint64_t kernel_usage_cpu_us(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}
static inline int kernel_getpid(void)
{
    return KERNEL(SYS_getpid);
}
static inline int kernel_setsid(void)
{
    return KERNEL(SYS_setsid);
}
static inline int kernel_getsid(pid_t pid)
{
    return KERNEL(SYS_getsid, pid);
}
static inline int kernel_unshare(unsigned long flags)
{
    return KERNEL(SYS_unshare, flags);
}
static inline int kernel_prctl(int option, unsigned long a, unsigned long b)
{
    return KERNEL(SYS_prctl, option, a, b, 0, 0);
}
/* Until *@word is no longer @value, or for no reason at all. */
static inline void kernel_futex_wait(const int *word, int value)
{
    enum { FUTEX_WAIT_OP = 0 };

    (void)KERNEL(SYS_futex, word, FUTEX_WAIT_OP, value, 0);
}
static inline int kernel_pidfd_send_signal(int pid_fd, int sig)
{
    return KERNEL(SYS_pidfd_send_signal, pid_fd, sig, 0, 0);
}
/* To the process group that it leads: from Linux 6.9 on. */
static inline int kernel_pidfd_send_signal_to_group(int pid_fd, int sig)
{
    enum { TO_PROCESS_GROUP = 4 };

    return KERNEL(SYS_pidfd_send_signal, pid_fd, sig, 0, TO_PROCESS_GROUP);
}
static inline int kernel_getaffinity(pid_t pid, cpu_set_t *ret_set)
{
    return KERNEL(SYS_sched_getaffinity, pid, sizeof(*ret_set), ret_set);
}
static inline int kernel_setaffinity(pid_t pid, const cpu_set_t *set)
{
    return KERNEL(SYS_sched_setaffinity, pid, sizeof(*set), set);
}
/* The kernel's first version of it; libraries have it under its own name or not. */
struct kernel_sched_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};
static inline int kernel_sched_getattr(pid_t pid, struct kernel_sched_attr *ret_attr)
{
    return KERNEL(SYS_sched_getattr, pid, ret_attr, sizeof(*ret_attr), 0);
}
static inline int kernel_sched_setattr(pid_t pid, const struct kernel_sched_attr *attr)
{
    return KERNEL(SYS_sched_setattr, pid, attr, 0);
}
static inline int kernel_getcpu(unsigned *ret_cpu)
{
    return KERNEL(SYS_getcpu, ret_cpu, 0, 0);
}
static inline int kernel_getscheduler(void)
{
    return KERNEL(SYS_sched_getscheduler, 0);
}
static inline int kernel_setscheduler(int policy) /* one without a priority */
{
    const struct sched_param none = {0};

    return KERNEL(SYS_sched_setscheduler, 0, policy, &none);
}
static inline int kernel_getpriority(void) /* 20 - nice */
{
    return KERNEL(SYS_getpriority, PRIO_PROCESS, 0);
}
static inline int kernel_setpriority(int nice)
{
    return KERNEL(SYS_setpriority, PRIO_PROCESS, 0, nice);
}
static inline int kernel_getioprio(void)
{
    return KERNEL(SYS_ioprio_get, 1, 0); /* of a process: this one */
}
static inline int kernel_setioprio(int priority)
{
    return KERNEL(SYS_ioprio_set, 1, 0, priority);
}
static inline int kernel_sethostname(const char *name, size_t bytes)
{
    return KERNEL(SYS_sethostname, name, bytes);
}
static inline int kernel_rlimit(int resource, const struct rlimit *set, struct rlimit *ret_old)
{
    return KERNEL(SYS_prlimit64, 0, resource, set, ret_old);
}

/* --- identity --- */

static inline int kernel_setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return KERNEL(SYS_setresuid, real, effective, saved);
}
static inline int kernel_setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return KERNEL(SYS_setresgid, real, effective, saved);
}
static inline int kernel_getresuid(uid_t ret_ids[3])
{
    return KERNEL(SYS_getresuid, &ret_ids[0], &ret_ids[1], &ret_ids[2]);
}
static inline int kernel_getresgid(gid_t ret_ids[3])
{
    return KERNEL(SYS_getresgid, &ret_ids[0], &ret_ids[1], &ret_ids[2]);
}
/* How many there are; -EINVAL where they are more than @max. */
static inline int kernel_groups(int max, gid_t *ret_groups)
{
    return KERNEL(SYS_getgroups, max, ret_groups);
}
static inline int kernel_no_groups(void)
{
    return KERNEL(SYS_setgroups, 0, 0);
}

/* --- signals, time --- */

static inline int kernel_sigaction_get(int sig, struct kernel_sigaction *ret_action)
{
    return KERNEL(SYS_rt_sigaction, sig, 0, ret_action, sizeof(uint64_t));
}
static inline int kernel_sigaction_set(int sig, const struct kernel_sigaction *action)
{
    return KERNEL(SYS_rt_sigaction, sig, action, 0, sizeof(uint64_t));
}
#define KERNEL_SIGNAL_BIT(sig) (UINT64_C(1) << ((sig)-1))
static inline int kernel_block_only(uint64_t signals)
{
    return KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &signals, 0, sizeof(signals));
}
static inline int kernel_signalfd(uint64_t signals, int flags)
{
    return KERNEL(SYS_signalfd4, -1, &signals, sizeof(signals), flags);
}
static inline uint64_t kernel_clock_us(void)
{
    struct timespec now = {0};

    (void)KERNEL(SYS_clock_gettime, CLOCK_MONOTONIC, &now); /* there is no kernel without it */
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* --- descriptors --- */

static inline int kernel_open(int dir_fd, const char *path, int flags, mode_t mode)
{
    return KERNEL(SYS_openat, dir_fd, path, flags | O_CLOEXEC, mode);
}
/* Without following what /proc only shows as links: a process's root, folder and descriptors. */
static inline int kernel_open_plain(int dir_fd, const char *path, int flags)
{
    const struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_NO_MAGICLINKS};

    return KERNEL(SYS_openat2, dir_fd, path, &how, sizeof(how));
}
static inline int kernel_close(int fd)
{
    return KERNEL(SYS_close, fd);
}
static inline int kernel_close_range(unsigned first, unsigned last, unsigned flags)
{
    return KERNEL(SYS_close_range, first, last, flags);
}
static inline long kernel_read(int fd, void *bytes, size_t count)
{
    return kernel_call(SYS_read, fd, (long)bytes, (long)count, 0, 0, 0);
}
static inline long kernel_write(int fd, const void *bytes, size_t count)
{
    return kernel_call(SYS_write, fd, (long)bytes, (long)count, 0, 0, 0);
}
static inline long kernel_sendfile(int to_fd, int from_fd, size_t count)
{
    return kernel_call(SYS_sendfile, to_fd, from_fd, 0, (long)count, 0, 0);
}
static inline long kernel_seek(int fd, long offset, int whence)
{
    return kernel_call(SYS_lseek, fd, offset, whence, 0, 0, 0);
}
static inline int kernel_dup3(int fd, int to_fd, int flags)
{
    return KERNEL(SYS_dup3, fd, to_fd, flags);
}
static inline int kernel_fcntl(int fd, int command, long argument)
{
    return KERNEL(SYS_fcntl, fd, command, argument);
}
static inline int kernel_ioctl(int fd, unsigned long request, void *argument)
{
    return KERNEL(SYS_ioctl, fd, request, argument);
}
static inline int kernel_poll(struct pollfd *fds, unsigned count, int timeout_ms)
{
    struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};

    return KERNEL(SYS_ppoll, fds, count, &timeout, 0, 0);
}
static inline int kernel_socket(int family, int type, int protocol)
{
    return KERNEL(SYS_socket, family, type, protocol);
}
static inline int kernel_socketpair(int family, int type, int protocol, int ret_fds[2])
{
    return KERNEL(SYS_socketpair, family, type, protocol, ret_fds);
}
static inline int kernel_recvmsg(int fd, struct msghdr *message, int flags)
{
    return KERNEL(SYS_recvmsg, fd, message, flags);
}
static inline int kernel_sendmsg(int fd, const struct msghdr *message, int flags)
{
    return KERNEL(SYS_sendmsg, fd, message, flags);
}
static inline void *kernel_mmap_shared(size_t bytes) /* zeroed; NULL without memory */
{
    enum { READ_WRITE = 3, SHARED_ANONYMOUS = 0x21 };
    long at = kernel_call(SYS_mmap, 0, (long)bytes, READ_WRITE, SHARED_ANONYMOUS, -1, 0);

    return at < 0 && at > -4096 ? 0 : (void *)at;
}
static inline void kernel_cleanup_close(const int *fd)
{
    if (*fd >= 0)
        (void)kernel_close(*fd);
}
#define KERNEL_AUTO_CLOSE __attribute__((cleanup(kernel_cleanup_close)))

/* --- files --- */

static inline int kernel_mkdir(int dir_fd, const char *path, mode_t mode)
{
    return KERNEL(SYS_mkdirat, dir_fd, path, mode);
}
static inline int kernel_mknod(int dir_fd, const char *path, mode_t mode)
{
    return KERNEL(SYS_mknodat, dir_fd, path, mode, 0);
}
static inline int kernel_symlink(const char *target, int dir_fd, const char *path)
{
    return KERNEL(SYS_symlinkat, target, dir_fd, path);
}
static inline int kernel_readlink(int dir_fd, const char *path, char *text, size_t text_bytes)
{
    return KERNEL(SYS_readlinkat, dir_fd, path, text, text_bytes);
}
static inline int kernel_chown(int dir_fd, const char *path, uid_t uid, gid_t gid)
{
    return KERNEL(SYS_fchownat, dir_fd, path, uid, gid, AT_SYMLINK_NOFOLLOW);
}
static inline int kernel_chmod(int dir_fd, const char *path, mode_t mode)
{
    return KERNEL(SYS_fchmodat, dir_fd, path, mode);
}
static inline int kernel_stat(int dir_fd, const char *path, struct stat *ret_stat, int flags)
{
    return KERNEL(SYS_newfstatat, dir_fd, path, ret_stat, flags);
}
static inline int kernel_statfs(const char *path, struct statfs *ret_fs)
{
    return KERNEL(SYS_statfs, path, ret_fs);
}
static inline int kernel_fstatfs(int fd, struct statfs *ret_fs)
{
    return KERNEL(SYS_fstatfs, fd, ret_fs);
}
static inline bool kernel_exists(const char *path)
{
    return KERNEL(SYS_faccessat, AT_FDCWD, path, 0) == 0;
}
static inline int kernel_chdir(const char *path)
{
    return KERNEL(SYS_chdir, path);
}
static inline int kernel_fchdir(int fd)
{
    return KERNEL(SYS_fchdir, fd);
}
static inline void kernel_umask(mode_t mask)
{
    (void)KERNEL(SYS_umask, mask);
}

/* --- mounts --- */

static inline int kernel_pivot_root(const char *new_root, const char *put_old)
{
    return KERNEL(SYS_pivot_root, new_root, put_old);
}
static inline int kernel_umount(const char *path, int flags)
{
    return KERNEL(SYS_umount2, path, flags);
}
static inline int kernel_open_tree(int dir_fd, const char *path, unsigned flags)
{
    return KERNEL(SYS_open_tree, dir_fd, path, flags);
}
static inline int kernel_move_mount(int from_fd, int to_dir_fd, const char *to_path)
{
    return KERNEL(SYS_move_mount, from_fd, "", to_dir_fd, to_path, MOVE_MOUNT_F_EMPTY_PATH);
}
static inline int kernel_fsopen(const char *type)
{
    return KERNEL(SYS_fsopen, type, FSOPEN_CLOEXEC);
}
static inline int kernel_fsconfig_text(int fs_fd, const char *key, const char *value)
{
    return KERNEL(SYS_fsconfig, fs_fd, FSCONFIG_SET_STRING, key, value, 0);
}
static inline int kernel_fsconfig_create(int fs_fd)
{
    return KERNEL(SYS_fsconfig, fs_fd, FSCONFIG_CMD_CREATE, 0, 0, 0);
}
static inline int kernel_fspick(int mount_fd)
{
    return KERNEL(SYS_fspick, mount_fd, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
}
static inline int kernel_fsconfig_reconfigure(int fs_fd)
{
    return KERNEL(SYS_fsconfig, fs_fd, FSCONFIG_CMD_RECONFIGURE, 0, 0, 0);
}
static inline int kernel_fsmount(int fs_fd, unsigned attributes)
{
    return KERNEL(SYS_fsmount, fs_fd, FSMOUNT_CLOEXEC, attributes);
}
static inline int kernel_mount_setattr(int dir_fd, const char *path, unsigned flags, struct mount_attr *attributes)
{
    return KERNEL(SYS_mount_setattr, dir_fd, path, flags, attributes, sizeof(*attributes));
}

/* --- walls --- */

static inline int kernel_seccomp(unsigned operation, unsigned flags, void *args)
{
    return KERNEL(SYS_seccomp, operation, flags, args);
}
static inline int kernel_landlock_create_ruleset(const struct kernel_landlock_ruleset *attributes, size_t bytes,
                                                 unsigned flags)
{
    return KERNEL(SYS_landlock_create_ruleset, attributes, bytes, flags);
}
static inline int kernel_landlock_add_path(int ruleset_fd, const struct landlock_path_beneath_attr *rule)
{
    return KERNEL(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}
static inline int kernel_landlock_restrict_self(int ruleset_fd, unsigned flags)
{
    return KERNEL(SYS_landlock_restrict_self, ruleset_fd, flags);
}
