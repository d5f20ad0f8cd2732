/* attack.c - res-memory-segments
 *
 * Makes System V segments, writes to them and lets go of them without removing them. They stay, in no process and no
 * folder. Bare, it stops at 40 MiB and removes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#define STEP (4UL << 20)

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL, made = 0, segments[10];

    for (; !bare || made < 10; made++) {
        int segment = shmget(IPC_PRIVATE, STEP, IPC_CREAT | 0600);
        char *memory = segment < 0 ? (void *)-1 : shmat(segment, NULL, 0);
        if (memory == (void *)-1)
            break;
        if (bare)
            segments[made] = segment;
        memset(memory, 1, STEP);
        (void)shmdt(memory);
    }
    printf("%d segments: %s\n", made, strerrorname_np(errno));
    for (int i = 0; bare && i < made; i++)
        (void)shmctl(segments[i], IPC_RMID, NULL);
    return made >= 10 ? 10 : 0;
}
