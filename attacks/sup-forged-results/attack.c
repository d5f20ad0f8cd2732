/* attack.c - writes a made-up verdict to every descriptor but its output, by every kind of write
 *
 * The supervisor and the cage talk over descriptors while the program starts. If one of them were left to it, it could
 * say how it ended. It ends with 4, and that is what must be said of it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char verdict[] = "{\"ending\":{\"kind\":\"exited\",\"exit_code\":0},\"denials\":[]}\n";

static int forge(int fd)
{
    char text[sizeof(verdict)], path[64];
    struct iovec part = {text, sizeof(verdict) - 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    unsigned char zeros[4096] = {0};
    int done = 0, again;

    memcpy(text, verdict, sizeof(text));
    done |= write(fd, verdict, sizeof(verdict) - 1) > 0;
    done |= pwrite(fd, verdict, sizeof(verdict) - 1, 0) > 0;
    done |= writev(fd, &part, 1) > 0;
    done |= sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
    done |= send(fd, zeros, sizeof(zeros), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    again = open(path, O_WRONLY | O_NONBLOCK);
    if (again >= 0) {
        done |= write(again, verdict, sizeof(verdict) - 1) > 0;
        (void)close(again);
    }
    again = openat(fd, "verdict", O_WRONLY | O_CREAT, 0600);
    if (again >= 0) {
        done = 1;
        (void)unlinkat(fd, "verdict", 0);
        (void)close(again);
    }
    return done;
}

int main(void)
{
    struct stat st;
    int reached = 0;

    for (int fd = 3; fd < 65536; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            reached |= forge(fd);
    /* its input is read-only, whatever it is */
    if (!getenv("DRILL_CONTROL") && fstat(0, &st) == 0)
        (void)forge(0);
    return reached ? 10 : 4;
}
