/* attack.c - res-open-files
 *
 * Opens files in one process up to its limit and past it, by high numbers too, and sends open files to itself in
 * messages that it never receives: there they are open, but in no table. Bare, 300 of each are had. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WANTED 300

static int send_away(int socket_fd, int fd)
{
    char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    return sendmsg(socket_fd, &message, MSG_DONTWAIT) == 1;
}

int main(void)
{
    int hidden = 0, opened = 0, pair[2], size = 1 << 20;

    for (int round = 0; round < 8; round++) {
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
            return 1;
        (void)setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
        while (hidden < WANTED && send_away(pair[0], 0))
            hidden++;
    }
    printf("%d in messages: %s\n", hidden, hidden < WANTED ? strerrorname_np(errno) : "all");
    if (dup2(0, WANTED) == WANTED)
        opened = WANTED;
    while (opened < WANTED && open("/dev/null", O_RDONLY) >= 0)
        opened++;
    printf("%d in its table: %s\n", opened, opened < WANTED ? strerrorname_np(errno) : "all");
    return hidden >= WANTED || opened >= WANTED ? 10 : 0;
}
