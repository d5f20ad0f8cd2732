/* test_compile.c - tests of src/cage/compile.c at run time: what profiles, learning and observing make of the default
 *
 * Filters are run by the tests' own machine; what is expected follows from the default's filter, which test_filter.c
 * compares with what is said about each call, or from the tables, read in the plainest way.
 */
#include "cage/child.h"
#include "cage/compile.h"
#include "machine.h"
#include "tables.h"
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
    {0, 0x5401, 0, 0, 0, 0},
    {0, 0x40049409, 0, 0, 0, 0},
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

/* --- every number, as the tables say --- */

static uint32_t random_word(uint32_t *seed)
{
    return next_random(seed) << 16 ^ next_random(seed);
}

static void set_word(struct seccomp_data *data, unsigned half, uint32_t word)
{
    memcpy((char *)data->args + 4 * half, &word, sizeof(word));
}

/* Arguments near what a row is about: all its terms hold, or the values are those of its terms, or one bit is off. */
static void near_row(struct seccomp_data *data, const struct cage_row *row, uint32_t *seed)
{
    for (unsigned i = 0; i < row->count; i++) {
        const struct cage_term *term = &row->terms[i];
        uint32_t value = next_random(seed) % 2 ? term->value : term->or_value;
        set_word(data, term->half, value | (random_word(seed) & ~term->mask));
    }
    if (next_random(seed) % 2)
        data->args[next_random(seed) % 6] ^= UINT64_C(1) << next_random(seed) % 64;
}

static struct seccomp_data random_call(uint32_t nr, uint32_t *seed)
{
    struct seccomp_data data = {.nr = (int)nr, .arch = NATIVE};

    for (unsigned half = 0; half < 12; half++)
        set_word(&data, half, next_random(seed) % 2 ? random_word(seed) : next_random(seed) % 4);
    return data;
}

static void check_call(struct machine *machine, const struct cage_call *call, const struct cage_wish *wish,
                       struct seccomp_data data)
{
    uint32_t wanted = table_says(call, wish, &data), got = run(machine, &data);

    if (got != wanted)
        fail_msg("%s as number %d answers %#x, not %#x, to %#llx, %#llx, %#llx", call ? call->name : "nothing", data.nr,
                 got, wanted, data.args[0], data.args[1], data.args[2]);
}

/* One number: arguments near each of its rows, and any. */
static void check_number(struct machine *machine, uint32_t nr, const struct cage_call *call,
                         const struct cage_wish *wish, uint32_t *seed)
{
    check_call(machine, call, wish, random_call(nr, seed));
    for (unsigned i = 0; i < cage_row_count; i++)
        for (int round = 0; round < 40 && call && strcmp(cage_rows[i].call, call->name) == 0; round++) {
            struct seccomp_data data = random_call(nr, seed);
            near_row(&data, &cage_rows[i], seed);
            check_call(machine, call, wish, data);
        }
}

static struct machine check_table(const struct cage_call *calls, unsigned count, const struct cage_wish *wish,
                                  uint32_t *seed)
{
    int length = cage_compile(calls, count, wish, code);
    struct machine machine = {.code = code, .count = (unsigned)length};
    unsigned next = 0;

    assert_true(length > 0);
    for (uint32_t nr = 0; nr < CAGE_NUMBERS; nr++) {
        bool is_there = next < count && calls[next].nr == nr;
        check_number(&machine, nr, is_there ? &calls[next] : NULL, wish, seed);
        next += is_there;
    }
    return machine;
}

static struct cage_numbers random_numbers(uint32_t *seed, unsigned tenths)
{
    struct cage_numbers numbers = {{0}};

    for (unsigned nr = 0; nr < CAGE_NUMBERS; nr++)
        if (next_random(seed) % 10 < tenths)
            cage_numbers_add(&numbers, nr);
    return numbers;
}

static void every_number_answers_as_the_tables_say(void **state)
{
    uint32_t seed = 2;

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        const struct cage_numbers kept = random_numbers(&seed, round / 4), noticed = random_numbers(&seed, 2);
        struct cage_wish wish = {.loopback = round % 2};
        (void)check_table(cage_calls, cage_call_count, &wish, &seed);
        wish.kept = &kept;
        (void)check_table(cage_calls, cage_call_count, &wish, &seed);
        wish.noticed = &noticed;
        (void)check_table(cage_calls, cage_call_count, &wish, &seed);
    }
}

/* Calls of ours under other numbers, close together: far more code than jumps reach over. */
static void so_do_tables_that_are_large(void **state)
{
    static struct cage_call calls[CAGE_NUMBERS];
    uint32_t seed = 3;

    (void)state;
    for (int round = 0; round < 10; round++) {
        unsigned count = 0;
        for (unsigned nr = 0; nr < CAGE_NUMBERS; nr++)
            if (next_random(&seed) % 8 > 0) {
                calls[count] = cage_calls[next_random(&seed) % cage_call_count];
                calls[count++].nr = nr;
            }
        assert_true(check_table(calls, count, &(const struct cage_wish){.loopback = round % 2}, &seed).count > 512);
    }
}

/* --- what it costs --- */

/* The kernel takes the filter before each guest, and goes the way of each number then. */
static void the_default_is_short(void **state)
{
    uint32_t seed = 4;

    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        const struct cage_wish wish = {.loopback = loopback};
        struct machine machine = check_table(cage_calls, cage_call_count, &wish, &seed);
        assert_in_range(machine.count, 10, loopback ? 245 : 210);
        assert_in_range(machine.longest, 4, 22);
    }
}

/* Then the kernel knows of it that it is allowed, and need not ask the filter again. */
static void an_allowed_call_is_known_by_its_number(void **state)
{
    (void)state;
    for (int loopback = 0; loopback < 2; loopback++) {
        struct machine built = built_in(loopback);
        for (unsigned i = 0; i < cage_call_count; i++) {
            const struct seccomp_data data = call_of(cage_calls[i].nr, NATIVE, 0);
            if (cage_calls[i].class == CAGE_CLASS_ALLOWED)
                assert_int_equal(run(&built, &data), SECCOMP_RET_ALLOW);
        }
        assert_false(built.asked);
        assert_in_range(built.longest, 4, 12);
    }
}

/* --- learning and observing --- */

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
        cmocka_unit_test(every_number_answers_as_the_tables_say),
        cmocka_unit_test(so_do_tables_that_are_large),
        cmocka_unit_test(the_default_is_short),
        cmocka_unit_test(an_allowed_call_is_known_by_its_number),
        cmocka_unit_test(learning_notifies_all_that_may_pass),
        cmocka_unit_test(the_first_exec_is_no_notification),
        cmocka_unit_test(observing_notices_what_it_says),
        cmocka_unit_test(what_was_learned_is_completed),
        cmocka_unit_test(the_judge_says_what_the_kernel_would),
        cmocka_unit_test(the_judge_denies_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
