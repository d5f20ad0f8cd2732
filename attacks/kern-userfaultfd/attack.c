/* attack.c - kern-userfaultfd
 *
 * Asks to handle page faults itself, by the call and by the device of the same name. If it worked, the guest could stop
 * the kernel in the middle of reading its memory for as long as it likes, which turns small races into holes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS && error != ENOENT && error != EACCES))
        reached = 10;
}

int main(void)
{
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);

    tried("of the user's own faults", fd);
    if (fd >= 0) {
        struct uffdio_api api = {.api = UFFD_API};
        tried("handshake", ioctl(fd, UFFDIO_API, &api));
        (void)close(fd);
    }
    tried("of the kernel's faults too", syscall(SYS_userfaultfd, O_CLOEXEC));
    tried("flags that nobody knows", syscall(SYS_userfaultfd, 0x40));
    tried("the device", open("/dev/userfaultfd", O_RDWR | O_CLOEXEC));
    return reached;
}
