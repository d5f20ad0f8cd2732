/* attack.c - kern-terminal-requests
 *
 * Pushes characters into the input of a terminal, as if the user had typed them, and pastes into a console. If it
 * worked, the user's shell would run them after the run. Bare, the requests go to a pipe, which only shows that they
 * get through. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

int main(void)
{
    static const char *const terminals[] = {"/dev/tty", "/dev/console", "/dev/tty0", "/dev/pts/0"};
    int fds[2];

    if (pipe(fds) < 0)
        return 1;
    tried("type into a pipe", syscall(SYS_ioctl, fds[0], 0x5412, "x"));
    tried("paste into a pipe", syscall(SYS_ioctl, fds[0], 0x541c, "\3"));
    if (getenv("DRILL_CONTROL"))
        return reached;
    for (int fd = 0; fd < 3; fd++) {
        for (const char *at = "echo drill\n"; *at; at++)
            tried("type into a stream", syscall(SYS_ioctl, fd, 0x5412, at));
        tried("paste into a stream", syscall(SYS_ioctl, fd, 0x541c, "\2"));
        if (isatty(fd)) {
            printf("descriptor %d is a terminal\n", fd);
            reached = 10;
        }
    }
    for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
        if (open(terminals[i], O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0) {
            printf("%s opened\n", terminals[i]);
            reached = 10;
        }
    return reached;
}
