/* attack.c - kern-watches
 *
 * Watches /usr, which is the host's, for every open and exec, with both interfaces. If it worked, it would learn what
 * other programs on the machine run, could hold them up, and could use up what the kernel grants all programs of a
 * user. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
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
    int fd = inotify_init1(IN_CLOEXEC);

    tried("a watcher", fd);
    if (fd >= 0)
        tried("of the host's programs", inotify_add_watch(fd, "/usr/bin", IN_OPEN | IN_ACCESS));
    tried("an old watcher", syscall(SYS_inotify_init));
    tried("a watch without a watcher", syscall(SYS_inotify_add_watch, -1, "/usr", IN_OPEN));
    fd = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_CLOEXEC, O_RDONLY);
    tried("a watcher of whole file systems", fd);
    tried("one that may hold up others", fanotify_init(FAN_CLASS_PRE_CONTENT | FAN_CLOEXEC, O_RDONLY));
    tried("a mark on /usr", fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, "/usr/bin"));
    return reached;
}
