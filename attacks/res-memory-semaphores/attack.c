/* attack.c - res-memory-semaphores
 *
 * Makes sets of semaphores, each as large as they get. They belong to no process and stay when all are gone. Bare, it
 * stops at 24 sets, about 48 MiB, and removes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#define PER_SET 32000

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL, made = 0, sets[24];

    for (; !bare || made < 24; made++) {
        int set = semget(IPC_PRIVATE, PER_SET, IPC_CREAT | 0600);
        if (set < 0)
            break;
        if (bare)
            sets[made] = set;
    }
    printf("%d sets: %s\n", made, strerrorname_np(errno));
    for (int i = 0; bare && i < made; i++)
        (void)semctl(sets[i], 0, IPC_RMID);
    return made >= 24 ? 10 : 0;
}
