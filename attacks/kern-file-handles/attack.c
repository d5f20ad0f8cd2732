/* attack.c - kern-file-handles
 *
 * Asks for the handle of a file and opens handles made up from small inode numbers. If it worked, the guest could open
 * files of the host's disk that no path in its root leads to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
    static const char *const paths[] = {"/", "/usr", "/proc", "."};
    union {
        struct file_handle head;
        char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } handle;
    int mount_id, at = open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        memset(&handle, 0, sizeof(handle));
        handle.head.handle_bytes = MAX_HANDLE_SZ;
        tried(paths[i], name_to_handle_at(AT_FDCWD, paths[i], &handle.head, &mount_id, 0));
    }
    for (unsigned inode = 2; inode < 6; inode++) {
        unsigned words[2] = {inode, 0};
        memset(&handle, 0, sizeof(handle));
        handle.head.handle_bytes = sizeof(words);
        handle.head.handle_type = 1;
        memcpy(handle.head.f_handle, words, sizeof(words));
        int fd = open_by_handle_at(at, &handle.head, O_RDONLY | O_CLOEXEC);
        tried("a small inode number", fd);
        if (fd >= 0)
            (void)close(fd);
    }
    return reached;
}
