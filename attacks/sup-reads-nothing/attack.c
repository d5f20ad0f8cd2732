/* attack.c - closes its input, opens it again the wrong way, and ends
 *
 * Whoever feeds it writes into a pipe that nobody reads, which ends a careless writer. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int main(void)
{
    int other = open("/proc/self/fd/0", O_WRONLY | O_NONBLOCK);

    (void)signal(SIGPIPE, SIG_IGN);
    if (close(0) < 0)
        return 1;
    if (other >= 0 && (write(other, "back\n", 5) < -1 || close(other) < 0))
        return 1;
    if (write(1, "closed\n", 7) != 7)
        return 1;
    return 8;
}
