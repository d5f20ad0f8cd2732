/* line_child.c - the first process's end of the line: waits for words and descriptors of its supervisor
 *
 * Runs in: process 1 of the cage, and a keeper. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>

/* What comes with the next word gets the lowest free numbers, which are above those of the guest's streams: these are
 * taken. Absent ones stay -1. */
static int wait_for_any(int line_fd, char *ret_word, int fds[CAGE_END_MAX])
{
    char control[CMSG_SPACE(CAGE_END_MAX * sizeof(int))] __attribute__((aligned(sizeof(size_t))));
    struct iovec iov = {ret_word, 1};
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *header;
    int count;

    for (int i = 0; i < CAGE_END_MAX; i++)
        fds[i] = -1;
    do
        count = kernel_recvmsg(line_fd, &message, MSG_CMSG_CLOEXEC);
    while (count == -EINTR);
    if (count <= 0)
        return count < 0 ? count : -ESRCH;
    if (message.msg_flags & MSG_CTRUNC)
        return -EPROTO;
    header = CMSG_FIRSTHDR(&message);
    if (header)
        memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return 0;
}

static int wait_for(int line_fd, enum cage_word expected, int fds[CAGE_END_MAX])
{
    char word = 0;
    int r = wait_for_any(line_fd, &word, fds);

    return r < 0 || word == (char)expected ? r : -EPROTO;
}

/* One more control message of @type at the end of @message, whose room is large enough. */
static void attach(struct msghdr *message, int type, const void *bytes, size_t count)
{
    struct cmsghdr *header = (struct cmsghdr *)((char *)message->msg_control + message->msg_controllen);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(count);
    memcpy(CMSG_DATA(header), bytes, count);
    message->msg_controllen += CMSG_SPACE(count);
}

/* With descriptor @fd, and @pid by this process's own count, which the receiver gets by its own; -1: without. Never
 * waits: the supervisor reads all that is sent, or is gone. */
static int say(int line_fd, enum cage_word word, int fd, pid_t pid)
{
    char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))]
        __attribute__((aligned(sizeof(size_t)))) = {0};
    char letter = (char)word;
    struct iovec iov = {&letter, 1};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control};
    struct ucred who = {.pid = pid};
    uid_t uid[3] = {0};
    gid_t gid[3] = {0};

    if (fd >= 0)
        attach(&message, SCM_RIGHTS, &fd, sizeof(fd));
    if (pid >= 0) {
        (void)kernel_getresuid(uid);
        (void)kernel_getresgid(gid);
        who.uid = uid[1];
        who.gid = gid[1];
        attach(&message, SCM_CREDENTIALS, &who, sizeof(who));
    }
    return kernel_sendmsg(line_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void cage_line_leave(int line_fd, int fd)
{
    (void)say(line_fd, CAGE_WORD_LEFT, fd, -1); /* nobody is there: it dies with us */
}

void cage_line_say_guest(int line_fd, int pid_fd)
{
    (void)say(line_fd, CAGE_WORD_GUEST, pid_fd, -1);
}

void cage_line_say_over(int line_fd)
{
    (void)say(line_fd, CAGE_WORD_OVER, -1, -1);
}

int cage_line_say_made(int line_fd, pid_t pid, int pid_fd)
{
    return say(line_fd, CAGE_WORD_MADE, pid_fd, pid);
}

int cage_line_say_gone(int line_fd)
{
    return say(line_fd, CAGE_WORD_GONE, -1, -1);
}

int cage_line_wait_ids(struct cage_context *context)
{
    int fds[CAGE_END_MAX];
    int r = wait_for(context->line_fd, CAGE_WORD_IDS, fds);

    context->lock_fd = fds[0];
    return r;
}

/* Either of the two words that come here. */
int cage_line_wait_groups(struct cage_context *context)
{
    char word = 0;
    int r = wait_for_any(context->line_fd, &word, context->tasks_fds);

    context->keeps = word == CAGE_WORD_KEEP;
    return r < 0 || context->keeps || word == CAGE_WORD_GROUPS ? r : -EPROTO;
}

int cage_line_wait_order(struct cage_context *context)
{
    int fds[CAGE_END_MAX], next = 0;
    int r = wait_for(context->line_fd, CAGE_WORD_ORDER, fds);
    /* Only now is the order complete. */
    const bool comes[CAGE_END_MAX] = {true, true, true, context->order->has_mark, context->order->has_files};

    for (int end = 0; end < CAGE_END_MAX; end++)
        context->ends[end] = r == 0 && comes[end] ? fds[next++] : -1;
    return r;
}

int cage_line_wait_zygote(struct cage_context *context)
{
    int fds[CAGE_END_MAX];
    int r = wait_for(context->line_fd, CAGE_WORD_ZYGOTE, fds);

    return r < 0 ? r : fds[0];
}

int cage_line_wait_asked(struct cage_context *context, int *ret_line_fd, int *ret_run_fd)
{
    int fds[CAGE_END_MAX];
    char word = 0;
    int r = wait_for_any(context->line_fd, &word, fds);

    *ret_line_fd = fds[0];
    *ret_run_fd = fds[1];
    return r < 0 ? r : word;
}
