/* attack.c - connects with the system calls of 32-bit programs, and of the x32 kind
 *
 * A filter that checks numbers but not of which kind they are takes these for harmless ones. If it worked, everything
 * that is denied could be had by another door. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

#if defined(__x86_64__)
/* Arguments must lie below 4 GiB. */
static long call32(long number, uint32_t a, uint32_t b, uint32_t c)
{
    long r = number;

    __asm__ volatile("int $0x80"
                     : "+a"(r)
                     : "b"((uintptr_t)a), "c"((uintptr_t)b), "d"((uintptr_t)c)
                     : "memory", "r8", "r9", "r10", "r11");
    return (int)r;
}

/* In a child: where the kernel does not have these calls at all, the first one is a fault. */
static int attempt32(unsigned port)
{
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    uint32_t at = (uint32_t)(uintptr_t)low, words[3] = {AF_INET, SOCK_STREAM, 0};
    long fd, r;

    memcpy(low, words, sizeof(words));
    memcpy(low + 64, &to, sizeof(to));
    fd = call32(359, AF_INET, SOCK_STREAM, 0); /* socket */
    printf("socket: %s\n", fd < 0 ? strerror((int)-fd) : "reached");
    if (fd < 0)
        fd = call32(102, 1, at, 0); /* socketcall */
    printf("socketcall: %s\n", fd < 0 ? strerror((int)-fd) : "reached");
    if (fd < 0)
        return 0;
    r = call32(362, (uint32_t)fd, at + 64, sizeof(to)); /* connect */
    printf("connect: %s\n", r < 0 ? strerror((int)-r) : "reached");
    return 10;
}
#else
static int attempt32(unsigned port)
{
    (void)port;
    return 0;
}
#endif

int main(int argc, char **argv)
{
    int status = 0;
    pid_t child;
    long fd;

    if (argc < 2 || (child = fork()) < 0)
        return 1;
    if (child == 0) {
        status = attempt32((unsigned)atoi(argv[1]));
        (void)fflush(stdout);
        _exit(status);
    }
    (void)waitpid(child, &status, 0);
    reached = WIFEXITED(status) && WEXITSTATUS(status) == 10;
    fd = syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0);
    printf("x32 socket: %s\n", fd < 0 ? strerror(errno) : "reached");
    reached |= fd >= 0;
    fd = syscall(0x100000000L | SYS_socket, AF_INET, SOCK_STREAM, 0);
    printf("high half of the number: %s\n", fd < 0 ? strerror(errno) : "reached");
    reached |= fd >= 0;
    if (getenv("DRILL_CONTROL") && !reached)
        printf("this kernel has neither kind of call\n");
    return reached ? 10 : getenv("DRILL_CONTROL") ? 77 : 0;
}
