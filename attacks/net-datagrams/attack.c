/* attack.c - sends packets with sendto, sendmsg, sendmmsg, write, and as lightweight UDP
 *
 * A filter that looks at connections lets packets through, and ports 53 and 443 are open nearly everywhere. If it
 * worked, data would leave the machine one packet at a time. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int reached;

static void result(const char *what, const char *host, unsigned port, long r)
{
    printf("%s %s %u: %s\n", what, host, port, r < 0 ? strerror(errno) : "reached");
    reached |= r >= 0;
}

static void send_all(int type, int protocol, const char *host, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    char text[] = "drill";
    struct iovec part = {.iov_base = text, .iov_len = 5};
    struct mmsghdr many[2];
    int fd = socket(AF_INET, type, protocol);

    memset(many, 0, sizeof(many));
    if (fd < 0) {
        result("socket", host, port, fd);
        return;
    }
    (void)inet_pton(AF_INET, host, &to.sin_addr);
    for (int i = 0; i < 2; i++)
        many[i].msg_hdr =
            (struct msghdr){.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &part, .msg_iovlen = 1};
    result("sendto", host, port, sendto(fd, "drill", 5, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof(to)));
    result("sendmsg", host, port, sendmsg(fd, &many[0].msg_hdr, MSG_DONTWAIT));
    result("sendmmsg", host, port, sendmmsg(fd, many, 2, MSG_DONTWAIT));
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
        result("write", host, port, write(fd, "drill", 5));
    (void)close(fd);
}

int main(int argc, char **argv)
{
    static const char *const hosts[] = {"192.0.2.1", "198.51.100.1", "8.8.8.8", "255.255.255.255"};
    static const unsigned ports[] = {53, 443, 123, 514};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(53), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd;

    if (argc < 2)
        return 1;
    send_all(SOCK_DGRAM, 0, "127.0.0.1", (unsigned)atoi(argv[1]));
    send_all(SOCK_DGRAM, IPPROTO_UDPLITE, "127.0.0.1", (unsigned)atoi(argv[1]));
    if (getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    for (size_t host = 0; host < 4; host++)
        for (size_t port = 0; port < 4; port++)
            send_all(SOCK_DGRAM, 0, hosts[host], ports[port]);
    fd = socket(AF_INET6, SOCK_DGRAM, 0);
    result("sendto", "::1", 53, sendto(fd, "drill", 5, 0, (struct sockaddr *)&six, sizeof(six)));
    result("socketpair", "", 0, socketpair(AF_INET, SOCK_DGRAM, 0, (int[2]){0, 0}));
    return reached ? 10 : 0;
}
