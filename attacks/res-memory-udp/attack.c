/* attack.c - res-memory-udp
 *
 * Fills the receive buffers of 200 sockets of its own with datagrams that it never reads. They are the kernel's memory,
 * of which there is one amount for the whole machine. Bare, it stops at 32 MiB. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define WANTED (32UL << 20)

static char datagram[32768];

/* What waits in a new socket when no more goes in. */
static unsigned long fill(int sender)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    unsigned memory[16] = {0}; /* the first: what waits to be read, as the kernel counts it */
    int receiver = socket(AF_INET, SOCK_DGRAM, 0), large = 4 << 20, taken = 0;

    if (receiver < 0 || bind(receiver, (struct sockaddr *)&address, size) < 0 ||
        getsockname(receiver, (struct sockaddr *)&address, &size) < 0)
        return 0;
    (void)setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &large, sizeof(large));
    while (taken < 64 &&
           sendto(sender, datagram, sizeof(datagram), MSG_DONTWAIT, (struct sockaddr *)&address, size) > 0)
        taken++;
    size = sizeof(memory);
    for (int i = 0; i < 100 && taken > 0 && memory[0] == 0; i++) { /* a busy machine delivers later */
        if (getsockopt(receiver, SOL_SOCKET, SO_MEMINFO, memory, &size) < 0)
            return 0;
        if (memory[0] == 0)
            (void)usleep(5000);
    }
    return memory[0];
}

int main(void)
{
    int sender = socket(AF_INET, SOCK_DGRAM, 0);
    unsigned long total = 0, taken;

    if (sender < 0)
        return 1;
    for (int i = 0; i < 200 && total < WANTED && (taken = fill(sender)) > 0; i++)
        total += taken;
    printf("%lu MiB wait\n", total >> 20);
    return total >= WANTED ? 10 : 0;
}
