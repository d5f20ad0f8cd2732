/* attack.c - res-memory-tcp
 *
 * Connects to itself and writes until nothing more is taken, over and over. What is under way in TCP is the kernel's
 * memory; the machine has one amount of it for everybody. Bare, it stops at 64 MiB. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WANTED (64UL << 20)

static char block[65536];

/* One connection, full in both directions; how much it took. */
static unsigned long fill(int listener, const struct sockaddr_in *address)
{
    unsigned long total = 0;
    int size = 4 << 20, ends[2];

    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (ends[0] < 0 || connect(ends[0], (const struct sockaddr *)address, sizeof(*address)) < 0)
        return 0;
    ends[1] = accept(listener, NULL, NULL);
    for (int side = 0; side < 2 && ends[1] >= 0; side++) {
        (void)setsockopt(ends[side], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
        for (ssize_t count; (count = send(ends[side], block, sizeof(block), MSG_DONTWAIT)) > 0;)
            total += (unsigned long)count;
    }
    return total;
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    unsigned long total = 0, taken;

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 64) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0)
        return 1;
    while (total < WANTED && (taken = fill(listener, &address)) > 0)
        total += taken;
    printf("%lu MiB under way\n", total >> 20);
    return total >= WANTED ? 10 : 0;
}
