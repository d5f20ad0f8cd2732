/* attack.c - makes sockets and pairs of all families, kinds and some protocols
 *
 * Each family is a part of the kernel with its own faults; some lead to other machines, some to the one that this
 * machine runs on. Only sockets among its own processes should be made. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached, refused;

/* The family has 64 bits in a register; the kernel looks at the lower half only. */
static void attempt(long family, int kind, int protocol)
{
    int pair[2] = {-1, -1};
    long fd = syscall(SYS_socket, family, kind, protocol);

    if (fd >= 0) {
        printf("family %ld kind %d protocol %d: reached\n", family, kind, protocol);
        reached++;
        (void)close((int)fd);
    } else {
        refused += errno == EPERM;
    }
    if (syscall(SYS_socketpair, family, kind, protocol, pair) == 0) {
        printf("pair of family %ld kind %d protocol %d: reached\n", family, kind, protocol);
        reached++;
        (void)close(pair[0]);
        (void)close(pair[1]);
    }
}

int main(void)
{
    int pair[2];

    /* the permitted sibling */
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || socket(AF_UNIX, SOCK_DGRAM, 0) < 0)
        return 1;
    if (getenv("DRILL_CONTROL")) {
        /* bare: those that load nothing */
        attempt(AF_INET, SOCK_STREAM, 0);
        attempt(AF_NETLINK, SOCK_RAW, 0);
        return reached ? 10 : 0;
    }
    attempt(AF_PACKET, SOCK_RAW, 0x300);
    attempt(AF_VSOCK, SOCK_STREAM | SOCK_NONBLOCK, 0);
    attempt(AF_ALG, SOCK_SEQPACKET, 0);
    for (long family = 0; family < 64; family++)
        for (int kind = 1; kind <= 6 && family != AF_UNIX; kind++)
            attempt(family, kind, 0);
    for (long family = 2; family < 46; family++)
        attempt(family | (1L << 40), SOCK_DGRAM, 0);
    for (int protocol = 0; protocol < 23; protocol++)
        attempt(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    printf("%d refused, %d made\n", refused, reached);
    return reached ? 10 : refused == 0;
}
