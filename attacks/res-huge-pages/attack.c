/* attack.c - res-huge-pages
 *
 * Maps huge pages in three ways. They come from a pool that is set aside for the whole machine, and are not part of
 * what a memory limit counts: a guest that takes them takes them from programs that need them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define SIZE (2UL << 20)

static int reached;

static void tried(const char *what, int worked)
{
    printf("%s: %s\n", what, worked ? "done" : strerrorname_np(errno));
    if (worked)
        reached = 10;
}

int main(void)
{
    void *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    int fd, segment;

    tried("a mapping", map != MAP_FAILED);
    fd = memfd_create("huge", MFD_HUGETLB);
    if (fd >= 0 && ftruncate(fd, (off_t)SIZE) == 0)
        tried("a file", mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);
    segment = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | SHM_HUGETLB | 0600);
    tried("a segment", segment >= 0);
    if (segment >= 0)
        (void)shmctl(segment, IPC_RMID, NULL);
    if (!reached && getenv("DRILL_CONTROL")) {
        printf("this machine has no huge pages set aside\n");
        return 77;
    }
    return reached;
}
