/* start_child.c - the guest is started: at once, or it stands ready and is told to go, or a zygote forks it
 *
 * Runs in: the cage's first process. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>

#define GUEST_STACK_BYTES (128 * 1024)

/* Shares memory, so that the exec needs no copy of it, and descriptors, so that the listener arrives here. */
#define GUEST_SHARES (CLONE_VM | CLONE_FILES | SIGCHLD)
static char guest_stack[GUEST_STACK_BYTES] __attribute__((aligned(64)));

static pid_t start_now(struct cage_context *context)
{
    CAGE_STACK_RENEW(guest_stack);
    return kernel_clone_on(GUEST_SHARES | CLONE_VFORK, guest_stack + sizeof(guest_stack), cage_guest_main, context,
                           NULL, NULL);
}

static int stand_ready(struct cage_context *context)
{
    context->go_fd = KERNEL(SYS_eventfd2, 0, O_CLOEXEC);
    if (context->go_fd < 0)
        return context->go_fd;
    CAGE_STACK_RENEW(guest_stack);
    context->guest_alive = 1;
    context->guest = kernel_clone_on(GUEST_SHARES | CLONE_CHILD_CLEARTID, guest_stack + sizeof(guest_stack),
                                     cage_guest_ahead_main, context, NULL, &context->guest_alive);
    return context->guest < 0 ? context->guest : 0;
}

/* Where the terms are known, all of the guest's steps but its streams are done while nobody waits for them. */
int cage_start_ready(struct cage_context *context)
{
    switch (context->shared->ahead) {
    case CAGE_AHEAD_EXEC:
        return stand_ready(context);
    case CAGE_AHEAD_FORK:
        return cage_zygote_ask(context);
    case CAGE_AHEAD_NONE:
        break;
    }
    return 0;
}

/* It is said to go, and has gone when its memory and descriptors are its own. */
static pid_t let_guest_go(struct cage_context *context)
{
    const uint64_t word = 1;
    int r = cage_guest_walk(context, CAGE_BIT(DESCRIPTORS));

    if (r < 0)
        return r;
    context->report->start_us = kernel_clock_us();
    if (context->report->start_us == 0) /* no limit would hold */
        return -ENOSYS;
    if (kernel_write(context->go_fd, &word, sizeof(word)) != sizeof(word))
        return -EIO;
    for (int alive; (alive = *(volatile int *)&context->guest_alive) != 0;)
        kernel_futex_wait(&context->guest_alive, alive);
    return context->guest;
}

/* What stands ready was asked for in the order's way (cage_next_fits). */
pid_t cage_start_guest(struct cage_context *context)
{
    if (context->order->from_zygote)
        return cage_zygote_let_go(context);
    return context->guest > 0 ? let_guest_go(context) : start_now(context);
}
