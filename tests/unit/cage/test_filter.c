/* test_filter.c - tests of the compiled system call filter, by running it as the kernel would
 *
 * The filter is made by src/cage/make/filter_make.c from syscalls.def and a table of conditions. Here it is run in a
 * small interpreter; what each call must answer is said again, apart from that table.
 */
#include "machine.h"
#include <errno.h>
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* --- one filter for each kind of network --- */

static struct machine machines[2];

static int load_filters(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++)
        machines[loopback].code = cage_filter(loopback, &machines[loopback].count);
    return 0;
}

static uint32_t ask(int loopback, uint32_t nr, uint32_t arch, const uint64_t *args)
{
    struct seccomp_data data = {.nr = (int)nr, .arch = arch, .instruction_pointer = 0x123456789a};

    if (args)
        memcpy(data.args, args, sizeof(data.args));
    return run(&machines[loopback], &data);
}

static const char *word(uint32_t answer)
{
    return answer == SECCOMP_RET_ALLOW        ? "allowed"
           : answer == SECCOMP_RET_USER_NOTIF ? "denied"
           : answer == ENOSYS_ANSWER          ? "ENOSYS"
           : answer == NOTHING_ANSWER         ? "done nothing about"
                                              : "something else";
}

static void expect(const char *what, int loopback, uint32_t got, uint32_t wanted)
{
    if (got != wanted)
        fail_msg("%s with network %s is %s (%#x), expected %s", what, loopback ? "loopback" : "none", word(got), got,
                 word(wanted));
}

static const struct cage_call *find(const char *name)
{
    for (unsigned i = 0; i < cage_call_count; i++)
        if (strcmp(cage_calls[i].name, name) == 0)
            return &cage_calls[i];
    return NULL;
}

/* --- the lists --- */

static const struct {
    const char *name;
    uint32_t answer;
} listed[] = {
#define ALLOW(name)       {#name, SECCOMP_RET_ALLOW},
#define DENY(class, name) {#name, SECCOMP_RET_USER_NOTIF},
#include "cage/syscalls.def"
#undef ALLOW
#undef DENY
};

static const struct {
    const char *name;
    enum cage_class class;
} classes[] = {
#define ALLOW(name)      {#name, CAGE_CLASS_ALLOWED},
#define DENY(type, name) {#name, CAGE_CLASS_##type},
#include "cage/syscalls.def"
#undef ALLOW
#undef DENY
};

static const struct {
    const char *name;
    uint32_t nr;
} known_numbers[] = {
    {"read", SYS_read},       {"execve", SYS_execve},
    {"ptrace", SYS_ptrace},   {"mount", SYS_mount},
    {"bpf", SYS_bpf},         {"io_uring_setup", SYS_io_uring_setup},
    {"keyctl", SYS_keyctl},   {"unshare", SYS_unshare},
    {"setns", SYS_setns},     {"seccomp", SYS_seccomp},
    {"socket", SYS_socket},   {"perf_event_open", SYS_perf_event_open},
    {"add_key", SYS_add_key}, {"init_module", SYS_init_module},
    {"reboot", SYS_reboot},   {"userfaultfd", SYS_userfaultfd},
    {"openat2", SYS_openat2}, {"kexec_load", SYS_kexec_load},
    {"clone", SYS_clone},     {"open_by_handle_at", SYS_open_by_handle_at},
    {"futex", SYS_futex},     {"clock_settime", SYS_clock_settime},
    {"exit", SYS_exit},       {"process_vm_readv", SYS_process_vm_readv},
};

static void numbers_are_this_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known_numbers) / sizeof(known_numbers[0]); i++) {
        const struct cage_call *call = find(known_numbers[i].name);
        assert_non_null(call);
        assert_int_equal(call->nr, known_numbers[i].nr);
    }
}

static void every_listed_call_answers_as_listed(void **state)
{
    static const uint64_t extremes[][6] = {{0}, {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull}};

    (void)state;
    for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
        const struct cage_call *call = find(listed[i].name);
#if defined(__x86_64__)
        if (!call)
            fail_msg("%s is not in the table", listed[i].name);
#else
        if (!call)
            continue; /* a call that this architecture does not have */
#endif
        assert_int_equal(call->class, classes[i].class);
        assert_null(call->condition);
        for (int loopback = 0; loopback < 2; loopback++)
            for (int e = 0; e < 2; e++)
                expect(listed[i].name, loopback, ask(loopback, call->nr, NATIVE, extremes[e]), listed[i].answer);
    }
}

static void the_table_is_sorted(void **state)
{
    (void)state;
    assert_true(cage_call_count > 300);
    for (unsigned i = 1; i < cage_call_count; i++)
        assert_true(cage_calls[i - 1].nr < cage_calls[i].nr);
}

static void what_is_not_listed_does_not_exist(void **state)
{
    static const uint32_t beyond[] = {1023, 1024, 1025, 4096, 65535, 65536, 0x10000000, 0x3fffffff};
    unsigned next = 0;

    (void)state;
    for (uint32_t nr = 0; nr < 1200; nr++) {
        if (next < cage_call_count && cage_calls[next].nr == nr) {
            next++;
            continue;
        }
        for (int loopback = 0; loopback < 2; loopback++)
            if (ask(loopback, nr, NATIVE, NULL) != ENOSYS_ANSWER)
                fail_msg("call %u is %s", nr, word(ask(loopback, nr, NATIVE, NULL)));
    }
    assert_int_equal(next, cage_call_count);
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
        expect("a number beyond", 0, ask(0, beyond[i], NATIVE, NULL), ENOSYS_ANSWER);
}

/* Its flags are behind a pointer, which cannot be judged; programs then use clone. */
static void clone3_does_not_exist(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++)
        expect("clone3", loopback, ask(loopback, SYS_clone3, NATIVE, NULL), ENOSYS_ANSWER);
}

/* --- other architectures --- */

static void foreign_calls_are_never_allowed(void **state)
{
    static const uint32_t arches[] = {FOREIGN, AUDIT_ARCH_ARM, 0, ~NATIVE, NATIVE ^ __AUDIT_ARCH_64BIT, ~0u};

    (void)state;
    for (int loopback = 0; loopback < 2; loopback++)
        for (size_t a = 0; a < sizeof(arches) / sizeof(arches[0]); a++)
            for (uint32_t nr = 0; nr < 600; nr++)
                expect("a foreign call", loopback, ask(loopback, nr, arches[a], NULL), SECCOMP_RET_USER_NOTIF);
}

static void x32_is_never_allowed(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        for (uint32_t nr = 0; nr < 600; nr++)
            expect("an x32 call", loopback, ask(loopback, nr | X32, NATIVE, NULL), SECCOMP_RET_USER_NOTIF);
        expect("call -1", loopback, ask(loopback, ~0u, NATIVE, NULL), SECCOMP_RET_USER_NOTIF);
        expect("call 1<<31", loopback, ask(loopback, 1u << 31, NATIVE, NULL), SECCOMP_RET_USER_NOTIF);
    }
}

/* --- conditions, each from both sides --- */

#define HIGH    0xdeadbeef00000000ull
#define YES     SECCOMP_RET_ALLOW
#define NO      SECCOMP_RET_USER_NOTIF
#define NOTHING NOTHING_ANSWER
#define SAME    0xffffffffull /* "leave this id as it is" */
#define GUEST   1000ull

static const struct {
    const char *what;
    uint32_t nr;
    uint64_t args[6];
    uint32_t none, loopback;
} conditions[] = {
    {"socket(AF_UNIX)", SYS_socket, {AF_UNIX}, YES, YES},
    {"socket(AF_UNIX) high", SYS_socket, {HIGH | AF_UNIX}, YES, YES},
    {"socket(AF_INET)", SYS_socket, {AF_INET, SOCK_STREAM}, NO, YES},
    {"socket(AF_INET) high", SYS_socket, {HIGH | AF_INET, HIGH | SOCK_STREAM | SOCK_CLOEXEC, HIGH}, NO, YES},
    {"socket(AF_INET, TCP)", SYS_socket, {AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 6}, NO, YES},
    {"socket(AF_INET6)", SYS_socket, {AF_INET6, SOCK_DGRAM}, NO, YES},
    {"socket(AF_INET6, UDP)", SYS_socket, {AF_INET6, SOCK_DGRAM, 17}, NO, YES},
    {"socket(AF_INET) raw", SYS_socket, {AF_INET, SOCK_RAW}, NO, NO},
    {"socket(AF_INET, MPTCP)", SYS_socket, {AF_INET, SOCK_STREAM, 262}, NO, NO},
    {"socket(AF_INET, SCTP)", SYS_socket, {AF_INET, SOCK_STREAM, 132}, NO, NO},
    {"socket(AF_INET, UDP-Lite)", SYS_socket, {AF_INET, SOCK_DGRAM, 136}, NO, NO},
    {"sync", SYS_sync, {0}, NOTHING, NOTHING},
    {"syncfs", SYS_syncfs, {3}, NOTHING, NOTHING},
    {"setrlimit(core)", SYS_setrlimit, {4, 0x1000}, NOTHING, NOTHING},
    {"setrlimit(core) high", SYS_setrlimit, {HIGH | 4, 0x1000}, NOTHING, NOTHING},
    {"setrlimit(files)", SYS_setrlimit, {7, 0x1000}, YES, YES},
    {"prlimit64(self, core, set)", SYS_prlimit64, {0, 4, 0x1000, 0}, NOTHING, NOTHING},
    {"prlimit64(self, core, set, high half only)", SYS_prlimit64, {0, 4, 0x7f00000000, 0}, NOTHING, NOTHING},
    {"prlimit64(self, core, look)", SYS_prlimit64, {0, 4, 0, 0x1000}, YES, YES},
    {"prlimit64(other, core, set)", SYS_prlimit64, {5, 4, 0x1000, 0}, NO, NO},
    {"sched_setaffinity(self)", SYS_sched_setaffinity, {0}, YES, YES},
    {"sched_setaffinity(thread)", SYS_sched_setaffinity, {7}, YES, YES},
    {"sched_setaffinity(process 1)", SYS_sched_setaffinity, {HIGH | 1}, NO, NO},
    {"sched_setscheduler(process 1)", SYS_sched_setscheduler, {1}, NO, NO},
    {"sched_setparam(process 1)", SYS_sched_setparam, {1}, NO, NO},
    {"sched_setattr(process 1)", SYS_sched_setattr, {1}, NO, NO},
    {"setpriority(process, self)", SYS_setpriority, {0, 0, 5}, YES, YES},
    {"setpriority(process, 1)", SYS_setpriority, {0, 1, 5}, NO, NO},
    {"setpriority(group, 1)", SYS_setpriority, {1, 1, 5}, NO, NO},
    {"setpriority(group, own)", SYS_setpriority, {1, 0, 5}, YES, YES},
    {"setpriority(user)", SYS_setpriority, {2, 0, 5}, NO, NO},
    {"ioprio_set(process, self)", SYS_ioprio_set, {1, 0}, YES, YES},
    {"ioprio_set(process, 1)", SYS_ioprio_set, {1, 1}, NO, NO},
    {"ioprio_set(user)", SYS_ioprio_set, {3, 1000}, NO, NO},
    {"inotify_add_watch", SYS_inotify_add_watch, {3}, ENOSYS_ANSWER, ENOSYS_ANSWER},
    {"set_mempolicy", SYS_set_mempolicy, {0}, ENOSYS_ANSWER, ENOSYS_ANSWER},
    {"socket(AF_NETLINK)", SYS_socket, {AF_NETLINK}, NO, NO},
    {"socket(AF_PACKET)", SYS_socket, {AF_PACKET}, NO, NO},
    {"socket(AF_ALG)", SYS_socket, {AF_ALG}, NO, NO},
    {"socket(AF_VSOCK)", SYS_socket, {AF_VSOCK}, NO, NO},
    {"socket(0)", SYS_socket, {0}, NO, NO},
    {"socket(0) high", SYS_socket, {HIGH}, NO, NO},
    {"socket(-1)", SYS_socket, {~0ull}, NO, NO},
    {"socketpair(AF_UNIX)", SYS_socketpair, {AF_UNIX}, YES, YES},
    {"socketpair(AF_INET)", SYS_socketpair, {AF_INET}, NO, NO},
    {"socketpair(AF_TIPC)", SYS_socketpair, {AF_TIPC}, NO, NO},

    {"clone() as fork", SYS_clone, {17}, YES, YES},
    {"clone() as thread", SYS_clone, {0x3d0f00}, YES, YES},
    {"clone() as fork, high", SYS_clone, {HIGH | 17}, YES, YES},
    {"clone(NEWNS)", SYS_clone, {CLONE_NEWNS | 17}, NO, NO},
    {"clone(NEWCGROUP)", SYS_clone, {CLONE_NEWCGROUP | 17}, NO, NO},
    {"clone(NEWUTS)", SYS_clone, {CLONE_NEWUTS}, NO, NO},
    {"clone(NEWIPC)", SYS_clone, {CLONE_NEWIPC}, NO, NO},
    {"clone(NEWUSER)", SYS_clone, {CLONE_NEWUSER | 17}, NO, NO},
    {"clone(NEWUSER) high", SYS_clone, {HIGH | CLONE_NEWUSER | 17}, NO, NO},
    {"clone(NEWPID)", SYS_clone, {CLONE_NEWPID}, NO, NO},
    {"clone(NEWNET)", SYS_clone, {CLONE_NEWNET}, NO, NO},
    {"clone(all)", SYS_clone, {~0ull}, NO, NO},
    {"unshare(0)", SYS_unshare, {0}, YES, YES},
    {"unshare(FILES)", SYS_unshare, {CLONE_FILES}, YES, YES},
    {"unshare(NEWUSER)", SYS_unshare, {CLONE_NEWUSER}, NO, NO},
    {"unshare(NEWUSER) high", SYS_unshare, {HIGH | CLONE_NEWUSER}, NO, NO},
    {"unshare(NEWNS)", SYS_unshare, {CLONE_NEWNS}, NO, NO},
    {"unshare(NEWNET)", SYS_unshare, {CLONE_NEWNET}, NO, NO},
    {"unshare(NEWPID)", SYS_unshare, {CLONE_NEWPID}, NO, NO},
    {"unshare(NEWIPC)", SYS_unshare, {CLONE_NEWIPC}, NO, NO},
    {"unshare(NEWUTS)", SYS_unshare, {CLONE_NEWUTS}, NO, NO},
    {"unshare(NEWCGROUP)", SYS_unshare, {CLONE_NEWCGROUP}, NO, NO},
    {"unshare(NEWTIME)", SYS_unshare, {0x80}, NO, NO},

    {"ioctl(TCGETS)", SYS_ioctl, {0, 0x5401}, YES, YES},
    {"ioctl(FIONREAD)", SYS_ioctl, {0, 0x541b}, YES, YES},
    {"ioctl(TIOCSTI)", SYS_ioctl, {0, 0x5412}, NO, NO},
    {"ioctl(TIOCSTI) high", SYS_ioctl, {0, HIGH | 0x5412}, NO, NO},
    {"ioctl(TIOCLINUX)", SYS_ioctl, {0, 0x541c}, NO, NO},
    {"ioctl(TIOCLINUX) high", SYS_ioctl, {0, (1ull << 32) | 0x541c}, NO, NO},
    {"ioctl(TIOCSTI as descriptor)", SYS_ioctl, {0x5412, 0x5401, 0x5412}, YES, YES},

    {"fcntl(F_SETFL)", SYS_fcntl, {0, 4}, YES, YES},
    {"fcntl(F_DUPFD_CLOEXEC)", SYS_fcntl, {0, 1030}, YES, YES},
    {"fcntl(F_ADD_SEALS) high", SYS_fcntl, {0, HIGH | 1033}, YES, YES},
    {"fcntl(F_NOTIFY)", SYS_fcntl, {0, 1026}, NO, NO},
    {"fcntl(F_SETLEASE) high", SYS_fcntl, {0, HIGH | 1024}, NO, NO},
    {"fcntl(F_SETDELEG)", SYS_fcntl, {0, 1040}, NO, NO},
    {"fcntl(F_SET_RW_HINT)", SYS_fcntl, {0, 1036}, NO, NO},
    {"fcntl(F_GET_RW_HINT)", SYS_fcntl, {0, 1035}, YES, YES},

    {"sync_file_range", SYS_sync_file_range, {0, 0, 0, 7}, NOTHING, NOTHING},

    {"setsockopt(TCP_NODELAY)", SYS_setsockopt, {0, 6, 1}, YES, YES},
    {"setsockopt(TCP_CONGESTION)", SYS_setsockopt, {0, 6, 13}, YES, YES},
    {"setsockopt(TCP_INQ)", SYS_setsockopt, {0, 6, 36}, YES, YES},
    {"setsockopt(TCP_MD5SIG)", SYS_setsockopt, {0, 6, 14}, YES, NO},
    {"setsockopt(TCP_MD5SIG) high", SYS_setsockopt, {0, HIGH | 6, HIGH | 14}, YES, NO},
    {"setsockopt(TCP_ULP)", SYS_setsockopt, {0, 6, 31}, YES, NO},
    {"setsockopt(TCP_AO_ADD_KEY)", SYS_setsockopt, {0, 6, 38}, YES, NO},
    {"setsockopt(TCP, 4096)", SYS_setsockopt, {0, 6, 4096}, YES, NO},
    {"setsockopt(UDP_ENCAP)", SYS_setsockopt, {0, 17, 100}, YES, NO},
    {"setsockopt(UDP_GRO)", SYS_setsockopt, {0, 17, 104}, YES, NO},
    {"setsockopt(UDP_SEGMENT)", SYS_setsockopt, {0, 17, 103}, YES, YES},
    {"setsockopt(SO_BSDCOMPAT)", SYS_setsockopt, {0, 1, 14}, YES, YES},
    {"setsockopt(SO_ATTACH_FILTER)", SYS_setsockopt, {0, 1, 26}, NO, NO},
    {"setsockopt(IP, 100)", SYS_setsockopt, {0, 0, 100}, YES, YES},

    {"prctl(PR_SCHED_CORE)", SYS_prctl, {62, 1}, NO, NO},
    {"prctl(PR_GET_MDWE)", SYS_prctl, {66}, YES, YES},
    {"prctl(PR_SET_VMA) high", SYS_prctl, {HIGH | 0x53564d41}, NO, NO},
    {"prctl(PR_SET_PTRACER)", SYS_prctl, {0x59616d61}, YES, YES},
    {"prctl(PR_GET_AUXV)", SYS_prctl, {0x41555856}, YES, YES},
    {"prctl(PR_SET_NAME)", SYS_prctl, {15}, YES, YES},
    {"prctl(PR_SET_PDEATHSIG)", SYS_prctl, {1, 9}, YES, YES},
    {"prctl(PR_GET_SECCOMP)", SYS_prctl, {21}, YES, YES},
    {"prctl(PR_SET_SECCOMP)", SYS_prctl, {22, 2}, NO, NO},
    {"prctl(PR_SET_SECCOMP) high", SYS_prctl, {HIGH | 22, 2}, NO, NO},
    {"prctl(PR_SET_MM)", SYS_prctl, {35, 14}, NO, NO},
    {"prctl(PR_SET_MM) high", SYS_prctl, {HIGH | 35, 14}, NO, NO},

    {"prlimit64(self, look)", SYS_prlimit64, {0, 7, 0, 0x1000}, YES, YES},
    {"prlimit64(self, set)", SYS_prlimit64, {0, 7, 0x1000, 0}, YES, YES},
    {"prlimit64(self, set) high", SYS_prlimit64, {HIGH, 7, 0x1000, 0}, YES, YES},
    {"prlimit64(other, look)", SYS_prlimit64, {5, 7, 0, 0x1000}, YES, YES},
    {"prlimit64(other, set)", SYS_prlimit64, {5, 7, 0x1000, 0}, NO, NO},
    {"prlimit64(other, set, high half only)", SYS_prlimit64, {5, 7, 0x7f00000000, 0}, NO, NO},
    {"prlimit64(other, set, low half only)", SYS_prlimit64, {5, 7, 1, 0}, NO, NO},

    {"personality(0)", SYS_personality, {0}, YES, YES},
    {"personality(look)", SYS_personality, {0xffffffff}, YES, YES},
    {"personality(look) high", SYS_personality, {~0ull}, YES, YES},
    {"personality(no randomization)", SYS_personality, {0x40000}, NO, NO},
    {"personality(no randomization) high", SYS_personality, {HIGH | 0x40000}, NO, NO},
    {"personality(32 bits)", SYS_personality, {8}, NO, NO},
    {"personality(read implies exec)", SYS_personality, {0x400000}, NO, NO},

    {"setuid(own)", SYS_setuid, {GUEST}, YES, YES},
    {"setuid(own) high", SYS_setuid, {HIGH | GUEST}, YES, YES},
    {"setuid(0)", SYS_setuid, {0}, NO, NO},
    {"setuid(0) high", SYS_setuid, {HIGH}, NO, NO},
    {"setuid(-1)", SYS_setuid, {SAME}, NO, NO},
    {"setgid(own)", SYS_setgid, {GUEST}, YES, YES},
    {"setgid(0)", SYS_setgid, {0}, NO, NO},
    {"setreuid(own, own)", SYS_setreuid, {GUEST, GUEST}, YES, YES},
    {"setreuid(same, own)", SYS_setreuid, {SAME, GUEST}, YES, YES},
    {"setreuid(-1 in 64 bits, own)", SYS_setreuid, {~0ull, GUEST}, YES, YES},
    {"setreuid(0, own)", SYS_setreuid, {0, GUEST}, NO, NO},
    {"setreuid(own, 0)", SYS_setreuid, {GUEST, 0}, NO, NO},
    {"setregid(same, same)", SYS_setregid, {SAME, SAME}, YES, YES},
    {"setregid(own, 0)", SYS_setregid, {GUEST, 0}, NO, NO},
    {"setregid(0, same)", SYS_setregid, {0, SAME}, NO, NO},
    {"setresuid(own, own, own)", SYS_setresuid, {GUEST, GUEST, GUEST}, YES, YES},
    {"setresuid(same, same, same)", SYS_setresuid, {SAME, SAME, SAME}, YES, YES},
    {"setresuid(own, same, own)", SYS_setresuid, {GUEST, SAME, GUEST}, YES, YES},
    {"setresuid(own, own, own) high", SYS_setresuid, {HIGH | GUEST, HIGH | GUEST, HIGH | GUEST}, YES, YES},
    {"setresuid(0, own, own)", SYS_setresuid, {0, GUEST, GUEST}, NO, NO},
    {"setresuid(own, 0, own)", SYS_setresuid, {GUEST, 0, GUEST}, NO, NO},
    {"setresuid(own, own, 0)", SYS_setresuid, {GUEST, GUEST, 0}, NO, NO},
    {"setresuid(own, own, 0) high", SYS_setresuid, {GUEST, GUEST, HIGH}, NO, NO},
    {"setresuid(0, 0, 0)", SYS_setresuid, {0, 0, 0}, NO, NO},
    {"setresgid(own, own, own)", SYS_setresgid, {GUEST, GUEST, GUEST}, YES, YES},
    {"setresgid(same, own, 1001)", SYS_setresgid, {SAME, GUEST, 1001}, NO, NO},
    {"setresgid(0, same, same)", SYS_setresgid, {0, SAME, SAME}, NO, NO},
};

static void conditions_hold_from_both_sides(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        expect(conditions[i].what, 0, ask(0, conditions[i].nr, NATIVE, conditions[i].args), conditions[i].none);
        expect(conditions[i].what, 1, ask(1, conditions[i].nr, NATIVE, conditions[i].args), conditions[i].loopback);
    }
}

/* mknod takes 16 bits of mode; the type is in the four highest of them. */
static const struct {
    const char *what;
    uint32_t request, none, loopback;
} requests[] = {
#define LET(name, number, who)           {#name, number, YES, YES},
#define LOOPBACK(name, number, who)      {#name, number, NO, YES},
#define UNDONE(name, number, error, who) {#name, number, NO, NO},
#define NAMED(name, number)              {#name, number, NO, NO},
#include "cage/ioctls.def"
#undef LET
#undef LOOPBACK
#undef UNDONE
#undef NAMED
};
#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

static uint32_t listed_request(uint32_t request, int loopback)
{
    for (size_t i = 0; i < REQUESTS; i++)
        if (requests[i].request == request)
            return loopback ? requests[i].loopback : requests[i].none;
    return NO;
}

static void ask_request(uint32_t request)
{
    for (int loopback = 0; loopback < 2; loopback++) {
        const uint64_t plain[6] = {3, request, 1}, high[6] = {HIGH, HIGH | request, request};
        const uint64_t first[6] = {request, HIGH, request};
        expect("a request", loopback, ask(loopback, SYS_ioctl, NATIVE, plain), listed_request(request, loopback));
        expect("one with high bits", loopback, ask(loopback, SYS_ioctl, NATIVE, high),
               listed_request(request, loopback));
        expect("a descriptor like one", loopback, ask(loopback, SYS_ioctl, NATIVE, first), NO);
    }
}

/* Every row, the numbers beside it, those with one bit changed, and all of the old kind. */
static void requests_are_let_pass_by_list(void **state)
{
    (void)state;
    for (size_t i = 0; i < REQUESTS; i++) {
        for (size_t other = 0; other < i; other++)
            assert_int_not_equal(requests[i].request, requests[other].request);
        ask_request(requests[i].request - 1);
        ask_request(requests[i].request + 1);
        for (unsigned bit = 0; bit < 33; bit++)
            ask_request(requests[i].request ^ (uint32_t)(UINT64_C(1) << bit));
    }
    for (uint32_t request = 0; request < 0x10000; request++)
        ask_request(request);
}

static void only_files_fifos_and_sockets_can_be_made(void **state)
{
    const struct cage_call *mknod_call = find("mknod");
    const struct {
        const char *what;
        bool there;
        uint32_t nr;
        unsigned mode_argument;
    } calls[] = {{"mknod", mknod_call != NULL, mknod_call ? mknod_call->nr : 0, 1}, {"mknodat", true, SYS_mknodat, 2}};

    (void)state;
    for (size_t c = 0; c < 2; c++)
        for (unsigned type = 0; type < 16 && calls[c].there; type++)
            for (int high = 0; high < 2; high++) {
                uint64_t args[6] = {0};
                uint32_t mode = type << 12 | 0644;
                bool allowed =
                    type == 0 || mode == (S_IFREG | 0644) || mode == (S_IFIFO | 0644) || mode == (S_IFSOCK | 0644);
                args[calls[c].mode_argument] = (high ? HIGH | 0xabc0000 : 0) | mode;
                for (int loopback = 0; loopback < 2; loopback++)
                    if (ask(loopback, calls[c].nr, NATIVE, args) != (allowed ? YES : NO))
                        fail_msg("%s with type %#x, high bits %d", calls[c].what, type << 12, high);
            }
}

/* Every single bit of clone's flags, alone: only those that make namespaces are denied. */
static void each_bit_of_clone(void **state)
{
    const uint64_t namespaces =
        CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t args[6] = {1ull << bit};
        bool denied = (1ull << bit) & namespaces;
        expect("a bit of clone", 0, ask(0, SYS_clone, NATIVE, args), denied ? NO : YES);
        denied = denied || bit == 7; /* a signal number for clone, CLONE_NEWTIME for unshare */
        expect("a bit of unshare", 0, ask(0, SYS_unshare, NATIVE, args), denied ? NO : YES);
    }
}

static void calls_with_conditions_say_so(void **state)
{
    static const char *const names[] = {"socket",  "socketpair", "clone",     "unshare",   "prlimit64", "personality",
                                        "mknodat", "setuid",     "setresuid", "setresgid", "ioctl",     "prctl"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct cage_call *call = find(names[i]);
        assert_non_null(call);
        assert_non_null(call->condition);
        assert_true(strncmp(call->condition, "allowed: ", 9) == 0 || strncmp(call->condition, "denied: ", 8) == 0);
        assert_int_not_equal(call->class, CAGE_CLASS_ALLOWED);
    }
}

/* --- as the kernel will take it --- */

static void jumps_stay_inside_and_every_way_ends(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        const struct machine *machine = &machines[loopback];
        assert_in_range(machine->count, 10, 4096);
        for (unsigned pc = 0; pc < machine->count; pc++) {
            const struct sock_filter *at = &machine->code[pc];
            if (at->code == (BPF_JMP | BPF_JA))
                assert_true(pc + 1 + (uint64_t)at->k < machine->count);
            else if (BPF_CLASS(at->code) == BPF_JMP)
                assert_true(pc + 1 + (at->jt > at->jf ? at->jt : at->jf) < machine->count);
        }
        assert_int_equal(machine->code[machine->count - 1].code, BPF_RET | BPF_K);
    }
}

static void the_architecture_comes_first(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        const struct sock_filter *code = machines[loopback].code;
        assert_int_equal(code[0].code, BPF_LD | BPF_W | BPF_ABS);
        assert_int_equal(code[0].k, offsetof(struct seccomp_data, arch));
        assert_int_equal(BPF_CLASS(code[1].code), BPF_JMP);
        assert_int_equal(code[1].k, NATIVE);
    }
}

/* The last test: the most that any call above has cost. */
static void no_call_is_dear(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        assert_true(machines[loopback].longest > 3);
        assert_true(machines[loopback].compared <= 20);
        assert_true(machines[loopback].longest <= 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_stay_inside_and_every_way_ends),
        cmocka_unit_test(the_architecture_comes_first),
        cmocka_unit_test(numbers_are_this_machines),
        cmocka_unit_test(every_listed_call_answers_as_listed),
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(what_is_not_listed_does_not_exist),
        cmocka_unit_test(clone3_does_not_exist),
        cmocka_unit_test(foreign_calls_are_never_allowed),
        cmocka_unit_test(x32_is_never_allowed),
        cmocka_unit_test(conditions_hold_from_both_sides),
        cmocka_unit_test(requests_are_let_pass_by_list),
        cmocka_unit_test(only_files_fifos_and_sockets_can_be_made),
        cmocka_unit_test(each_bit_of_clone),
        cmocka_unit_test(calls_with_conditions_say_so),
        cmocka_unit_test(no_call_is_dear),
    };

    return cmocka_run_group_tests(tests, load_filters, NULL);
}
