/* test_signals.c - tests of src/base/signals.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/signals.h"
#include <cmocka.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the launcher ignores is ignored here too; the library's signal() does not know all numbers. */
static void ignore_nothing(void)
{
    static const uint64_t by_default[8];

    for (int number = 1; number <= 64; number++)
        if (number != SIGKILL && number != SIGSTOP)
            assert_int_equal(syscall(SYS_rt_sigaction, number, by_default, NULL, sizeof(uint64_t)), 0);
}

static void what_ends_a_process(void **state)
{
    static const int ending[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGALRM,   SIGUSR1, SIGUSR2,
                                 SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGSTKFLT, SIGPWR};
    static const int harmless[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH};
    uint64_t set;

    (void)state;
    ignore_nothing();
    set = base_signals_ending();
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        assert_true(set & BASE_SIGNAL_BIT(ending[i]));
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        assert_false(set & BASE_SIGNAL_BIT(harmless[i]));
    assert_int_equal(set & ~base_signals_harmful(), 0);
    for (int number = 32; number <= 64; number++) /* the library hides the first two */
        assert_true(set & BASE_SIGNAL_BIT(number));
}

static void what_is_ignored_ends_nothing(void **state)
{
    (void)state;
    assert_true(signal(SIGHUP, SIG_IGN) != SIG_ERR);
    assert_false(base_signals_ending() & BASE_SIGNAL_BIT(SIGHUP));
    assert_true(base_signals_harmful() & BASE_SIGNAL_BIT(SIGHUP));
    uint64_t old = base_signals_block(base_signals_harmful());
    assert_int_equal(raise(SIGHUP), 0);
    base_signals_restore(old); /* it is dropped */
    assert_true(signal(SIGHUP, SIG_DFL) != SIG_ERR);
    assert_true(base_signals_ending() & BASE_SIGNAL_BIT(SIGHUP));
}

static volatile sig_atomic_t seen;

static void see(int number)
{
    seen = number;
}

static void a_fault_is_nobody_elses(void **state)
{
    (void)state;
    assert_true(signal(SIGFPE, see) != SIG_ERR);
    assert_false(base_signals_ending() & BASE_SIGNAL_BIT(SIGFPE)); /* whoever handles it wants it */
    assert_true(signal(SIGFPE, SIG_DFL) != SIG_ERR);
    base_signals_handle(BASE_SIGNAL_BIT(SIGFPE) | BASE_SIGNAL_BIT(SIGUSR1), see);
    assert_ptr_equal(signal(SIGFPE, SIG_DFL), SIG_DFL);
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(seen, SIGUSR1);
    assert_true(signal(SIGUSR1, SIG_DFL) != SIG_ERR);
}

static void blocked_ones_are_told(void **state)
{
    uint64_t set = BASE_SIGNAL_BIT(SIGUSR2), old = base_signals_block(set);
    char told[128];
    int fd = base_signals_open(set);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(read(fd, told, sizeof(told)), -1);
    assert_int_equal(raise(SIGUSR2), 0);
    assert_int_equal(read(fd, told, sizeof(told)), 128);
    assert_int_equal(close(fd), 0);
    assert_true(base_signals_block(0) & set);
    base_signals_restore(old);
    assert_false(base_signals_block(0) & set);
}

static void names(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(base_signal_text(SIGSEGV, text, sizeof(text)), "11 (SIGSEGV)");
    assert_string_equal(base_signal_text(40, text, sizeof(text)), "40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ends_a_process),
        cmocka_unit_test(what_is_ignored_ends_nothing),
        cmocka_unit_test(a_fault_is_nobody_elses),
        cmocka_unit_test(blocked_ones_are_told),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
