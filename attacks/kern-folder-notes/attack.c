/* attack.c - kern-folder-notes
 *
 * Asks by fcntl for a signal whenever something is read, made or changed in folders that are shown to it and are the
 * host's. It is what inotify does, in an older form, and tells of other programs on the machine. Bare, it asks the same
 * and reads in such a folder itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int told;

static void tell(int sig)
{
    (void)sig;
    told++;
}

int main(void)
{
    static const char *const folders[] = {"/usr", "/usr/bin", "/usr/lib", "/etc"};
    const int events = (int)(DN_ACCESS | DN_MODIFY | DN_CREATE | DN_DELETE | DN_RENAME | DN_ATTRIB | DN_MULTISHOT);
    int reached = 0;
    char head[16];

    (void)signal(SIGIO, tell);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        int fd = open(folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fcntl(fd, F_NOTIFY, events) == 0)
            reached = 10;
        printf("%s: %s\n", folders[i], reached ? "done" : strerrorname_np(errno));
        if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
            reached = 10; /* would be told of, and hold up, who opens it for writing */
    }
    int file = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
    (void)!read(file, head, sizeof(head));
    printf("told of something %d times\n", told);
    return reached;
}
