/* attack.c - nests folders until the file system gives no more
 *
 * A path of more than 4096 bytes has no name that a call takes; what walks such a tree by names, or by calling itself,
 * fails or dies. If it worked, the tree would stay behind or the supervisor would crash. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char name[200], where[8192];
    int fd = open("/work", O_RDONLY | O_DIRECTORY), depth = 0;

    memset(name, 'd', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    for (; depth < 20000; depth++) {
        int next;
        if (mkdirat(fd, name, 0700) < 0)
            break;
        next = openat(fd, name, O_RDONLY | O_DIRECTORY);
        if (next < 0)
            break;
        (void)close(fd);
        fd = next;
    }
    printf("%d levels, then %s\n", depth, strerror(errno));
    if (depth < 4096 || depth == 20000 || errno != ENOSPC)
        return 1;
    if (fchdir(fd) < 0)
        return 1;
    printf("where: %s\n", getcwd(where, sizeof(where)) ? where : strerror(errno));
    /* from there up again, and out at the top */
    for (int i = 0; i < depth + 10; i++)
        if (chdir("..") < 0)
            return 1;
    if (!getcwd(where, sizeof(where)) || strcmp(where, "/") != 0) {
        printf("above: %s\n", where);
        return 10;
    }
    return fchdir(fd) < 0 ? 1 : 0;
}
