/* landlock_child.c - the second wall: what the mounts already say, said again by another part of the kernel
 *
 * Runs in: the guest-to-be, inside the finished file system, before its exec.
 * Should: leave nothing handled that is not granted below. Must not: allocate, log, skip a rule.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"

#define READ       (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define MAKE                                                                                                           \
    (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |                    \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                       \
     LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)
#define DEVICES (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_IOCTL_DEV)

static const struct {
    const char *path;
    uint64_t access;
} rules[] = {
    {"/", LANDLOCK_ACCESS_FS_READ_DIR}, /* listing only */
    {"/usr", READ},
    {"/etc", READ},
    {"/proc", READ | WRITE_FILE},
    {"/dev", READ | WRITE_FILE},
    {"/dev/pts",
     READ | WRITE_FILE | LANDLOCK_ACCESS_FS_IOCTL_DEV}, /* terminals of its own; which requests, the filter says */
    {"/dev/shm", READ | WRITE_FILE | MAKE},
    {"/tmp", READ | WRITE_FILE | MAKE},
    {"/work", READ | WRITE_FILE | MAKE},
};

/* Rights that this kernel does not know must not be asked for. */
static uint64_t known_access(int abi)
{
    uint64_t known = READ | WRITE_FILE | MAKE | DEVICES;

    if (abi < CAGE_LANDLOCK_REFER)
        known &= ~LANDLOCK_ACCESS_FS_REFER;
    if (abi < CAGE_LANDLOCK_TRUNCATE)
        known &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
    if (abi < CAGE_LANDLOCK_DEVICES)
        known &= ~LANDLOCK_ACCESS_FS_IOCTL_DEV;
    return known;
}

/* What the wall refuses, and what walls refuse that a guest puts up in it, is no news for the machine's audit log: else
 * a guest could fill it. Kernels before this ABI write nothing. */
#define QUIET (KERNEL_LANDLOCK_LOG_SAME_EXEC_OFF | KERNEL_LANDLOCK_LOG_SUBDOMAINS_OFF)

static size_t ruleset_bytes(int abi)
{
    return abi >= CAGE_LANDLOCK_SCOPES ? 24 : abi >= CAGE_LANDLOCK_TCP ? 16 : 8;
}

static int add_rule(int ruleset_fd, const char *path, uint64_t access)
{
    KERNEL_AUTO_CLOSE int fd = kernel_open(AT_FDCWD, path, O_PATH, 0);
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};

    return fd < 0 ? fd : kernel_landlock_add_path(ruleset_fd, &rule);
}

/* Where older systems have real folders instead of links into /usr, or settings stand. */
static const char *const top_folders[] = {"/bin", "/sbin", "/lib", "/lib64", "/var"};
#define LOOKED (1u << 31)

unsigned cage_landlock_look(void)
{
    unsigned found = LOOKED;

    for (size_t i = 0; i < ARRAY_COUNT(top_folders); i++) {
        struct stat st;
        if (kernel_stat(AT_FDCWD, top_folders[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
            found |= 1u << i;
    }
    return found;
}

static int add_top_folders(int ruleset_fd, unsigned found)
{
    int r = 0;

    for (size_t i = 0; i < ARRAY_COUNT(top_folders) && r == 0; i++)
        if (found >> i & 1)
            r = add_rule(ruleset_fd, top_folders[i], READ);
    return r;
}

int cage_landlock_apply(struct cage_context *context)
{
    int abi = context->host->landlock_abi;
    struct kernel_landlock_ruleset ruleset = {
        .handled_access_fs = known_access(abi),
        .handled_access_net = context->terms->network == POLICY_NETWORK_NONE
                                  ? KERNEL_LANDLOCK_NET_BIND_TCP | KERNEL_LANDLOCK_NET_CONNECT_TCP
                                  : 0,
        .scoped = KERNEL_LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | KERNEL_LANDLOCK_SCOPE_SIGNAL,
    };
    KERNEL_AUTO_CLOSE int fd = kernel_landlock_create_ruleset(&ruleset, ruleset_bytes(abi), 0);
    int r;

    if (fd < 0)
        return fd;
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++)
        if ((r = add_rule(fd, rules[i].path, rules[i].access & ruleset.handled_access_fs)) < 0)
            return r;
    r = add_top_folders(fd, context->top_folders & LOOKED ? context->top_folders : cage_landlock_look());
    if (r < 0)
        return r;
    return kernel_landlock_restrict_self(fd, abi >= CAGE_LANDLOCK_AUDIT ? QUIET : 0);
}
