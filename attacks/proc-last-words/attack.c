/* attack.c - proc-last-words
 *
 * Three children write 64 KiB each and die on the spot; the first process writes as much to both streams and is gone
 * without a pause. All must be kept: a result that lacks its end is a wrong result. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[65536];

static void write_all(int fd)
{
    for (size_t at = 0; at < sizeof(block);) {
        ssize_t count = write(fd, block + at, sizeof(block) - at);
        if (count <= 0)
            _exit(1);
        at += (size_t)count;
    }
}

int main(void)
{
    memset(block, 'x', sizeof(block));
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            write_all(STDOUT_FILENO);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    write_all(STDERR_FILENO);
    write_all(STDOUT_FILENO);
    _exit(0);
}
