/* attack.c - kern-numa
 *
 * Sets policies for memory, moves pages of its own and of process 1, and asks where pages lie. If it worked, it could
 * slow down others, and learn where in the machine their memory is. */
#define _GNU_SOURCE
#include <errno.h>
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
    static int page;
    unsigned long from = 1, to = 1;
    void *pages[] = {&page};
    int status;

    page = 1;
    tried("a policy for itself", syscall(SYS_set_mempolicy, 0, NULL, 0));
    tried("a policy for a range", syscall(SYS_mbind, 4096UL, 4096UL, 99, NULL, 0, 0));
    tried("a home for a range", syscall(450, 4096UL, 4096UL, 0UL, 0UL));
    tried("move its own memory", syscall(SYS_migrate_pages, 0, 1UL, &from, &to));
    tried("move the memory of process 1", syscall(SYS_migrate_pages, 1, 0UL, &from, &to));
    tried("where a page of its own is", syscall(SYS_move_pages, 0, 1UL, pages, NULL, &status, 0));
    tried("where a page of process 1 is", syscall(SYS_move_pages, 1, 1UL, pages, NULL, &status, 0));
    return reached;
}
