/* test_denial.c - tests of src/cage/denial.c: the words of the receipt's denials */
#include "../support.h"
#include "cage/cage.h"
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static void expect(struct cage_denial denial, const char *what, const char *class)
{
    char text[48]; /* as the warden has it */
    const char *got = NULL;

    memset(text, 'x', sizeof(text));
    cage_denial_describe(&denial, text, sizeof(text), &got);
    assert_string_equal(text, what);
    assert_string_equal(got, class);
}

static void families(void **state)
{
    (void)state;
    expect((struct cage_denial){.nr = SYS_socket, .argument = AF_INET}, "socket(AF_INET)", "network");
    expect((struct cage_denial){.nr = SYS_socket, .argument = AF_INET6}, "socket(AF_INET6)", "network");
    expect((struct cage_denial){.nr = SYS_socket, .argument = AF_NETLINK}, "socket(AF_NETLINK)", "network");
    expect((struct cage_denial){.nr = SYS_socket, .argument = 0}, "socket(AF_UNSPEC)", "network");
    expect((struct cage_denial){.nr = SYS_socketpair, .argument = AF_VSOCK}, "socketpair(AF_VSOCK)", "network");
    expect((struct cage_denial){.nr = SYS_socket, .argument = 4321}, "socket(4321)", "network");
    expect((struct cage_denial){.nr = SYS_socket, .argument = 0xffffffff}, "socket(4294967295)", "network");
    expect((struct cage_denial){.nr = SYS_socket, .argument = CAGE_DENIAL_OTHER_ARGUMENT}, "socket(other)", "network");
}

static void namespaces(void **state)
{
    (void)state;
    expect((struct cage_denial){.nr = SYS_unshare, .argument = CLONE_NEWUSER}, "unshare(CLONE_NEWUSER)", "process");
    expect((struct cage_denial){.nr = SYS_unshare, .argument = 0x80}, "unshare(CLONE_NEWTIME)", "process");
    expect((struct cage_denial){.nr = SYS_clone, .argument = CLONE_NEWPID}, "clone(CLONE_NEWPID)", "process");
    expect((struct cage_denial){.nr = SYS_unshare, .argument = CLONE_NEWUSER | CLONE_NEWNET},
           "unshare(CLONE_NEWUSER+1)", "process");
    expect((struct cage_denial){.nr = SYS_unshare, .argument = 0xffffffff}, "unshare(CLONE_NEWNS+7)", "process");
    expect((struct cage_denial){.nr = SYS_clone, .argument = 0}, "clone", "process"); /* by a profile */
}

/* What a profile denies has the class of the table where that has one. */
static void denied_by_a_profile(void **state)
{
    (void)state;
    expect((struct cage_denial){.nr = SYS_memfd_create}, "memfd_create", "syscall");
    expect((struct cage_denial){.nr = SYS_socketpair, .argument = AF_UNIX}, "socketpair(AF_UNIX)", "network");
    expect((struct cage_denial){.nr = SYS_ioctl, .argument = 0x5401}, "ioctl(TCGETS)", "device");
}

static void classes(void **state)
{
    static const struct {
        uint32_t nr;
        uint64_t argument;
        const char *what, *class;
    } rows[] = {
        {SYS_ioctl, 0x5412, "ioctl(TIOCSTI)", "device"},
        {SYS_ioctl, 0x541c, "ioctl(TIOCLINUX)", "device"},
        {SYS_ioctl, 0x8982, "ioctl(SIOCGIFVLAN)", "device"},
        {SYS_ioctl, 0xc0c0583b, "ioctl(FS_IOC_GETFSMAP)", "device"},
        {SYS_ioctl, 0x89f0, "ioctl(0x89f0)", "device"},
        {SYS_ioctl, 0, "ioctl(0)", "device"},
        {SYS_prctl, 22, "prctl(PR_SET_SECCOMP)", "syscall"},
        {SYS_prctl, 35, "prctl(PR_SET_MM)", "syscall"}, /* a call has one class */
        {SYS_mount, 7, "mount", "filesystem"},
        {SYS_ptrace, 0, "ptrace", "process"},
        {SYS_bpf, 0, "bpf", "syscall"},
        {SYS_io_uring_setup, 0, "io_uring_setup", "syscall"},
        {SYS_mknodat, 0, "mknodat", "device"},
        {SYS_setuid, 0, "setuid", "privilege"},
        {SYS_reboot, 0, "reboot", "privilege"},
        {SYS_personality, 0, "personality", "syscall"},
        {SYS_process_vm_writev, 0, "process_vm_writev", "process"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        expect((struct cage_denial){.nr = rows[i].nr, .argument = rows[i].argument}, rows[i].what, rows[i].class);
}

static void other_machines(void **state)
{
    (void)state;
    expect((struct cage_denial){.nr = 11, .foreign = 1}, "32-bit-abi(11)", "syscall");
    expect((struct cage_denial){.nr = SYS_socket, .foreign = 2, .argument = AF_INET}, "x32-abi(41)", "syscall");
    expect((struct cage_denial){.nr = 0xbfffffff, .foreign = 2}, "x32-abi(3221225471)", "syscall");
    expect((struct cage_denial){.nr = 99999}, "call(99999)", "syscall");
    expect((struct cage_denial){.nr = CAGE_DENIAL_OTHER_CALL}, "call(unread)", "syscall");
}

static void a_small_buffer_is_not_overrun(void **state)
{
    struct cage_denial denial = {.nr = SYS_socket, .argument = AF_BLUETOOTH};
    char text[12];
    const char *class;

    (void)state;
    memset(text, 'x', sizeof(text));
    cage_denial_describe(&denial, text, 8, &class);
    assert_string_equal(text, "socket(");
    assert_int_equal(text[8], 'x');
}

/* Whatever a report claims, its text fits and is one line of printable ASCII. */
static void every_denial_has_printable_words(void **state)
{
    (void)state;
    for (uint32_t nr = 0; nr < 1100; nr++)
        for (uint32_t foreign = 0; foreign < 4; foreign++) {
            struct cage_denial denial = {.nr = nr, .foreign = foreign, .argument = UINT64_MAX};
            char text[48];
            const char *class = NULL;
            cage_denial_describe(&denial, text, sizeof(text), &class);
            assert_non_null(class);
            assert_in_range(strlen(text), 1, sizeof(text) - 2); /* whole, not cut */
            for (const char *at = text; *at; at++)
                assert_in_range(*at, 33, 126);
        }
}

static void class_names(void **state)
{
    static const char *const names[] = {"syscall", "network", "process", "filesystem", "device", "privilege"};

    (void)state;
    for (int class = 0; class < CAGE_CLASS_ALLOWED; class ++)
        assert_string_equal(cage_class_name((enum cage_class) class), names[class]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families),
        cmocka_unit_test(namespaces),
        cmocka_unit_test(classes),
        cmocka_unit_test(denied_by_a_profile),
        cmocka_unit_test(other_machines),
        cmocka_unit_test(a_small_buffer_is_not_overrun),
        cmocka_unit_test(every_denial_has_printable_words),
        cmocka_unit_test(class_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
