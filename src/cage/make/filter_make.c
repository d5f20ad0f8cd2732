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
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call profile for this architecture"
#endif

#define GUEST_ID 1000u
#define UNCHANGED 0xffffffffu
#define X32_BIT 0x40000000u
#define NEWTIME 0x80u
#define NEW_NAMESPACES                                                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

enum class { SYSCALL, NETWORK, PROCESS, FILESYSTEM, DEVICE, PRIVILEGE, ALLOWED };

struct plain {
    const char *call;
    enum class class;
};
static const struct plain plain[] = {
#define ALLOW(name) {#name, ALLOWED},
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
};
#define IS(arg, value) {2 * (arg), UNCHANGED, value, value}
#define IS_NULL(arg) IS(arg, 0), {2 * (arg) + 1, UNCHANGED, 0, 0}
#define HAS_NONE(arg, bits) {2 * (arg), bits, 0, 0}
#define IS_TYPE(arg, type) {2 * (arg), S_IFMT, type, type}
#define KEEPS_ID(arg) {2 * (arg), UNCHANGED, GUEST_ID, UNCHANGED}

/* A row holds when all its terms hold. A call with ALLOW_IF rows is allowed when one holds and denied otherwise; a call
 * with DENY_IF rows is denied when one holds and allowed otherwise. The text is for people. */
enum effect { ALLOW_IF, ALLOW_IF_LOOPBACK, DENY_IF };
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
    {"socket", NETWORK, ALLOW_IF_LOOPBACK, "AF_INET with network: loopback", 1, {IS(0, AF_INET)}},
    {"socket", NETWORK, ALLOW_IF_LOOPBACK, "AF_INET6 with network: loopback", 1, {IS(0, AF_INET6)}},
    {"socketpair", NETWORK, ALLOW_IF, "AF_UNIX", 1, {IS(0, AF_UNIX)}},
    {"clone", PROCESS, ALLOW_IF, "no new namespace", 1, {HAS_NONE(0, NEW_NAMESPACES)}},
    {"unshare", PROCESS, ALLOW_IF, "no new namespace", 1, {HAS_NONE(0, NEW_NAMESPACES | NEWTIME)}},
    {"prlimit64", PROCESS, ALLOW_IF, "its own limits", 1, {IS(0, 0)}},
    {"prlimit64", PROCESS, ALLOW_IF, "looking only", 2, {IS_NULL(2)}},
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
    {"ioctl", DEVICE, DENY_IF, "TIOCSTI, which types into a terminal", 1, {IS(1, 0x5412)}},
    {"ioctl", DEVICE, DENY_IF, "TIOCLINUX, which pastes into a console", 1, {IS(1, 0x541c)}},
    {"prctl", SYSCALL, DENY_IF, "PR_SET_SECCOMP", 1, {IS(0, 22)}},
    {"prctl", PRIVILEGE, DENY_IF, "PR_SET_MM", 1, {IS(0, 35)}},
};
#define PLAIN_COUNT (sizeof(plain) / sizeof(plain[0]))
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

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

static struct sock_filter code[4096];
static unsigned code_count;

static void put(uint16_t op, uint8_t jt, uint8_t jf, uint32_t k)
{
    if (code_count == 4096)
        fail("too long", "filter");
    code[code_count++] = (struct sock_filter){op, jt, jf, k};
}

static void put_return(uint32_t action)
{
    put(BPF_RET | BPF_K, 0, 0, action);
}

static unsigned term_length(const struct term *t)
{
    return 2 + (t->mask != UNCHANGED) + (t->or_value != t->value);
}

/* Fall through to the next term when it holds, else skip the rest of the row. @rest: instructions after this term until
 * the row's end, its return included. */
static void put_term(const struct term *t, unsigned rest)
{
    put(BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 4 * t->half));
    if (t->mask != UNCHANGED)
        put(BPF_ALU | BPF_AND | BPF_K, 0, 0, t->mask);
    if (t->or_value != t->value)
        put(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, t->or_value);
    put(BPF_JMP | BPF_JEQ | BPF_K, 0, (uint8_t)rest, t->value);
}

static void put_row(const struct row *row)
{
    unsigned rest = 1;

    for (unsigned i = 0; i < row->count; i++)
        rest += term_length(&row->terms[i]);
    for (unsigned i = 0; i < row->count; i++) {
        rest -= term_length(&row->terms[i]);
        put_term(&row->terms[i], rest);
    }
    put_return(row->effect == DENY_IF ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
}

static void put_rows(const char *call, bool loopback)
{
    uint32_t otherwise = SECCOMP_RET_USER_NOTIF;

    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].call, call) != 0)
            continue;
        if (rows[i].effect == DENY_IF)
            otherwise = SECCOMP_RET_ALLOW;
        if (rows[i].effect != ALLOW_IF_LOOPBACK || loopback)
            put_row(&rows[i]);
    }
    put_return(otherwise);
}

static void put_answer(unsigned nr, bool loopback)
{
    switch (calls[nr].answer) {
    case ANSWER_ALLOW:
        put_return(SECCOMP_RET_ALLOW);
        break;
    case ANSWER_NOTIFY:
        put_return(SECCOMP_RET_USER_NOTIF);
        break;
    case ANSWER_ROWS:
        put_rows(calls[nr].call, loopback);
        break;
    case ANSWER_ENOSYS:
        put_return(SECCOMP_RET_ERRNO | ENOSYS);
        break;
    }
}

static bool same_answer(unsigned a, unsigned b)
{
    return calls[a].answer == calls[b].answer && calls[a].answer != ANSWER_ROWS;
}

/* Search among the intervals that start at starts[first..last]. Left halves come first; the way to the right half is an
 * unconditional jump, whose reach has no limit. */
static void put_search(const unsigned *starts, unsigned first, unsigned last, bool loopback)
{
    if (first == last) {
        put_answer(starts[first], loopback);
        return;
    }
    unsigned middle = first + (last - first + 1) / 2;
    put(BPF_JMP | BPF_JGE | BPF_K, 0, 1, starts[middle]);
    unsigned jump = code_count;
    put(BPF_JMP | BPF_JA, 0, 0, 0);
    put_search(starts, first, middle - 1, loopback);
    code[jump].k = code_count - jump - 1;
    put_search(starts, middle, last, loopback);
}

static void put_filter(bool loopback)
{
    unsigned starts[NUMBERS], count = 0;

    for (unsigned nr = 0; nr < NUMBERS; nr++)
        if (nr == 0 || !same_answer(nr - 1, nr))
            starts[count++] = nr;
    code_count = 0;
    put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    put(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE_ARCH);
    put_return(SECCOMP_RET_USER_NOTIF);
    put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    put(BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
    put_return(SECCOMP_RET_USER_NOTIF);
    put_search(starts, 0, count - 1, loopback);
}

/* --- output --- */

static void print_filter(const char *name)
{
    printf("static const struct sock_filter %s[] = {\n", name);
    for (unsigned i = 0; i < code_count; i++)
        printf("{0x%x,%u,%u,0x%x},%s", code[i].code, code[i].jt, code[i].jf, code[i].k, i % 6 == 5 ? "\n" : "");
    printf("};\n");
}

static enum class class_of(const char *call)
{
    for (size_t i = 0; i < PLAIN_COUNT; i++)
        if (strcmp(plain[i].call, call) == 0)
            return plain[i].class;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].call, call) == 0)
            return rows[i].class;
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
        printf("%s%s", before, rows[i].text);
        before = ", ";
    }
}

static void print_calls(void)
{
    static const char *const classes[] = {"SYSCALL", "NETWORK", "PROCESS", "FILESYSTEM", "DEVICE", "PRIVILEGE",
                                          "ALLOWED"};

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
