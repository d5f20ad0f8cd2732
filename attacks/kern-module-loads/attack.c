/* attack.c - kern-module-loads
 *
 * Asks the kernel for what it has in modules: bridges, VLANs, lines of terminals, ciphers, protocols, file systems.
 * Where one is not loaded, the kernel starts modprobe for it, as root and outside every limit, and the machine has one
 * more part that can be attacked. Bare, only the length of a queue is asked for, in the same way, which loads nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGH 0x100000000ul /* the kernel does not look at it */

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

static void ask(int fd)
{
    static const struct {
        const char *what;
        unsigned long request;
    } requests[] = {
        {"VLANs", 0x8982},
        {"a VLAN", 0x8983},
        {"bridges", 0x8940},
        {"a bridge", 0x89a0},
        {"frame relay", 0x8980},
        {"bonding", 0x8994},
        {"drivers", 0x8946},
        {"a line of a terminal", 0x5423},
        {"IPX", 0x89e0},
        {"bridges, again", 0x8941},
        {"KCM", 0x89e1},
        {"WLAN", 0x8b01},
        {"PPP", 0x7438},
        {"VLANs, high", HIGH | 0x8982},
        {"bridges, high", HIGH | 0x8940},
    };
    char room[256] = "lo";

    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        tried(requests[i].what, syscall(SYS_ioctl, fd, requests[i].request, room));
}

static void ask_tcp(int fd)
{
    static const int options[] = {14 /* TCP_MD5SIG */, 31 /* TCP_ULP */, 38 /* TCP_AO_ADD_KEY */, 99};
    char room[512] = "tls";

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        tried("an option of TCP", setsockopt(fd, IPPROTO_TCP, options[i], room, sizeof(room)));
    (void)setsockopt(fd, IPPROTO_TCP, 13 /* TCP_CONGESTION */, "drill", 5); /* the kernel's own: root's to load */
}

static void ask_others(void)
{
    tried("ciphers", socket(AF_ALG, SOCK_SEQPACKET, 0));
    tried("a protocol", socket(AF_INET, SOCK_SEQPACKET, 132));
    tried("a protocol without a name", socket(AF_INET, SOCK_RAW, 201));
    tried("a family", socket(AF_BLUETOOTH, SOCK_RAW, 1));
    tried("a protocol of netlink", socket(AF_NETLINK, SOCK_RAW, 21));
    tried("a file system", syscall(SYS_mount, "none", "/tmp", "drillfs", 0, NULL));
    tried("a file system, the new way", syscall(SYS_fsopen, "drillfs", 0));
    tried("a key type", syscall(SYS_add_key, "trusted", "drill", "new 32", 6, -1));
}

int main(void)
{
    char room[64] = "lo";
    int local = socket(AF_UNIX, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0), ends[2];

    if (local < 0 || tcp < 0 || pipe(ends) < 0)
        return 1;
    tried("the length of a queue", syscall(SYS_ioctl, local, 0x8942ul, room));
    if (getenv("DRILL_CONTROL"))
        return reached;
    ask(local);
    ask(tcp);
    ask(ends[0]);
    ask_tcp(tcp);
    ask_others();
    return reached;
}
