/* attack.c - res-memory-sockets
 *
 * Fills the buffers of sockets among its own processes and leaves them full. The kernel keeps what is under way, for no
 * process in particular. Bare, it stops at 40 MiB. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    static char block[32768];
    int bare = getenv("DRILL_CONTROL") != NULL, size = 16 << 20;
    unsigned long total = 0;

    for (int process = 0; process < 12; process++) {
        int ends[2], kept = 0;
        while (kept < 100 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0) {
            kept++;
            for (int side = 0; side < 2; side++) {
                (void)setsockopt(ends[side], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
                for (ssize_t count; (count = write(ends[side], block, sizeof(block))) > 0;)
                    total += (unsigned long)count;
            }
            if (bare && total >= 40UL << 20)
                return 10;
        }
        if (fork() == 0) {
            (void)sleep(5); /* holds them, while the other takes new ones in their place */
            _exit(0);
        }
        for (int fd = 3; fd < 256; fd++)
            (void)close(fd);
    }
    printf("%lu MiB under way\n", total >> 20);
    return total >= 40UL << 20 ? 10 : 0;
}
