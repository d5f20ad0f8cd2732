/* denial.c - words for denied calls */
#include "base/cleanup.h"
#include "cage/cage.h"
#include <linux/sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

struct word {
    uint64_t value;
    const char *text;
};

static const struct word families[] = {
    {AF_UNSPEC, "AF_UNSPEC"}, {AF_UNIX, "AF_UNIX"},       {AF_INET, "AF_INET"},
    {AF_INET6, "AF_INET6"},   {AF_NETLINK, "AF_NETLINK"}, {AF_PACKET, "AF_PACKET"},
    {AF_ALG, "AF_ALG"},       {AF_VSOCK, "AF_VSOCK"},     {AF_BLUETOOTH, "AF_BLUETOOTH"},
    {AF_CAN, "AF_CAN"},       {AF_TIPC, "AF_TIPC"},       {AF_XDP, "AF_XDP"},
    {AF_KEY, "AF_KEY"},       {AF_RDS, "AF_RDS"},         {AF_QIPCRTR, "AF_QIPCRTR"},
    {45, "AF_MCTP"},
};
static const struct word namespaces[] = {
    {CLONE_NEWNS, "CLONE_NEWNS"},     {CLONE_NEWCGROUP, "CLONE_NEWCGROUP"},
    {CLONE_NEWUTS, "CLONE_NEWUTS"},   {CLONE_NEWIPC, "CLONE_NEWIPC"},
    {CLONE_NEWUSER, "CLONE_NEWUSER"}, {CLONE_NEWPID, "CLONE_NEWPID"},
    {CLONE_NEWNET, "CLONE_NEWNET"},   {0x80, "CLONE_NEWTIME"},
};
static const struct word terminal_requests[] = {{0x5412, "TIOCSTI"}, {0x541c, "TIOCLINUX"}};
static const struct word file_commands[] = {{0x402, "F_NOTIFY"}, {0x400, "F_SETLEASE"}};
static const struct word rename_flags[] = {{4, "RENAME_WHITEOUT"}};
static const struct word map_flags[] = {{0x40000, "MAP_HUGETLB"}};
static const struct word memfd_flags[] = {{4, "MFD_HUGETLB"}};
static const struct word segment_flags[] = {{04000, "SHM_HUGETLB"}};
static const struct word socket_options[] = {
    {26, "SO_ATTACH_FILTER"},
    {50, "SO_ATTACH_BPF"},
    {51, "SO_ATTACH_REUSEPORT_CBPF"},
    {52, "SO_ATTACH_REUSEPORT_EBPF"},
};
static const struct word process_options[] = {{22, "PR_SET_SECCOMP"}, {35, "PR_SET_MM"}};

enum kind { VALUE, BITS };
static const struct {
    uint32_t nr;
    enum kind kind;
    const struct word *words;
    size_t word_count;
} telling[] = {
#define TELLING(call, arg, mask, kind, words) {SYS_##call, kind, words, ARRAY_COUNT(words)},
#include "cage/telling.def"
#undef TELLING
};

const char *cage_class_name(enum cage_class class)
{
    static const char *const names[] = {"syscall", "network",   "process", "filesystem",
                                        "device",  "privilege", "allowed"};

    return names[class];
}

static const struct cage_call *find_call(uint32_t nr)
{
    for (unsigned i = 0; i < cage_call_count; i++)
        if (cage_calls[i].nr == nr)
            return &cage_calls[i];
    return NULL;
}

static void describe_value(uint64_t value, const struct word *words, size_t count, char *text, size_t text_bytes)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].value == value) {
            (void)snprintf(text, text_bytes, "%s", words[i].text);
            return;
        }
    (void)snprintf(text, text_bytes, "%llu", (unsigned long long)value);
}

/* The first bit by name; several are rare and "+N" says how many more. */
static void describe_bits(uint64_t value, const struct word *words, size_t count, char *text, size_t text_bytes)
{
    const char *first = NULL;
    unsigned more = 0;

    for (size_t i = 0; i < count; i++) {
        if (!(value & words[i].value))
            continue;
        if (first)
            more++;
        else
            first = words[i].text;
    }
    if (more)
        (void)snprintf(text, text_bytes, "%s+%u", first, more);
    else
        (void)snprintf(text, text_bytes, "%s", first ? first : "0");
}

/* False where the call has no argument that tells, or a profile denied it whatever it was for. */
static bool describe_argument(const struct cage_denial *denial, char *text, size_t text_bytes)
{
    uint64_t value = denial->argument;

    for (size_t i = 0; i < ARRAY_COUNT(telling); i++) {
        if (telling[i].nr != denial->nr)
            continue;
        if (telling[i].kind == BITS && value == 0)
            return false;
        if (value == CAGE_DENIAL_OTHER_ARGUMENT)
            (void)snprintf(text, text_bytes, "other");
        else
            (telling[i].kind == BITS ? describe_bits : describe_value)(value, telling[i].words, telling[i].word_count,
                                                                       text, text_bytes);
        return true;
    }
    return false;
}

void cage_denial_describe(const struct cage_denial *denial, char *what, size_t what_bytes, const char **ret_class)
{
    const struct cage_call *call = denial->foreign ? NULL : find_call(denial->nr);
    char argument[40];

    *ret_class = "syscall";
    if (denial->foreign) {
        const char *abi = denial->foreign == 1 ? "32-bit" : "x32";
        if (denial->nr == CAGE_DENIAL_OTHER_CALL)
            (void)snprintf(what, what_bytes, "%s-abi(other)", abi);
        else
            (void)snprintf(what, what_bytes, "%s-abi(%u)", abi, denial->nr);
        return;
    }
    if (!call) {
        (void)snprintf(what, what_bytes, "call(%u)", denial->nr);
        return;
    }
    if (call->class != CAGE_CLASS_ALLOWED) /* else denied by a profile */
        *ret_class = cage_class_name(call->class);
    if (describe_argument(denial, argument, sizeof(argument)))
        (void)snprintf(what, what_bytes, "%s(%s)", call->name, argument);
    else
        (void)snprintf(what, what_bytes, "%s", call->name);
}
