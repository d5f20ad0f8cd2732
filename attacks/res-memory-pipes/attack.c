/* attack.c - res-memory-pipes
 *
 * Makes pipes as large as they get, fills them and leaves them full. What lies in a pipe is the kernel's memory and no
 * process's. Bare, it stops at 40 MiB. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    static char block[65536];
    int bare = getenv("DRILL_CONTROL") != NULL;
    unsigned long total = 0;

    /* Children hold more pipes when one process may not open more. */
    for (int process = 0; process < 8; process++) {
        int ends[2];
        while (pipe2(ends, O_NONBLOCK) == 0) {
            (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
            for (ssize_t count; (count = write(ends[1], block, sizeof(block))) > 0;)
                total += (unsigned long)count;
            if (bare && total >= 40UL << 20)
                return 10;
        }
        if (fork() != 0)
            break;
        for (int fd = 3; fd < 1024; fd++)
            if (fd % 2 == 1)
                (void)close(fd); /* the other end keeps it full */
    }
    printf("%lu MiB in pipes\n", total >> 20);
    if (bare)
        return 0;
    (void)sleep(5);
    return total >= 40UL << 20 ? 10 : 0;
}
