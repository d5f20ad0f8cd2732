/* line.c - words and descriptors from the supervisor to the cage's first process
 *
 * Runs in: the supervisor. line_child.c is the other end.
 */
#include "cage/child.h"
#include <errno.h>
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
