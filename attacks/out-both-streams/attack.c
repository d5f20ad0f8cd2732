/* attack.c - two megabytes to each output, in pieces of many sizes, and only then a look at the input
 *
 * Pipes hold a few pages. A supervisor that serves one stream until it is done waits for a program that waits for it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOTAL (2u << 20)

static int fill(int fd, size_t piece)
{
    static char bytes[65536];

    memset(bytes, fd == 1 ? 'o' : 'e', sizeof(bytes));
    for (size_t done = 0; done < TOTAL;) {
        size_t want = TOTAL - done < piece ? TOTAL - done : piece;
        ssize_t written = write(fd, bytes, want);
        if (written <= 0)
            return 1;
        done += (size_t)written;
    }
    return 0;
}

int main(void)
{
    char line[64];
    int status = 1;
    pid_t child = fork();

    if (child < 0)
        return 1;
    if (child == 0)
        _exit(fill(2, 4097));
    if (fill(1, 65535) != 0 || waitpid(child, &status, 0) != child || status != 0)
        return 1;
    return read(0, line, sizeof(line)) == 25 && memcmp(line, "a line that is read last\n", 25) == 0 ? 0 : 1;
}
