/* notice.c - which calls learning and observing notice, and what learning adds to what it noticed */
#include "base/cleanup.h"
#include "cage/cage.h"
#include "cage/compile.h"
#include <string.h>
#include <sys/syscall.h>

/* Never noticed: the first process waits for the guest's exec and would wait for ever for its own answer, or for the
 * guest's word that the exec failed; and the kernel makes the last two by itself, when signals come. */
static const char *const unnoticed[] = {"execve", "exit", "exit_group", "rt_sigreturn", "restart_syscall"};

/* Answered without the kernel on most machines, and with it on some. */
static const char *const at_times[] = {"clock_gettime", "gettimeofday", "time", "getcpu"};

/* What threads call when they meet: while each call waits for its answer they hardly do. */
static const char *const of_threads[] = {"futex", "madvise", "sched_yield"};

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

struct cage_numbers cage_observe_noticed(unsigned observe)
{
    static const struct {
        enum policy_observe kind;
        const char *name;
    } rows[] = {
        {POLICY_OBSERVE_FILES, "open"},  {POLICY_OBSERVE_FILES, "openat"}, {POLICY_OBSERVE_FILES, "openat2"},
        {POLICY_OBSERVE_FILES, "creat"}, {POLICY_OBSERVE_EXEC, "execve"},  {POLICY_OBSERVE_EXEC, "execveat"},
    };
    struct cage_numbers noticed = {0};

    for (unsigned i = 0; i < cage_call_count; i++)
        for (size_t k = 0; k < ARRAY_COUNT(rows); k++)
            if ((observe >> rows[k].kind & 1) && strcmp(rows[k].name, cage_calls[i].name) == 0)
                cage_numbers_add(&noticed, cage_calls[i].nr);
    return noticed;
}

struct cage_numbers cage_learn_noticed(void)
{
    struct cage_numbers noticed = {0};

    for (unsigned i = 0; i < cage_call_count; i++)
        if (!is_among(unnoticed, ARRAY_COUNT(unnoticed), cage_calls[i].name))
            cage_numbers_add(&noticed, cage_calls[i].nr);
    return noticed;
}

void cage_learned_complete(struct cage_numbers *learned)
{
    bool has_threads = cage_numbers_has(learned, SYS_clone);

    for (unsigned i = 0; i < cage_call_count; i++)
        if (is_among(unnoticed, ARRAY_COUNT(unnoticed), cage_calls[i].name) ||
            is_among(at_times, ARRAY_COUNT(at_times), cage_calls[i].name) ||
            (has_threads && is_among(of_threads, ARRAY_COUNT(of_threads), cage_calls[i].name)))
            cage_numbers_add(learned, cage_calls[i].nr);
}
