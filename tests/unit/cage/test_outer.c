/* test_outer.c - tests of src/cage/outer.c: the unit of systemd, and filters of system calls that were here first */
#include "../apart.h"
#include "cage/cage.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void the_innermost_service(void **state)
{
    static const struct {
        const char *groups, *name; /* NULL: none */
    } rows[] = {
        {"0::/system.slice/judge.service\n", "judge.service"},
        {"0::/system.slice/judge.service/fumehood.supervisor\n", "judge.service"},
        {"0::/system.slice/system-judge.slice/judge@a.service\n", "judge@a.service"},
        {"0::/user.slice/user-1000.slice/user@1000.service/app.slice/judge.service\n", "judge.service"},
        {"12:pids:/x\n1:name=systemd:/system.slice/judge.service\n0::/\n", "judge.service"},
        {"0::/user.slice/user-1000.slice/session-1.scope\n", NULL},
        {"0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope\n", NULL},
        {"0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", NULL},
        {"0::/user.slice/user-1000.slice/user@1000.service\n", NULL},
        {"0::/system.slice/docker-0a.scope\n", NULL},
        {"0::/\n", NULL},
        {"10::/system.slice/judge.service\n", NULL}, /* not the second version's line */
        {"0::/a/.service\n", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char name[CAGE_UNIT_BYTES] = "x";
        assert_int_equal(cage_unit_find(rows[i].groups, name), rows[i].name != NULL);
        assert_string_equal(name, rows[i].name ? rows[i].name : "");
    }
}

/* This process, below a filter that has @action for the calls. */
static void put_filter(unsigned action, const unsigned *calls, size_t count)
{
    struct sock_filter code[16] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {1, code};

    for (size_t i = 0; i < count; i++) {
        code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
    }
    code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit(2);
}

static const unsigned refused[] = {SYS_landlock_create_ruleset, SYS_sethostname, SYS_mount_setattr};

static int find_under(void *argument)
{
    const unsigned *action = argument;
    char names[256];

    put_filter(*action, refused, sizeof(refused) / sizeof(refused[0]));
    cage_filter_refuses(names, sizeof(names));
    return strcmp(names, "landlock_create_ruleset mount_setattr sethostname") != 0;
}

static void calls_that_a_filter_refuses_are_found(void **state)
{
    static const unsigned actions[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ERRNO | EPERM};

    (void)state;
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        assert_int_equal(apart_end(apart_start(find_under, (void *)(uintptr_t)&actions[i])), 0);
}

/* The kernel itself refuses none of them so that it would look like a filter. */
static void without_a_filter_none_is_found(void **state)
{
    char names[256] = "x";

    (void)state;
    cage_filter_refuses(names, sizeof(names));
    assert_string_equal(names, "");
}

static int probe_under(void *argument)
{
    struct cage_host host;

    (void)argument;
    put_filter(SECCOMP_RET_KILL_PROCESS, refused, sizeof(refused) / sizeof(refused[0]));
    cage_host_probe(&host);
    return host.has_outer_filter && host.landlock_abi == 0 && strstr(host.refused_calls, "landlock_create_ruleset") ? 0
                                                                                                                    : 1;
}

/* To ask the kernel's ABI would end this process. */
static void a_filter_that_ends_processes_is_found_in_time(void **state)
{
    (void)state;
    assert_int_equal(apart_end(apart_start(probe_under, NULL)), 0);
}

static int probe_code_under(void *argument)
{
    static const unsigned calls[] = {SYS_mprotect};
    struct cage_host host;

    (void)argument;
    put_filter(SECCOMP_RET_ERRNO | EPERM, calls, 1);
    cage_host_probe(&host);
    return host.denies_code ? 0 : 1;
}

static void a_filter_that_denies_code_is_found(void **state)
{
    (void)state;
    assert_int_equal(apart_end(apart_start(probe_code_under, NULL)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_innermost_service),
        cmocka_unit_test(calls_that_a_filter_refuses_are_found),
        cmocka_unit_test(without_a_filter_none_is_found),
        cmocka_unit_test(a_filter_that_ends_processes_is_found_in_time),
        cmocka_unit_test(a_filter_that_denies_code_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
