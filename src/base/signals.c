/* signals.c - the signals that would end this process, and what they are called */
#include "base/signals.h"
#include "base/cleanup.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNAL_MAX 64

/* These stop, continue or tell, or cannot be caught. */
static const int harmless[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH};

/* What the kernel says, which is the handler first on every machine. */
union action {
    void (*handler)(int);
    uint64_t room[8];
};

/* A fault of our own raises these: a handler that returned would be called again and again. */
static bool is_fault(int number)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

    for (size_t i = 0; i < ARRAY_COUNT(faults); i++)
        if (faults[i] == number)
            return true;
    return false;
}

/* It does as by default; or somebody waits for it who is not asked to report faults. */
static bool would_end(int number)
{
    union action action = {.room = {0}};

    if (syscall(SYS_rt_sigaction, number, NULL, &action, sizeof(uint64_t)) < 0)
        return false;
    return action.handler != SIG_IGN && (action.handler == SIG_DFL || !is_fault(number));
}

uint64_t base_signals_harmful(void)
{
    uint64_t set = UINT64_MAX;

    _Static_assert(SIGNAL_MAX == 64, "one bit each");
    for (size_t i = 0; i < ARRAY_COUNT(harmless); i++)
        set &= ~BASE_SIGNAL_BIT(harmless[i]);
    return set;
}

uint64_t base_signals_ending(void)
{
    uint64_t set = base_signals_harmful();

    for (int number = 1; number <= SIGNAL_MAX; number++)
        if ((set & BASE_SIGNAL_BIT(number)) && !would_end(number))
            set &= ~BASE_SIGNAL_BIT(number);
    return set;
}

uint64_t base_signals_block(uint64_t set)
{
    uint64_t before = 0;

    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, sizeof(set)); /* cannot fail with these words */
    return before;
}

void base_signals_restore(uint64_t set)
{
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, sizeof(set)); /* the same */
}

int base_signals_open(uint64_t set)
{
    return (int)syscall(SYS_signalfd4, -1, &set, sizeof(set), SFD_CLOEXEC | SFD_NONBLOCK);
}

void base_signals_handle(uint64_t set, void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler};

    (void)sigemptyset(&action.sa_mask);
    for (int number = 1; number <= SIGNAL_MAX; number++)
        if ((set & BASE_SIGNAL_BIT(number)) && !is_fault(number))
            (void)sigaction(number, &action, NULL); /* the library keeps two for itself */
}

const char *base_signal_text(int number, char *text, uint64_t text_bytes)
{
    const char *name = sigabbrev_np(number);

    if (name)
        (void)snprintf(text, text_bytes, "%d (SIG%s)", number, name);
    else
        (void)snprintf(text, text_bytes, "%d", number);
    return text;
}
