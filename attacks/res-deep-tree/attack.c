/* attack.c - res-deep-tree
 *
 * Goes down 600 folders, each closed behind it. Such a tree has no name that fits a call, and who removes it by names
 * or by calling itself fails. Bare, it goes as deep and takes everything away again on its way up. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH 600

int main(void)
{
    static const char folder[] = "a-folder-in-a-folder";
    int bare = getenv("DRILL_CONTROL") != NULL, depth = 0, error = 0,
        top = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (; depth < DEPTH; depth++) {
        if (mkdir(folder, 0700) < 0 || chdir(folder) < 0) {
            error = errno;
            break;
        }
        if (!bare)
            (void)chmod("..", depth % 2 ? 0 : 0500);
    }
    printf("%d deep: %s\n", depth, error ? strerrorname_np(error) : "all the way");
    for (int i = depth; bare && i > 0; i--)
        if (chdir("..") < 0 || rmdir(folder) < 0)
            break;
    (void)fchdir(top);
    return depth >= DEPTH ? 10 : 1;
}
