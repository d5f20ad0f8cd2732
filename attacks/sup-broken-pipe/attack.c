/* attack.c - writes into a pipe of its own that nobody reads
 *
 * That ends it, as it ends a supervisor whose reader goes away. The two must not be mixed up, and a launcher that
 * ignores the signal must not make the program live on. */
#include <unistd.h>

int main(void)
{
    int fds[2];

    if (pipe(fds) < 0 || close(fds[0]) < 0)
        return 1;
    return write(fds[1], "x", 1) == 1 ? 1 : 2;
}
