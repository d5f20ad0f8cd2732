/* conditions.c - calls that the default profile allows or denies by their arguments
 *
 * Used by: the build (make/filter_make.c) and the program (compile.c). Pure data.
 */
#include "cage/compile.h"
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define GUEST_ID 1000u
#define WHOLE    0xffffffffu /* a mask that leaves all; also the id that means "as it is" */
#define NEWTIME  0x80u
#define NEW_NAMESPACES                                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define IS(arg, value)                                                                                                 \
    {                                                                                                                  \
        2 * (arg), WHOLE, value, value                                                                                 \
    }
#define IS_NULL(arg)                                                                                                   \
    IS(arg, 0),                                                                                                        \
    {                                                                                                                  \
        2 * (arg) + 1, WHOLE, 0, 0                                                                                     \
    }
#define HAS_NONE(arg, bits)                                                                                            \
    {                                                                                                                  \
        2 * (arg), bits, 0, 0                                                                                          \
    }
#define HAS(arg, bit)                                                                                                  \
    {                                                                                                                  \
        2 * (arg), bit, bit, bit                                                                                       \
    }
#define IS_TYPE(arg, type)                                                                                             \
    {                                                                                                                  \
        2 * (arg), S_IFMT, type, type                                                                                  \
    }
#define TYPE(type)                                                                                                     \
    {                                                                                                                  \
        2, 0xf, SOCK_##type, SOCK_##type                                                                               \
    } /* without its flags */
#define IS_NOT(arg, value)                                                                                             \
    {                                                                                                                  \
        2 * (arg), WHOLE, value, value, true                                                                           \
    }
#define UPPER_IS_NOT(arg, value)                                                                                       \
    {                                                                                                                  \
        2 * (arg) + 1, WHOLE, value, value, true                                                                       \
    }
#define ONE_OF(arg, a, b)                                                                                              \
    {                                                                                                                  \
        2 * (arg), WHOLE, a, b                                                                                         \
    }
#define KEEPS_ID(arg)                                                                                                  \
    {                                                                                                                  \
        2 * (arg), WHOLE, GUEST_ID, WHOLE                                                                              \
    }

const struct cage_row cage_rows[] = {
    {"socket", CAGE_CLASS_NETWORK, CAGE_ALLOW_IF, "AF_UNIX", 1, {IS(0, AF_UNIX)}},
    {"socket",
     CAGE_CLASS_NETWORK,
     CAGE_ALLOW_IF_LOOPBACK,
     "TCP with network: loopback",
     3,
     {ONE_OF(0, AF_INET, AF_INET6), TYPE(STREAM), ONE_OF(2, 0, IPPROTO_TCP)}},
    {"socket",
     CAGE_CLASS_NETWORK,
     CAGE_ALLOW_IF_LOOPBACK,
     "UDP with network: loopback",
     3,
     {ONE_OF(0, AF_INET, AF_INET6), TYPE(DGRAM), ONE_OF(2, 0, IPPROTO_UDP)}},
    {"socketpair", CAGE_CLASS_NETWORK, CAGE_ALLOW_IF, "AF_UNIX", 1, {IS(0, AF_UNIX)}},
    {"clone", CAGE_CLASS_PROCESS, CAGE_ALLOW_IF, "no new namespace", 1, {HAS_NONE(0, NEW_NAMESPACES)}},
    {"unshare", CAGE_CLASS_PROCESS, CAGE_ALLOW_IF, "no new namespace", 1, {HAS_NONE(0, NEW_NAMESPACES | NEWTIME)}},
    /* A process whose core limit is 1 gives nothing to the host's core handler; at 0 that would run. It stays at 1. */
    {"prlimit64",
     CAGE_CLASS_PROCESS,
     CAGE_NOTHING_IF,
     "its own core limit: nothing is done",
     3,
     {IS(0, 0), IS(1, RLIMIT_CORE), IS_NOT(2, 0)}},
    {"prlimit64",
     CAGE_CLASS_PROCESS,
     CAGE_NOTHING_IF,
     "as before",
     3,
     {IS(0, 0), IS(1, RLIMIT_CORE), UPPER_IS_NOT(2, 0)}},
    {"setrlimit", CAGE_CLASS_PROCESS, CAGE_NOTHING_IF, "its own core limit: nothing is done", 1, {IS(0, RLIMIT_CORE)}},
    {"setrlimit", CAGE_CLASS_PROCESS, CAGE_ALLOW_IF, "any other", 1, {IS_NOT(0, RLIMIT_CORE)}},
    {"prlimit64", CAGE_CLASS_PROCESS, CAGE_ALLOW_IF, "its own limits", 1, {IS(0, 0)}},
    {"prlimit64", CAGE_CLASS_PROCESS, CAGE_ALLOW_IF, "looking only", 2, {IS_NULL(2)}},
    /* Writing out the disks of the whole machine is not one program's to ask for, and its own files are in memory. */
    {"fsync", CAGE_CLASS_FILESYSTEM, CAGE_NOTHING_IF, "nothing is done", 0, {{0}}},
    {"fdatasync", CAGE_CLASS_FILESYSTEM, CAGE_NOTHING_IF, "nothing is done", 0, {{0}}},
    {"sync", CAGE_CLASS_FILESYSTEM, CAGE_NOTHING_IF, "nothing is done", 0, {{0}}},
    {"syncfs", CAGE_CLASS_FILESYSTEM, CAGE_NOTHING_IF, "nothing is done", 0, {{0}}},
    {"sync_file_range", CAGE_CLASS_FILESYSTEM, CAGE_NOTHING_IF, "nothing is done", 0, {{0}}},
    /* Advice about shared files would tell, and slow down, others that use them. */
    {"fadvise64", CAGE_CLASS_FILESYSTEM, CAGE_NOTHING_IF, "nothing is done", 0, {{0}}},
    /* Leases, delegations and notes tell what others do with a file; a hint stays with a file that all can see. */
    {"fcntl", CAGE_CLASS_FILESYSTEM, CAGE_DENY_IF, "F_NOTIFY, F_SETLEASE", 1, {ONE_OF(1, 1026, 1024)}},
    {"fcntl", CAGE_CLASS_FILESYSTEM, CAGE_DENY_IF, "F_SETDELEG, F_SET_RW_HINT", 1, {ONE_OF(1, 1040, 1036)}},
    {"renameat2", CAGE_CLASS_DEVICE, CAGE_DENY_IF, "RENAME_WHITEOUT, which makes a device", 1, {HAS(4, 4)}},
    /* Huge pages come from a pool of the machine that no limit on memory counts. */
    {"mmap", CAGE_CLASS_SYSCALL, CAGE_DENY_IF, "MAP_HUGETLB", 1, {HAS(3, 0x40000)}},
    {"memfd_create", CAGE_CLASS_SYSCALL, CAGE_DENY_IF, "MFD_HUGETLB", 1, {HAS(1, 4)}},
    {"shmget", CAGE_CLASS_SYSCALL, CAGE_DENY_IF, "SHM_HUGETLB", 1, {HAS(2, 04000)}},
    /* Programs in the kernel, by the side door. */
    {"setsockopt",
     CAGE_CLASS_SYSCALL,
     CAGE_DENY_IF,
     "SO_ATTACH_FILTER, SO_ATTACH_BPF",
     2,
     {IS(1, SOL_SOCKET), ONE_OF(2, 26, 50)}},
    {"setsockopt",
     CAGE_CLASS_SYSCALL,
     CAGE_DENY_IF,
     "the same for SO_REUSEPORT",
     2,
     {IS(1, SOL_SOCKET), ONE_OF(2, 51, 52)}},
    /* TCP_MD5SIG and TCP_AO_ADD_KEY load a cipher's module, which the latter names; others switch something on for all
     * of the machine. */
    {"setsockopt",
     CAGE_CLASS_SYSCALL,
     CAGE_ALLOW_IF_LOOPBACK,
     "TCP_FASTOPEN_NO_COOKIE, TCP_INQ",
     2,
     {IS(1, IPPROTO_TCP), ONE_OF(2, 34, 36)}},
    {"setsockopt",
     CAGE_CLASS_SYSCALL,
     CAGE_DENY_IF_LOOPBACK,
     "TCP_MD5SIG, TCP_ULP",
     2,
     {IS(1, IPPROTO_TCP), ONE_OF(2, 14, 31)}},
    {"setsockopt",
     CAGE_CLASS_SYSCALL,
     CAGE_DENY_IF_LOOPBACK,
     "other options of TCP from 32 on",
     2,
     {IS(1, IPPROTO_TCP), {4, ~31u, 0, 0, true}}},
    {"setsockopt",
     CAGE_CLASS_SYSCALL,
     CAGE_DENY_IF_LOOPBACK,
     "UDP_ENCAP, UDP_GRO",
     2,
     {IS(1, IPPROTO_UDP), ONE_OF(2, 100, 104)}},
    {"personality", CAGE_CLASS_SYSCALL, CAGE_ALLOW_IF, "Linux, or looking only", 1, {{0, WHOLE, 0, WHOLE}}},
    {"mknod", CAGE_CLASS_DEVICE, CAGE_ALLOW_IF, "file", 1, {{2, S_IFMT, 0, S_IFREG}}},
    {"mknod", CAGE_CLASS_DEVICE, CAGE_ALLOW_IF, "FIFO or socket", 1, {{2, S_IFMT, S_IFIFO, S_IFSOCK}}},
    {"mknodat", CAGE_CLASS_DEVICE, CAGE_ALLOW_IF, "file", 1, {{4, S_IFMT, 0, S_IFREG}}},
    {"mknodat", CAGE_CLASS_DEVICE, CAGE_ALLOW_IF, "FIFO or socket", 1, {{4, S_IFMT, S_IFIFO, S_IFSOCK}}},
    {"setuid", CAGE_CLASS_PRIVILEGE, CAGE_ALLOW_IF, "to the id it has", 1, {IS(0, GUEST_ID)}},
    {"setgid", CAGE_CLASS_PRIVILEGE, CAGE_ALLOW_IF, "to the id it has", 1, {IS(0, GUEST_ID)}},
    {"setreuid", CAGE_CLASS_PRIVILEGE, CAGE_ALLOW_IF, "to the id it has", 2, {KEEPS_ID(0), KEEPS_ID(1)}},
    {"setregid", CAGE_CLASS_PRIVILEGE, CAGE_ALLOW_IF, "to the id it has", 2, {KEEPS_ID(0), KEEPS_ID(1)}},
    /* In this order, so that their end is the code of the two above. */
    {"setresuid", CAGE_CLASS_PRIVILEGE, CAGE_ALLOW_IF, "to the id it has", 3, {KEEPS_ID(2), KEEPS_ID(0), KEEPS_ID(1)}},
    {"setresgid", CAGE_CLASS_PRIVILEGE, CAGE_ALLOW_IF, "to the id it has", 3, {KEEPS_ID(2), KEEPS_ID(0), KEEPS_ID(1)}},
    /* Process 1 of the cage is ours; where nobody but the starter's own id is mapped, it has the guest's. */
    {"sched_setaffinity", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"sched_setscheduler", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"sched_setparam", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"sched_setattr", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"ioprio_set", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "process 1, its group", 2, {ONE_OF(0, 1, 2), IS(1, 1)}},
    {"ioprio_set", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "all of a user", 1, {IS(0, 3)}},
    {"setpriority", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "process 1, its group", 2, {ONE_OF(0, 0, 1), IS(1, 1)}},
    {"setpriority", CAGE_CLASS_PROCESS, CAGE_DENY_IF, "all of a user", 1, {IS(0, 2)}},
/* Terminals can be typed into, consoles pasted into, modules loaded, disks mapped and flushed: so by list. */
#define REQUEST(effect, text, number) {"ioctl", CAGE_CLASS_DEVICE, effect, text, 1, {IS(1, number)}},
#define LET(name, number, who)        REQUEST(CAGE_ALLOW_IF, #name, number)
#define LOOPBACK(name, number, who)   REQUEST(CAGE_ALLOW_IF_LOOPBACK, #name " with network: loopback", number)
#define UNDONE(name, number, error, who)
#define NAMED(name, number)
#include "cage/ioctls.def"
#undef LET
#undef LOOPBACK
#undef UNDONE
#undef NAMED
#undef REQUEST
    {"prctl", CAGE_CLASS_SYSCALL, CAGE_DENY_IF, "PR_SET_SECCOMP", 1, {IS(0, 22)}},
    {"prctl", CAGE_CLASS_SYSCALL, CAGE_DENY_IF, "PR_SET_MM", 1, {IS(0, 35)}},
    /* The one keeps others off the processor's other half, the other takes memory that no limit counts. */
    {"prctl", CAGE_CLASS_SYSCALL, CAGE_DENY_IF, "PR_SCHED_CORE, PR_SET_VMA", 1, {ONE_OF(0, 62, 0x53564d41)}},
};
const unsigned cage_row_count = sizeof(cage_rows) / sizeof(cage_rows[0]);
