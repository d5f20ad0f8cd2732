/* test_compile.c - tests of src/cage/compile.c at run time: what profiles, learning and observing make of the default
 *
 * Filters are run by the tests' own machine; what is expected follows from the default's filter, which test_filter.c
 * compares with what is said about each call.
 */
#include "cage/child.h"
#include "cage/compile.h"
#include "machine.h"
#include <sys/syscall.h>

static struct sock_filter code[CAGE_FILTER_MAX];

static struct machine compile(const struct cage_wish *wish)
{
    int count = cage_compile(cage_calls, cage_call_count, wish, code);

    assert_true(count > 0);
    return (struct machine){.code = code, .count = (unsigned)count};
}

static struct machine built_in(bool loopback)
{
    struct machine machine = {0};

    machine.code = cage_filter(loopback, &machine.count);
    return machine;
}

/* Arguments that the conditions of the default know from both sides. */
static const uint64_t arguments[][6] = {
    {0},
    {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull},
    {1, 1, 0, 0, 0, 0},
    {2, 1, 6, 0, 0, 0},
    {0, 4, 0x1000, 0, 0, 0},
    {0, 0x5412, 0, 0, 0, 0},
    {1000, 1000, 1000, 0, 0, 0},
    {22, 2, 0, 0, 0, 0},
    {0x10000000 | 17, 0, 0, 0, 0, 0},
    {5, 7, 0x7f00000000, 0, 0, 0},
};
#define ARGUMENTS (sizeof(arguments) / sizeof(arguments[0]))

static struct seccomp_data call_of(uint32_t nr, uint32_t arch, size_t argument)
{
    struct seccomp_data data = {.nr = (int)nr, .arch = arch};

    memcpy(data.args, arguments[argument], sizeof(data.args));
    return data;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void without_wishes_it_is_what_the_build_made(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        struct machine machine = compile(&(const struct cage_wish){.loopback = loopback}), built = built_in(loopback);
        assert_int_equal(machine.count, built.count);
        assert_memory_equal(machine.code, built.code, built.count * sizeof(*built.code));
    }
}

/* What a profile keeps answers as the default does; what it does not keep, and the default has, is denied. */
static void check_kept(const struct cage_numbers *kept, bool loopback)
{
    struct machine machine = compile(&(const struct cage_wish){.loopback = loopback, .kept = kept});
    struct machine built = built_in(loopback);

    for (uint32_t nr = 0; nr < CAGE_NUMBERS + 8; nr++)
        for (size_t a = 0; a < ARGUMENTS; a++) {
            const struct seccomp_data data = call_of(nr, NATIVE, a);
            uint32_t wanted = run(&built, &data), got = run(&machine, &data);
            if (wanted != ENOSYS_ANSWER && !cage_numbers_has(kept, nr))
                wanted = SECCOMP_RET_USER_NOTIF;
            if (got != wanted)
                fail_msg("call %u with arguments %zu answers %#x, not %#x", nr, a, got, wanted);
            const struct seccomp_data foreign = call_of(nr, FOREIGN, a), x32 = call_of(nr | X32, NATIVE, a);
            assert_int_equal(run(&machine, &foreign), SECCOMP_RET_USER_NOTIF);
            assert_int_equal(run(&machine, &x32), SECCOMP_RET_USER_NOTIF);
        }
}

static void profiles_only_narrow(void **state)
{
    uint32_t seed = 1;

    (void)state;
    check_kept(&(const struct cage_numbers){{0}}, false);
    for (int round = 0; round < 60; round++) {
        struct cage_numbers kept = {{0}};
        unsigned density = 1 + next_random(&seed) % 10;
        for (unsigned nr = 0; nr < CAGE_NUMBERS; nr++)
            if (next_random(&seed) % 10 < density)
                cage_numbers_add(&kept, nr); /* also numbers that the default denies or does not have */
        check_kept(&kept, round % 2);
    }
}

static void learning_notifies_all_that_may_pass(void **state)
{
    const struct cage_numbers noticed = cage_learn_noticed();
    static const uint32_t never[] = {SYS_execve, SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_restart_syscall};
    struct machine machine = compile(&(const struct cage_wish){.noticed = &noticed}), built = built_in(false);

    (void)state;
    for (uint32_t nr = 0; nr < CAGE_NUMBERS; nr++) {
        const struct seccomp_data data = call_of(nr, NATIVE, 0);
        uint32_t wanted = run(&built, &data) == ENOSYS_ANSWER ? ENOSYS_ANSWER : SECCOMP_RET_USER_NOTIF;
        for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
            if (nr == never[i])
                wanted = SECCOMP_RET_ALLOW;
        if (run(&machine, &data) != wanted)
            fail_msg("call %u answers %#x, not %#x", nr, run(&machine, &data), wanted);
    }
}

/* The guest's own exec is known by its three pointers, each of them whole. */
static void the_first_exec_is_no_notification(void **state)
{
    const void *const exec[] = {(void *)0x7f1234567890, (void *)0x7f12345678a8, (void *)0x7f12345679c0};
    const struct cage_numbers noticed = cage_observe_noticed(~0u);
    struct machine machine = compile(&(const struct cage_wish){.noticed = &noticed, .first_exec = exec});
    struct seccomp_data data = {.nr = SYS_execve, .arch = NATIVE};

    (void)state;
    for (int i = 0; i < 3; i++)
        data.args[i] = (uint64_t)(uintptr_t)exec[i];
    assert_int_equal(run(&machine, &data), SECCOMP_RET_ALLOW);
    for (int i = 0; i < 3; i++)
        for (unsigned bit = 0; bit < 64; bit++) {
            data.args[i] ^= UINT64_C(1) << bit;
            assert_int_equal(run(&machine, &data), SECCOMP_RET_USER_NOTIF);
            data.args[i] ^= UINT64_C(1) << bit;
        }
    data.nr = SYS_execveat;
    assert_int_equal(run(&machine, &data), SECCOMP_RET_USER_NOTIF);
}

static void observing_notices_what_it_says(void **state)
{
    const struct cage_numbers none = cage_observe_noticed(0);
    const struct cage_numbers files = cage_observe_noticed(1u << POLICY_OBSERVE_FILES);
    const struct cage_numbers exec = cage_observe_noticed(1u << POLICY_OBSERVE_EXEC);

    (void)state;
    for (unsigned nr = 0; nr < CAGE_NUMBERS; nr++)
        assert_false(cage_numbers_has(&none, nr));
    assert_true(cage_numbers_has(&files, SYS_openat) && cage_numbers_has(&files, SYS_openat2));
    assert_false(cage_numbers_has(&files, SYS_execve) || cage_numbers_has(&files, SYS_read));
    assert_true(cage_numbers_has(&exec, SYS_execve) && cage_numbers_has(&exec, SYS_execveat));
    assert_false(cage_numbers_has(&exec, SYS_openat));
}

static void what_was_learned_is_completed(void **state)
{
    struct cage_numbers learned = {{0}};

    (void)state;
    cage_numbers_add(&learned, SYS_read);
    cage_learned_complete(&learned);
    assert_true(cage_numbers_has(&learned, SYS_read) && cage_numbers_has(&learned, SYS_execve));
    assert_true(cage_numbers_has(&learned, SYS_exit_group) && cage_numbers_has(&learned, SYS_rt_sigreturn));
    assert_true(cage_numbers_has(&learned, SYS_clock_gettime));
    assert_false(cage_numbers_has(&learned, SYS_write) || cage_numbers_has(&learned, SYS_clone));
    assert_false(cage_numbers_has(&learned, SYS_sched_yield));
    cage_numbers_add(&learned, SYS_clone);
    cage_learned_complete(&learned);
    assert_true(cage_numbers_has(&learned, SYS_sched_yield) && cage_numbers_has(&learned, SYS_futex));
}

/* --- the judge --- */

static void the_judge_says_what_the_kernel_would(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        struct machine built = built_in(loopback);
        for (uint32_t nr = 0; nr < CAGE_NUMBERS + 8; nr++)
            for (size_t a = 0; a < ARGUMENTS; a++) {
                const struct seccomp_data data = call_of(nr, a == 3 ? FOREIGN : NATIVE, a);
                assert_int_equal(cage_judge(built.code, built.count, &data), run(&built, &data));
            }
    }
}

static void the_judge_denies_what_it_does_not_know(void **state)
{
    static const struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    static const struct sock_filter firsts[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, 2},                           /* between two words */
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, sizeof(struct seccomp_data)}, /* behind the end */
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0xfffffffc},                  /* far behind it */
        {BPF_LD | BPF_B | BPF_ABS, 0, 0, 0},                           /* other sizes */
        {BPF_ALU | BPF_OR | BPF_K, 0, 0, 0},                           /* other arithmetic */
        {BPF_JMP | BPF_JA, 0, 0, 1},                                   /* past the last */
        {BPF_JMP | BPF_JA, 0, 0, 0xffffffff},                          /* around the number */
        {BPF_JMP | BPF_JEQ | BPF_K, 255, 255, 0},                      /* a branch past the last */
        {BPF_RET | BPF_A, 0, 0, 0},                                    /* a return of who knows what */
    };
    const struct seccomp_data data = call_of(SYS_read, NATIVE, 0);

    (void)state;
    assert_int_equal(cage_judge(NULL, 0, &data), SECCOMP_RET_USER_NOTIF);
    for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
        const struct sock_filter filter[] = {firsts[i], allow};
        assert_int_equal(cage_judge(filter, 2, &data), SECCOMP_RET_USER_NOTIF);
    }
    assert_int_equal(cage_judge(&allow, 1, &data), SECCOMP_RET_ALLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_wishes_it_is_what_the_build_made),
        cmocka_unit_test(profiles_only_narrow),
        cmocka_unit_test(learning_notifies_all_that_may_pass),
        cmocka_unit_test(the_first_exec_is_no_notification),
        cmocka_unit_test(observing_notices_what_it_says),
        cmocka_unit_test(what_was_learned_is_completed),
        cmocka_unit_test(the_judge_says_what_the_kernel_would),
        cmocka_unit_test(the_judge_denies_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
