/* line_child.c - the first process's end of the line: waits for words and descriptors of its supervisor
 *
 * Runs in: process 1 of the cage. Must not: allocate, log.
 */
#include "cage/child.h"
#include "cage/kernel.h"
#include <errno.h>

/* The next word must be @expected. What comes with it gets the lowest free numbers, which are above those of the
 * guest's streams: these are taken. Absent ones stay -1. */
static int wait_for(int line_fd, enum cage_word expected, int fds[CAGE_END_MAX])
{
    char word = 0, control[CMSG_SPACE(CAGE_END_MAX * sizeof(int))] __attribute__((aligned(sizeof(size_t))));
    struct iovec iov = {&word, 1};
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
    if (word != (char)expected || (message.msg_flags & MSG_CTRUNC))
        return -EPROTO;
    header = CMSG_FIRSTHDR(&message);
    if (header)
        memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return 0;
}

void cage_line_leave(int line_fd, int fd)
{
    char word = 0, control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct iovec iov = {&word, 1};
    const struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof(int));
    (void)kernel_sendmsg(line_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL); /* nobody is there: it dies with us */
}

int cage_line_wait_ids(struct cage_context *context)
{
    int fds[CAGE_END_MAX];
    int r = wait_for(context->line_fd, CAGE_WORD_IDS, fds);

    context->lock_fd = fds[0];
    return r;
}

int cage_line_wait_groups(struct cage_context *context)
{
    return wait_for(context->line_fd, CAGE_WORD_GROUPS, context->tasks_fds);
}

int cage_line_wait_order(struct cage_context *context)
{
    return wait_for(context->line_fd, CAGE_WORD_ORDER, context->ends);
}
