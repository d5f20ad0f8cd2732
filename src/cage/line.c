/* line.c - words and descriptors from the supervisor to the cage's first process
 *
 * Runs in: the supervisor. line_child.c is the other end.
 */
#include "base/cleanup.h"
#include "cage/child.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

int cage_line_send(int line_fd, enum cage_word word, const int *fds, unsigned count)
{
    char control[CMSG_SPACE(CAGE_END_MAX * sizeof(int))] __attribute__((aligned(sizeof(size_t)))) = {0};
    char letter = (char)word;
    struct iovec iov = {&letter, 1};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    }
    if (sendmsg(line_fd, &message, MSG_NOSIGNAL) >= 0 || errno == EPIPE || errno == ECONNRESET)
        return 0;
    return -errno;
}

/* Nothing of ours hands over more than one descriptor; what would be more is cut off by the kernel. */
static void take_controls(struct msghdr *message, int *fd, pid_t *pid)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        struct ucred who;
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            memcpy(fd, CMSG_DATA(header), sizeof(*fd));
        } else if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&who, CMSG_DATA(header), sizeof(who));
            *pid = who.pid;
        }
    }
}

int cage_line_receive(int line_fd, enum cage_word expected, int timeout_ms, int *ret_fd, pid_t *ret_pid)
{
    char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(sizeof(size_t))));
    char letter = 0;
    struct iovec iov = {&letter, 1};
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    AUTO_CLOSE int fd = -1;
    pid_t pid = -1;
    ssize_t count;
    int r;

    do
        r = poll(&(struct pollfd){.fd = line_fd, .events = POLLIN}, 1, timeout_ms);
    while (r < 0 && errno == EINTR);
    if (r <= 0)
        return r < 0 ? -errno : -ETIMEDOUT;
    count = recvmsg(line_fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count <= 0)
        return count < 0 ? -errno : -ESRCH;
    take_controls(&message, &fd, &pid);
    if (letter != (char)expected)
        return -EPROTO;
    if (ret_fd)
        *ret_fd = TAKE_FD(fd);
    if (ret_pid)
        *ret_pid = pid;
    return 0;
}
