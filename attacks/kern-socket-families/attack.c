/* attack.c - kern-socket-families
 *
 * Makes sockets of families 0 to 45 and of every kind, and pairs. Rare families are rarely tested code in the kernel,
 * and some reach around the network that was taken away. Those among its own processes must work. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int reached;

/* An answer about the family itself comes from the kernel's table of them: the call got through. */
static void tried(const char *what, int family, int result)
{
    if (result < 0 && errno == EPERM)
        return;
    printf("%s of family %d: %s\n", what, family, result < 0 ? strerrorname_np(errno) : "done");
    reached = 10;
}

int main(void)
{
    static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_RDM, 10};
    int pair[2], last = getenv("DRILL_CONTROL") ? AF_INET : 45; /* bare, rare families would make root load modules */

    for (int family = 0; family <= last; family++) {
        if (family == AF_UNIX)
            continue;
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
            int fd = socket(family, kinds[i] | SOCK_CLOEXEC, 0);
            tried("a socket", family, fd);
            if (fd >= 0)
                (void)close(fd);
        }
    }
    tried("a pair", AF_INET, socketpair(AF_INET, SOCK_STREAM, 0, pair));
    tried("a pair", last, socketpair(last, SOCK_STREAM, 0, pair));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return 1;
    return reached;
}
