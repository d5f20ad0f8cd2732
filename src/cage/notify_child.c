/* notify_child.c - answers denied system calls and counts them
 *
 * Runs in: the cage's first process, until the guest's first process ends.
 * Privilege: none left, but under observe (observe_child.c).
 *
 * Theory of operation: the filter turns a denied call into a notification. It is answered here, inside the cage, so a
 * flood of denied calls is paid from the guest's own processor time and never from the supervisor's. Only numbers and
 * register values are read, never the guest's memory. The record is a table of fixed size in the shared report, which
 * the guest cannot reach.
 *
 * Under learn and observe, calls that are allowed are notified too: what the plain filter says about them is asked here
 * (judge_child.c), and they go on.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#define TICK_MS 50

/* From Linux 6.6 on: who makes a denied call hands its processor over at once, so that hardly anybody can be killed
 * before the call is read. */
#define NOTIFY_SET_FLAGS    0x40082104
#define NOTIFY_SYNC_WAKE_UP 1ul

/* The kernel may know longer structures than our headers; it says so, and these hold any size that it will have soon.
 */
union notification {
    struct seccomp_notif request;
    char room[512];
};
union answer {
    struct seccomp_notif_resp response;
    char room[512];
};

static uint32_t foreign_abi(const struct seccomp_data *data)
{
    if (data->arch != CAGE_NATIVE_ARCH)
        return 1;
    return (uint32_t)data->nr & CAGE_X32_BIT ? 2 : 0;
}

/* The part of the arguments that tells attempts apart. */
static uint64_t telling_argument(const struct seccomp_data *data)
{
    static const struct {
        int nr;
        unsigned arg;
        uint64_t mask;
    } telling[] = {
#define TELLING(call, arg, mask, kind, words) {SYS_##call, arg, mask},
#include "cage/telling.def"
#undef TELLING
    };

    for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
        if (data->nr == telling[i].nr)
            return data->args[telling[i].arg] & telling[i].mask;
    return 0;
}

/* One call under several arguments (there are 46 address families), one foreign ABI under several numbers: so many of
 * them are told apart. */
#define ARGUMENTS_TOLD_APART 48
#define NUMBERS_TOLD_APART   8

static bool same_kind(const struct cage_denial *a, const struct cage_denial *b)
{
    return a->foreign == b->foreign && (a->foreign || a->nr == b->nr);
}

/* The entry for @denial, or for all others of its kind when those have had their share, or NULL: not there yet. */
static struct cage_denial *find_entry(struct cage_report *report, struct cage_denial *denial)
{
    uint32_t count = report->denial_count, kinds = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct cage_denial *known = &report->denials[i];
        if (!same_kind(known, denial))
            continue;
        if (known->nr == denial->nr && known->argument == denial->argument)
            return known;
        kinds++;
    }
    if (kinds < (denial->foreign ? NUMBERS_TOLD_APART : ARGUMENTS_TOLD_APART))
        return NULL;
    if (denial->foreign)
        denial->nr = CAGE_DENIAL_OTHER_CALL;
    else
        denial->argument = CAGE_DENIAL_OTHER_ARGUMENT;
    for (uint32_t i = 0; i < count; i++) {
        struct cage_denial *known = &report->denials[i];
        if (same_kind(known, denial) && known->nr == denial->nr && known->argument == denial->argument)
            return known;
    }
    return NULL;
}

static void record_as(struct cage_report *report, struct cage_denial denial)
{
    struct cage_denial *known;

    denial.count = 1;
    denial.first_us = kernel_clock_us() - report->start_us;
    known = find_entry(report, &denial);
    if (known) {
        known->count++;
    } else if (report->denial_count < CAGE_DENIALS_MAX) {
        report->denials[report->denial_count] = denial;
        report->denial_count++;
    } else {
        report->denials_unlisted++;
    }
}

static void record(struct cage_report *report, const struct seccomp_data *data)
{
    uint32_t foreign = foreign_abi(data);

    record_as(report, (struct cage_denial){.nr = (uint32_t)data->nr & ~CAGE_X32_BIT,
                                           .foreign = foreign,
                                           .argument = foreign ? 0 : telling_argument(data)});
}

/* What the plain filter says about a call that the loaded one notified. */
static uint32_t judge(const struct cage_terms *terms, const struct seccomp_data *data)
{
    return terms->judge ? cage_judge(terms->judge, terms->judge_count, data) : SECCOMP_RET_USER_NOTIF;
}

/* The kernel ends everything else in the cage when we are gone, a moment later. Until then nobody who waits for an
 * answer goes on: the listener outlives us. */
static void end_run(struct cage_context *context) __attribute__((noreturn));
static void end_run(struct cage_context *context)
{
    context->report->end_us = kernel_clock_us();
    cage_line_leave(context->line_fd, context->listener_fd);
    kernel_exit(0);
}

static void count(struct cage_context *context)
{
    struct cage_report *report = context->report;

    report->denied_calls++;
    if (report->denied_calls >= context->terms->denied_calls) {
        report->denied_end = 1;
        end_run(context);
    }
}

/* A caller that was killed, or interrupted, before its call was read: of it is known only that there was one. */
static void deny_unread(struct cage_context *context)
{
    record_as(context->report, (struct cage_denial){.nr = CAGE_DENIAL_OTHER_CALL});
    count(context);
}

/* The kernel numbers notifications, and those that were gone before they were read leave a gap. Where calls are
 * notified that are not denied, a gap says nothing. */
static void note_gap(struct cage_context *context, uint64_t id)
{
    uint64_t gone = context->next_id ? id - context->next_id : 0;

    context->next_id = id + 1;
    for (; !context->terms->judge && gone > context->unread; gone--)
        deny_unread(context);
    context->unread = 0;
}

/* The error of a call that is denied and no attempt, or 0. What a profile does not have at all it does not have for
 * this either. */
static int quiet_error(const struct cage_terms *terms, const struct seccomp_data *data)
{
    return terms->filter && !cage_numbers_has(&terms->kept, (unsigned)data->nr) ? 0 : cage_quiet_error(data);
}

static void deny(struct cage_context *context, const struct seccomp_data *data, struct seccomp_notif_resp *response)
{
    struct cage_report *report = context->report;

    response->error = -quiet_error(context->terms, data);
    if (response->error)
        return;
    record(report, data);
    count(context);
    response->error = foreign_abi(data) ? -ENOSYS : -EPERM;
}

/* The caller makes the call itself, with the registers that were judged: nobody but the kernel could change them. */
static void let_pass(struct cage_context *context, uint32_t verdict, const struct seccomp_notif *request,
                     struct seccomp_notif_resp *response)
{
    if (context->terms->learn)
        cage_numbers_add(&context->report->learned, (unsigned)request->data.nr);
    if (context->terms->observe)
        cage_observe(context, request);
    if (verdict == SECCOMP_RET_ALLOW)
        response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else
        response->error = -(int32_t)(verdict & SECCOMP_RET_DATA);
}

/* One notification. It may be gone already, when the caller was killed meanwhile. */
static void answer_one(struct cage_context *context)
{
    union notification notification;
    union answer answer;
    uint32_t verdict;
    int r;

    memset(&notification, 0, sizeof(notification)); /* the kernel insists */
    memset(&answer, 0, sizeof(answer));
    r = kernel_ioctl(context->listener_fd, SECCOMP_IOCTL_NOTIF_RECV, &notification);
    if (r == -ENOENT && !context->terms->judge) {
        context->unread += context->next_id ? 1 : 0;
        deny_unread(context);
    }
    if (r < 0)
        return;
    note_gap(context, notification.request.id);
    answer.response.id = notification.request.id;
    verdict = judge(context->terms, &notification.request.data);
    if (verdict == SECCOMP_RET_ALLOW || (verdict & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
        let_pass(context, verdict, &notification.request, &answer.response);
    else
        deny(context, &notification.request.data, &answer.response);
    (void)kernel_ioctl(context->listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer); /* fails when the caller is gone */
}

static bool reached(const struct cage_context *context, enum policy_limit_key key, uint64_t used)
{
    const struct policy_limit *limit = &context->terms->limits[key];

    return !limit->unlimited && used >= limit->value;
}

static void sample_scratch(struct cage_context *context)
{
    struct cage_report *report = context->report;
    struct statfs now;
    uint64_t bytes, inodes;

    if (kernel_fstatfs(context->scratch_fd, &now) < 0)
        return;
    bytes = (uint64_t)(now.f_blocks - now.f_bfree) * (uint64_t)now.f_bsize;
    inodes = now.f_files - now.f_ffree;
    report->scratch_bytes = bytes > context->staged_bytes ? bytes - context->staged_bytes : 0;
    report->scratch_inodes = inodes > context->staged_inodes ? inodes - context->staged_inodes : 0;
    if (report->scratch_bytes > report->scratch_peak_bytes)
        report->scratch_peak_bytes = report->scratch_bytes;
    if ((now.f_blocks > 0 && now.f_bfree == 0) || reached(context, POLICY_LIMIT_SCRATCH_BYTES, report->scratch_bytes))
        report->scratch_full |= 1;
    if ((now.f_files > 0 && now.f_ffree == 0) || reached(context, POLICY_LIMIT_SCRATCH_INODES, report->scratch_inodes))
        report->scratch_full |= 2;
}

/* Reap whatever ended; true when the guest's first process was among it. All others in the cage descend from this
 * process: without a child it is alone. */
static bool reap(struct cage_context *context, pid_t guest)
{
    bool ended = false;
    int status;
    pid_t pid;

    while ((pid = kernel_wait(-1, &status, WNOHANG)) > 0) {
        if (pid != guest)
            continue;
        context->report->wait_status = status;
        ended = true;
    }
    ended = ended || cage_zygote_ended(context, &context->report->wait_status);
    context->report->alone = pid == -ECHILD && !context->has_strays;
    return ended;
}

/* Some time after the wall limit the supervisor must have ended us. If it has not, it is stopped or stuck, and the
 * guest may not gain by that. */
#define WALL_GRACE_US 1000000

static bool overdue(const struct cage_context *context, uint64_t now_us)
{
    const struct policy_limit *wall = &context->terms->limits[POLICY_LIMIT_WALL_MS];

    return !wall->unlimited && now_us > context->report->start_us + wall->value * 1000 + WALL_GRACE_US;
}

/* By the clock, not when nothing else happens: a guest can keep us busy. */
static void tick(struct cage_context *context, uint64_t *next_us)
{
    uint64_t now_us = kernel_clock_us();

    if (now_us < *next_us)
        return;
    *next_us = now_us + TICK_MS * 1000;
    sample_scratch(context);
    if (overdue(context, now_us)) {
        context->report->overdue = 1;
        end_run(context);
    }
}

static void take_child_signals(struct cage_context *context)
{
    struct signalfd_siginfo signals[8];

    long count = kernel_read(context->signal_fd, signals, sizeof(signals));

    if (count < 0 && count != -EAGAIN && count != -EINTR)
        kernel_exit(1);
}

/* We have no right to signal the guest; our supervisor has, and does not know it. */
static void hand_over_guest(const struct cage_context *context, pid_t guest)
{
    char word = 0;
    int fd;

    if (kernel_read(context->line_fd, &word, 1) != 1 || word != CAGE_WORD_GUEST)
        return;
    fd = KERNEL(SYS_pidfd_open, guest, 0);
    if (fd < 0)
        return;
    cage_line_say_guest(context->line_fd, fd);
    (void)kernel_close(fd);
}

void cage_notify_loop(struct cage_context *context, pid_t guest)
{
    struct pollfd fds[] = {
        {.fd = context->listener_fd, .events = POLLIN},
        {.fd = context->signal_fd, .events = POLLIN},
        {.fd = context->line_fd, .events = POLLIN},
        {.fd = context->guest_fd, .events = POLLIN},
    };
    uint64_t next_us = 0;

    /* Older kernels refuse it, and wake us a little later. */
    (void)kernel_ioctl(context->listener_fd, NOTIFY_SET_FLAGS, (void *)NOTIFY_SYNC_WAKE_UP);
    if (context->without & CAGE_BIT(PARENT_DEATH))
        fds[2].fd = -1; /* the other half of that promise */

    while (!reap(context, guest)) {
        int r = kernel_poll(fds, 4, TICK_MS);
        tick(context, &next_us);
        if (r <= 0)
            continue;
        if (fds[1].revents & POLLIN)
            take_child_signals(context);
        if (fds[2].revents & POLLHUP)
            kernel_exit(1); /* the supervisor is dead */
        if (fds[2].revents & POLLIN)
            hand_over_guest(context, guest);
        if (fds[0].revents & POLLIN)
            answer_one(context);
        else if (fds[0].revents & (POLLHUP | POLLERR))
            fds[0].fd = -1; /* nobody with the filter is left; the next reap ends the loop */
    }
    context->report->end_us = kernel_clock_us();
    sample_scratch(context);
    context->report->ended = 1;
    cage_line_say_over(context->line_fd);
}
