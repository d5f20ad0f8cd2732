/* ids_child.c - newuidmap or newgidmap is started with nothing of ours
 *
 * Runs in: a child of the supervisor that shares its memory until the exec. Must not: allocate, log.
 * These programs have rights of their own, and are told nothing but their words: no environment, no descriptor.
 */
#include "cage/child.h"
#include "cage/ids.h"
#include "cage/kernel.h"

int cage_ids_exec(void *argument)
{
    char *const *argv = argument;
    char *const none[] = {NULL};
    int fd = kernel_open(AT_FDCWD, "/dev/null", O_RDWR, 0);
    int r = cage_fd_high(&fd);

    if (r == 0)
        r = fd;
    for (int to = 0; to < 3 && r >= 0; to++)
        r = kernel_dup3(fd, to, 0);
    if (r >= 0)
        r = kernel_close_range(3, ~0u, 0);
    if (r >= 0)
        (void)kernel_execve(argv[0], argv, none);
    kernel_exit(127);
}
