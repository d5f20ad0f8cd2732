/* attack.c - kern-io-uring
 *
 * Sets up a ring through which the kernel makes sockets and opens files on request, without any system call that a
 * filter could see. If it worked, neither the filter nor the receipt would be worth much. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
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
    struct io_uring_params parameters = {0};
    int fd = (int)syscall(SYS_io_uring_setup, 4, &parameters);

    tried("a ring", fd);
    if (fd >= 0) {
        tried("what it can do", syscall(SYS_io_uring_register, fd, 8 /* probe */, (void *)8, 1));
        (void)close(fd);
    }
    parameters = (struct io_uring_params){.flags = IORING_SETUP_SQPOLL};
    fd = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    tried("a ring with a thread in the kernel", fd);
    if (fd >= 0)
        (void)close(fd);
    tried("enter without a ring", syscall(SYS_io_uring_enter, -1, 1, 0, 0, NULL, 0));
    tried("register without a ring", syscall(SYS_io_uring_register, -1, 0, NULL, 0));
    return reached;
}
