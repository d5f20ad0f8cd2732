/* attack.c - closes its three streams and goes on for a while
 *
 * Whoever takes the end of its output for its end would kill it, forget it, or wait at full speed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec rest = {0, 300000000};

    for (int fd = 0; fd < 3; fd++)
        if (close(fd) < 0)
            return 1;
    if (nanosleep(&rest, NULL) < 0)
        return 1;
    /* what it opens now has the numbers of the streams, and is none */
    int file = open("/work/file", O_RDWR | O_CREAT, 0600);
    if (file != 0 || write(file, "not output\n", 11) != 11 || dup(file) != 1 || write(1, "not output\n", 11) != 11)
        return 1;
    return 0;
}
