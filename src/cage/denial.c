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
static const struct word requests[] = {
#define LET(name, number, who)           {number, #name},
#define LOOPBACK(name, number, who)      {number, #name},
#define UNDONE(name, number, error, who) {number, #name},
#define NAMED(name, number)              {number, #name},
#include "cage/ioctls.def"
#undef LET
#undef LOOPBACK
#undef UNDONE
#undef NAMED
};
static const struct word file_commands[] = {
    {1026, "F_NOTIFY"}, {1024, "F_SETLEASE"}, {1036, "F_SET_RW_HINT"}, {1040, "F_SETDELEG"}};
static const struct word rename_flags[] = {{4, "RENAME_WHITEOUT"}};
static const struct word map_flags[] = {{0x40000, "MAP_HUGETLB"}};
static const struct word memfd_flags[] = {{4, "MFD_HUGETLB"}};
static const struct word segment_flags[] = {{04000, "SHM_HUGETLB"}};
static const struct word socket_options[] = {
    {26, "SO_ATTACH_FILTER"},
    {50, "SO_ATTACH_BPF"},
    {51, "SO_ATTACH_REUSEPORT_CBPF"},
    {52, "SO_ATTACH_REUSEPORT_EBPF"},
    {14, "TCP_MD5SIG"},
    {31, "TCP_ULP"},
    {32, "TCP_MD5SIG_EXT"},
    {33, "TCP_FASTOPEN_KEY"},
    {37, "TCP_TX_DELAY"},
    {38, "TCP_AO_ADD_KEY"},
    {39, "TCP_AO_DEL_KEY"},
    {40, "TCP_AO_INFO"},
    {100, "UDP_ENCAP"},
    {104, "UDP_GRO"},
};
static const struct word process_options[] = {
    {22, "PR_SET_SECCOMP"}, {35, "PR_SET_MM"}, {62, "PR_SCHED_CORE"}, {0x53564d41, "PR_SET_VMA"}};

enum kind { VALUE, HEX, BITS };
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

static void describe_value(enum kind kind, uint64_t value, const struct word *words, size_t count, char *text,
                           size_t text_bytes)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].value == value) {
            (void)snprintf(text, text_bytes, "%s", words[i].text);
            return;
        }
    (void)snprintf(text, text_bytes, kind == HEX ? "%#llx" : "%llu", (unsigned long long)value);
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
        else if (telling[i].kind == BITS)
            describe_bits(value, telling[i].words, telling[i].word_count, text, text_bytes);
        else
            describe_value(telling[i].kind, value, telling[i].words, telling[i].word_count, text, text_bytes);
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
    if (!call && denial->nr == CAGE_DENIAL_OTHER_CALL) {
        (void)snprintf(what, what_bytes, "call(unread)"); /* its caller was killed first */
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
