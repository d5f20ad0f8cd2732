/* filter_make.c - compiles the default system call profile into BPF, when fumehood itself is built
 *
 * Runs in: the build, never in the program. Prints C: one filter for each kind of network, and the table of calls.
 *
 * Theory of operation: all numbers form a line that is cut into intervals with the same answer; the filter finds the
 * interval by binary search, so that no call costs more than ten comparisons. A call with conditions has a small piece
 * of code of its own as its answer. libseccomp gives the numbers; its compiler is not used because it can say neither
 * "allow under these conditions, else notify" nor "unless the lower half of this argument is that".
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call profile for this architecture"
#endif

#define GUEST_ID  1000u
#define UNCHANGED 0xffffffffu
#define X32_BIT   0x40000000u
#define NEWTIME   0x80u
#define NEW_NAMESPACES                                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

enum class { SYSCALL, NETWORK, PROCESS, FILESYSTEM, DEVICE, PRIVILEGE, ALLOWED };

struct plain {
    const char *call;
    enum class class;
};
static const struct plain plain[] = {
#define ALLOW(name)      {#name, ALLOWED},
#define DENY(type, name) {#name, type},
#include "cage/syscalls.def"
#undef ALLOW
#undef DENY
};

/* One comparison: a 32-bit half of an argument, masked, is one of two values. The kernel reads most arguments as 32
 * bits, so comparing the lower half is exact where comparing all 64 would let a set high bit past. */
struct term {
    unsigned half; /* 2 * argument, + 1 for the upper half */
    uint32_t mask;
    uint32_t value, or_value;
    bool differs; /* holds when it is neither */
};
#define IS(arg, value)                                                                                                 \
    {                                                                                                                  \
        2 * (arg), UNCHANGED, value, value                                                                             \
    }
#define IS_NULL(arg)                                                                                                   \
    IS(arg, 0),                                                                                                        \
    {                                                                                                                  \
        2 * (arg) + 1, UNCHANGED, 0, 0                                                                                 \
    }
#define HAS_NONE(arg, bits)                                                                                            \
    {                                                                                                                  \
        2 * (arg), bits, 0, 0                                                                                          \
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
        2 * (arg), UNCHANGED, value, value, true                                                                       \
    }
#define UPPER_IS_NOT(arg, value)                                                                                       \
    {                                                                                                                  \
        2 * (arg) + 1, UNCHANGED, value, value, true                                                                   \
    }
#define ONE_OF(arg, a, b)                                                                                              \
    {                                                                                                                  \
        2 * (arg), UNCHANGED, a, b                                                                                     \
    }
#define KEEPS_ID(arg)                                                                                                  \
    {                                                                                                                  \
        2 * (arg), UNCHANGED, GUEST_ID, UNCHANGED                                                                      \
    }

/* A row holds when all its terms hold. A call with ALLOW_IF rows is allowed when one holds and denied otherwise; a call
 * with DENY_IF rows is denied when one holds and allowed otherwise. NOTHING_IF rows come first: the call then answers 0
 * without being made. The text is for people. */
enum effect { ALLOW_IF, ALLOW_IF_LOOPBACK, DENY_IF, NOTHING_IF };
struct row {
    const char *call;
    enum class class;
    enum effect effect;
    const char *text;
    unsigned count;
    struct term terms[4];
};
static const struct row rows[] = {
    {"socket", NETWORK, ALLOW_IF, "AF_UNIX", 1, {IS(0, AF_UNIX)}},
    {"socket",
     NETWORK,
     ALLOW_IF_LOOPBACK,
     "TCP with network: loopback",
     3,
     {ONE_OF(0, AF_INET, AF_INET6), TYPE(STREAM), ONE_OF(2, 0, IPPROTO_TCP)}},
    {"socket",
     NETWORK,
     ALLOW_IF_LOOPBACK,
     "UDP with network: loopback",
     3,
     {ONE_OF(0, AF_INET, AF_INET6), TYPE(DGRAM), ONE_OF(2, 0, IPPROTO_UDP)}},
    {"socketpair", NETWORK, ALLOW_IF, "AF_UNIX", 1, {IS(0, AF_UNIX)}},
    {"clone", PROCESS, ALLOW_IF, "no new namespace", 1, {HAS_NONE(0, NEW_NAMESPACES)}},
    {"unshare", PROCESS, ALLOW_IF, "no new namespace", 1, {HAS_NONE(0, NEW_NAMESPACES | NEWTIME)}},
    /* A process whose core limit is 1 gives nothing to the host's core handler; at 0 that would run. It stays at 1. */
    {"prlimit64",
     PROCESS,
     NOTHING_IF,
     "its own core limit: nothing is done",
     3,
     {IS(0, 0), IS(1, RLIMIT_CORE), IS_NOT(2, 0)}},
    {"prlimit64", PROCESS, NOTHING_IF, "as before", 3, {IS(0, 0), IS(1, RLIMIT_CORE), UPPER_IS_NOT(2, 0)}},
    {"setrlimit", PROCESS, NOTHING_IF, "its own core limit: nothing is done", 1, {IS(0, RLIMIT_CORE)}},
    {"setrlimit", PROCESS, ALLOW_IF, "any other", 1, {IS_NOT(0, RLIMIT_CORE)}},
    {"prlimit64", PROCESS, ALLOW_IF, "its own limits", 1, {IS(0, 0)}},
    {"prlimit64", PROCESS, ALLOW_IF, "looking only", 2, {IS_NULL(2)}},
    /* Writing out the disks of the whole machine is not one program's to ask for, and its own files are in memory. */
    {"sync", FILESYSTEM, NOTHING_IF, "nothing is done", 0, {{0}}},
    {"syncfs", FILESYSTEM, NOTHING_IF, "nothing is done", 0, {{0}}},
    {"personality", SYSCALL, ALLOW_IF, "Linux, or looking only", 1, {{0, UNCHANGED, 0, UNCHANGED}}},
    {"mknod", DEVICE, ALLOW_IF, "file", 1, {{2, S_IFMT, 0, S_IFREG}}},
    {"mknod", DEVICE, ALLOW_IF, "FIFO or socket", 1, {{2, S_IFMT, S_IFIFO, S_IFSOCK}}},
    {"mknodat", DEVICE, ALLOW_IF, "file", 1, {{4, S_IFMT, 0, S_IFREG}}},
    {"mknodat", DEVICE, ALLOW_IF, "FIFO or socket", 1, {{4, S_IFMT, S_IFIFO, S_IFSOCK}}},
    {"setuid", PRIVILEGE, ALLOW_IF, "to the id it has", 1, {IS(0, GUEST_ID)}},
    {"setgid", PRIVILEGE, ALLOW_IF, "to the id it has", 1, {IS(0, GUEST_ID)}},
    {"setreuid", PRIVILEGE, ALLOW_IF, "to the id it has", 2, {KEEPS_ID(0), KEEPS_ID(1)}},
    {"setregid", PRIVILEGE, ALLOW_IF, "to the id it has", 2, {KEEPS_ID(0), KEEPS_ID(1)}},
    {"setresuid", PRIVILEGE, ALLOW_IF, "to the id it has", 3, {KEEPS_ID(0), KEEPS_ID(1), KEEPS_ID(2)}},
    {"setresgid", PRIVILEGE, ALLOW_IF, "to the id it has", 3, {KEEPS_ID(0), KEEPS_ID(1), KEEPS_ID(2)}},
    /* Process 1 of the cage is ours; where nobody but the starter's own id is mapped, it has the guest's. */
    {"sched_setaffinity", PROCESS, DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"sched_setscheduler", PROCESS, DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"sched_setparam", PROCESS, DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"sched_setattr", PROCESS, DENY_IF, "process 1", 1, {IS(0, 1)}},
    {"ioprio_set", PROCESS, DENY_IF, "process 1, its group", 2, {ONE_OF(0, 1, 2), IS(1, 1)}},
    {"ioprio_set", PROCESS, DENY_IF, "all of a user", 1, {IS(0, 3)}},
    {"setpriority", PROCESS, DENY_IF, "process 1, its group", 2, {ONE_OF(0, 0, 1), IS(1, 1)}},
    {"setpriority", PROCESS, DENY_IF, "all of a user", 1, {IS(0, 2)}},
    {"ioctl", DEVICE, DENY_IF, "TIOCSTI, which types into a terminal", 1, {IS(1, 0x5412)}},
    {"ioctl", DEVICE, DENY_IF, "TIOCLINUX, which pastes into a console", 1, {IS(1, 0x541c)}},
    {"prctl", SYSCALL, DENY_IF, "PR_SET_SECCOMP", 1, {IS(0, 22)}},
    {"prctl", SYSCALL, DENY_IF, "PR_SET_MM", 1, {IS(0, 35)}},
};
#define PLAIN_COUNT (sizeof(plain) / sizeof(plain[0]))
#define ROW_COUNT   (sizeof(rows) / sizeof(rows[0]))

/* What the filter answers for one number. */
enum answer { ANSWER_ENOSYS, ANSWER_ALLOW, ANSWER_NOTIFY, ANSWER_ROWS };
#define NUMBERS 1024
static struct {
    enum answer answer;
    const char *call;
} calls[NUMBERS];

static void fail(const char *what, const char *object)
{
    fprintf(stderr, "filter_make: %s: %s\n", object, what);
    exit(1);
}

/* A negative number is a call that this architecture does not have. */
static int number_of(const char *call)
{
    int nr = seccomp_syscall_resolve_name(call);

    if (nr == __NR_SCMP_ERROR)
        fail("not known to libseccomp", call);
    return nr < 0 || nr >= NUMBERS ? -1 : nr;
}

static void set_answer(const char *call, enum answer answer)
{
    int nr = number_of(call);

    if (nr < 0)
        return;
    if (calls[nr].call && (answer != ANSWER_ROWS || calls[nr].answer != ANSWER_ROWS))
        fail("listed twice", call);
    calls[nr].call = call;
    calls[nr].answer = answer;
}

static void read_profile(void)
{
    for (size_t i = 0; i < PLAIN_COUNT; i++)
        set_answer(plain[i].call, plain[i].class == ALLOWED ? ANSWER_ALLOW : ANSWER_NOTIFY);
    for (size_t i = 0; i < ROW_COUNT; i++)
        set_answer(rows[i].call, ANSWER_ROWS);
}

/* --- code --- */

/* Jumps go forward only and reach 255 instructions. So the filter is made from its end: what is jumped to stands
 * already, and the returns, which all ways end in, are shared as far as a jump reaches. code[] is filled from its top.
 */
#define CODE_MAX 4096u
#define REACH    255u
static struct sock_filter code[CODE_MAX];
static unsigned code_at; /* the first instruction that stands */

static unsigned put(uint16_t op, uint8_t jt, uint8_t jf, uint32_t k)
{
    if (code_at == 0)
        fail("too long", "filter");
    code[--code_at] = (struct sock_filter){op, jt, jf, k};
    return code_at;
}

/* How far a jump must go from the instruction that is put next. */
static unsigned distance(unsigned target)
{
    return target - code_at;
}

/* The place of a return of @action that the next instructions can reach. */
static unsigned place_return(uint32_t action)
{
    for (unsigned at = code_at; at < CODE_MAX && at < code_at + REACH - 8; at++)
        if (code[at].code == (BPF_RET | BPF_K) && code[at].k == action)
            return at;
    return put(BPF_RET | BPF_K, 0, 0, action);
}

/* A branch to two places that stand; a far one gets an unconditional jump in between. */
static unsigned put_branch(uint16_t op, uint32_t k, unsigned if_true, unsigned if_false)
{
    if (distance(if_false) > REACH)
        if_false = put(BPF_JMP | BPF_JA, 0, 0, distance(if_false));
    if (distance(if_true) > REACH)
        if_true = put(BPF_JMP | BPF_JA, 0, 0, distance(if_true));
    if (distance(if_true) > REACH || distance(if_false) > REACH)
        fail("a jump is too far", "filter"); /* the second jump in between pushed the first target out of reach */
    return put(BPF_JMP | op | BPF_K, (uint8_t)distance(if_true), (uint8_t)distance(if_false), k);
}

/* Where to go when the term holds and when not. */
static unsigned put_term(const struct term *t, unsigned holds, unsigned fails)
{
    unsigned same = t->differs ? fails : holds, other = t->differs ? holds : fails;
    unsigned at = put_branch(BPF_JEQ, t->value, same, other);

    if (t->or_value != t->value)
        at = put_branch(BPF_JEQ, t->or_value, same, at);
    if (t->mask != UNCHANGED)
        at = put(BPF_ALU | BPF_AND | BPF_K, 0, 0, t->mask);
    (void)at;
    return put(BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 4 * t->half));
}

static uint32_t action_of(enum effect effect)
{
    switch (effect) {
    case DENY_IF:
        return SECCOMP_RET_USER_NOTIF;
    case NOTHING_IF:
        return SECCOMP_RET_ERRNO | 0; /* the error 0: the caller sees success */
    case ALLOW_IF:
    case ALLOW_IF_LOOPBACK:
        break;
    }
    return SECCOMP_RET_ALLOW;
}

static unsigned put_row(const struct row *row, unsigned otherwise)
{
    unsigned at = place_return(action_of(row->effect));

    for (unsigned i = row->count; i > 0; i--)
        at = put_term(&row->terms[i - 1], at, otherwise);
    return at;
}

static unsigned place_rows(const char *call, bool loopback)
{
    uint32_t last = SECCOMP_RET_USER_NOTIF;
    unsigned at;

    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].call, call) == 0 && rows[i].effect == DENY_IF)
            last = SECCOMP_RET_ALLOW;
    at = place_return(last);
    for (size_t i = ROW_COUNT; i > 0; i--)
        if (strcmp(rows[i - 1].call, call) == 0 && (rows[i - 1].effect != ALLOW_IF_LOOPBACK || loopback))
            at = put_row(&rows[i - 1], at);
    return at;
}

static unsigned place_answer(unsigned nr, bool loopback)
{
    switch (calls[nr].answer) {
    case ANSWER_ALLOW:
        return place_return(SECCOMP_RET_ALLOW);
    case ANSWER_NOTIFY:
        return place_return(SECCOMP_RET_USER_NOTIF);
    case ANSWER_ROWS:
        return place_rows(calls[nr].call, loopback);
    case ANSWER_ENOSYS:
        break;
    }
    return place_return(SECCOMP_RET_ERRNO | ENOSYS);
}

static bool same_answer(unsigned a, unsigned b)
{
    return calls[a].answer == calls[b].answer && calls[a].answer != ANSWER_ROWS;
}

/* Search among the intervals that start at starts[first..last]; the number is in the accumulator. */
static unsigned put_search(const unsigned *starts, unsigned first, unsigned last, bool loopback)
{
    if (first == last)
        return place_answer(starts[first], loopback);
    unsigned middle = first + (last - first + 1) / 2;
    unsigned right = put_search(starts, middle, last, loopback);
    unsigned left = put_search(starts, first, middle - 1, loopback);
    return put_branch(BPF_JGE, starts[middle], right, left);
}

static void put_filter(bool loopback)
{
    unsigned starts[NUMBERS], count = 0, search, foreign;

    for (unsigned nr = 0; nr < NUMBERS; nr++)
        if (nr == 0 || !same_answer(nr - 1, nr))
            starts[count++] = nr;
    code_at = CODE_MAX;
    search = put_search(starts, 0, count - 1, loopback);
    foreign = place_return(SECCOMP_RET_USER_NOTIF);
    search = put_branch(BPF_JGE, X32_BIT, foreign, search);
    search = put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    (void)put_branch(BPF_JEQ, NATIVE_ARCH, search, foreign);
    (void)put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
}

/* --- output --- */

static void print_filter(const char *name)
{
    printf("static const struct sock_filter %s[] = {\n", name);
    for (unsigned i = code_at; i < CODE_MAX; i++)
        printf("{0x%x,%u,%u,0x%x},%s", code[i].code, code[i].jt, code[i].jf, code[i].k, i % 6 == 5 ? "\n" : "");
    printf("};\n");
}

static enum class class_of(const char *call) {
    for (size_t i = 0; i < PLAIN_COUNT; i++) if (strcmp(plain[i].call, call) == 0) return plain[i].class;
    for (size_t i = 0; i < ROW_COUNT; i++) if (strcmp(rows[i].call, call) == 0) return rows[i].class;
    return SYSCALL;
}

/* "allowed: a, b" or "denied: a, b" for a call with rows. */
static void print_condition(const char *call)
{
    const char *before = NULL;

    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].call, call) != 0)
            continue;
        if (!before)
            before = rows[i].effect == DENY_IF ? "denied: " : "allowed: ";
        if (strcmp(rows[i].text, "as before") == 0)
            continue;
        printf("%s%s", before, rows[i].text);
        before = ", ";
    }
}

static void print_calls(void)
{
    static const char *const classes[] = {"SYSCALL", "NETWORK",   "PROCESS", "FILESYSTEM",
                                          "DEVICE",  "PRIVILEGE", "ALLOWED"};

    printf("const struct cage_call cage_calls[] = {\n");
    for (unsigned nr = 0; nr < NUMBERS; nr++) {
        if (!calls[nr].call)
            continue;
        printf("{%u,CAGE_CLASS_%s,\"%s\",", nr, classes[class_of(calls[nr].call)], calls[nr].call);
        if (calls[nr].answer == ANSWER_ROWS) {
            printf("\"");
            print_condition(calls[nr].call);
            printf("\"},\n");
        } else {
            printf("0},\n");
        }
    }
    printf("};\nconst unsigned cage_call_count = sizeof(cage_calls) / sizeof(cage_calls[0]);\n");
}

int main(void)
{
    read_profile();
    printf("/* made by filter_make from syscalls.def */\n#include \"cage/filter.h\"\n#include <linux/filter.h>\n");
    put_filter(false);
    print_filter("filter_none");
    put_filter(true);
    print_filter("filter_loopback");
    print_calls();
    printf("const struct sock_filter *cage_filter(bool loopback, unsigned *ret_count)\n{\n"
           "    *ret_count = loopback ? sizeof(filter_loopback) / sizeof(filter_loopback[0])\n"
           "                          : sizeof(filter_none) / sizeof(filter_none[0]);\n"
           "    return loopback ? filter_loopback : filter_none;\n}\n");
    return 0;
}
