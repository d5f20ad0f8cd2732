/* attack.c - kern-socket-kinds
 *
 * Where TCP and UDP on loopback are granted, makes raw sockets, pings, SCTP, DCCP, MPTCP and half-UDP of the same
 * family. They are other code in the kernel, and raw ones forge packets. Plain TCP and UDP must work. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, int family, int type, int protocol)
{
    int fd = socket(family, type | SOCK_CLOEXEC, protocol);

    printf("%s: %s\n", what, fd < 0 ? strerrorname_np(errno) : "done");
    if (fd >= 0 || errno != EPERM)
        reached = 10;
    if (fd >= 0)
        (void)close(fd);
}

int main(void)
{
    tried("the kernel's settings", AF_NETLINK, SOCK_RAW, 0);
    tried("raw", AF_INET, SOCK_RAW, 6);
    tried("raw, version 6", AF_INET6, SOCK_RAW, 58);
    tried("ping", AF_INET, SOCK_DGRAM, 1);
    if (getenv("DRILL_CONTROL"))
        return reached; /* bare, the rest would make root load modules */
    tried("SCTP", AF_INET, SOCK_STREAM, 132);
    tried("SCTP messages", AF_INET, SOCK_SEQPACKET, 132);
    tried("DCCP", AF_INET, 6, 33);
    tried("MPTCP", AF_INET, SOCK_STREAM, 262);
    tried("half UDP", AF_INET6, SOCK_DGRAM, 136);
    tried("SMC", AF_INET, SOCK_STREAM, 256);
    tried("packets", AF_PACKET, SOCK_RAW, 0);
    if (socket(AF_INET, SOCK_STREAM, 0) < 0 || socket(AF_INET6, SOCK_DGRAM, 17) < 0)
        return 1; /* what is granted must work */
    return reached;
}
