/* launcher_child.c - nothing of who started us goes on into a cage
 *
 * Runs in: the cage's first process, first of all. Must not: allocate, log.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"

#define TIMER_SLACK_NS 50000 /* what the kernel gives to its first process */

/* It may hold secrets, and lies in a copy of the supervisor's memory. */
static void wipe(char **environment)
{
    for (char **entry = environment; entry && *entry; entry++)
        for (volatile char *at = *entry; *at; at++)
            *at = 0;
}

/* A group's share of the processors does not bound a real-time process, and a killer of processes that may not kill a
 * guest leaves its memory limit without force. Less than usual stays as it is. */
static int forget_precedence(void)
{
    const int policy = kernel_getscheduler(), io = kernel_getioprio();
    const bool is_plain = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
    KERNEL_AUTO_CLOSE int score_fd = kernel_open(AT_FDCWD, "/proc/self/oom_score_adj", O_RDWR, 0);
    char sign = 0;
    int r = is_plain ? 0 : kernel_setscheduler(SCHED_OTHER);

    if (r == 0 && kernel_getpriority() > 20)
        r = kernel_setpriority(0);
    if (r == 0 && io >> 13 == 1) /* real-time */
        r = kernel_setioprio(0);
    if (r == 0 && score_fd >= 0 && kernel_read(score_fd, &sign, 1) == 1 && sign == '-')
        r = (int)kernel_write(score_fd, "0", 1);
    return r < 0 ? r : 0;
}

/* Whatever our starter ignored or allowed itself: a child's end must reach us, and what we write must not end us. */
int cage_launcher_forget(char **environment)
{
    static const int soft[] = {RLIMIT_NOFILE, RLIMIT_FSIZE};
    struct kernel_sigaction action = {.handler = SIG_DFL};

    wipe(environment);
    (void)KERNEL(SYS_personality, 0); /* such as one without random addresses; it cannot fail */
    (void)kernel_prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0);
    (void)kernel_prctl(PR_SET_THP_DISABLE, 0, 0);
    for (int sig = 1; sig <= 64; sig++)
        (void)kernel_sigaction_set(sig, &action); /* two cannot be set, and need not */
    action.handler = SIG_IGN;
    (void)kernel_sigaction_set(SIGPIPE, &action); /* these two are the guest's again (guest_child.c) */
    (void)kernel_sigaction_set(SIGXFSZ, &action);
    for (size_t i = 0; i < ARRAY_COUNT(soft); i++) {
        struct rlimit limit;
        int r = kernel_rlimit(soft[i], NULL, &limit);
        limit.rlim_cur = limit.rlim_max;
        if (r == 0)
            r = kernel_rlimit(soft[i], &limit, NULL);
        if (r < 0)
            return r;
    }
    return forget_precedence();
}
