/* attack.c - res-posix-queues
 *
 * Makes named queues whose room is reserved at once, until more than 2 MiB are had. They are counted for a user and
 * stay when their maker ends. Bare, root lifts its own limit in a child and removes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define QUEUES 40

int main(void)
{
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    struct mq_attr room = {.mq_maxmsg = 10, .mq_msgsize = 8192};
    int made = 0, larger = 0;
    char name[64];

    (void)setrlimit(RLIMIT_MSGQUEUE, &none);
    for (; made < QUEUES; made++) {
        (void)snprintf(name, sizeof(name), "/drill-%d-%d", (int)getpid(), made);
        if (mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &room) < 0)
            break;
    }
    printf("%d queues of 80 KiB: %s\n", made, made < QUEUES ? strerrorname_np(errno) : "all");
    for (int i = 0; i < made; i++) {
        (void)snprintf(name, sizeof(name), "/drill-%d-%d", (int)getpid(), i);
        (void)mq_unlink(name);
    }
    if (made < QUEUES && getenv("DRILL_CONTROL")) {
        printf("root may not raise limits on this machine\n");
        return 77;
    } else if (!getenv("DRILL_CONTROL")) {
        room.mq_msgsize = 1 << 20;
        larger = mq_open("/larger", O_CREAT | O_RDWR, 0600, &room) >= 0;
    }
    return made >= QUEUES || larger ? 10 : 0;
}
