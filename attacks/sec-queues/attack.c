/* attack.c - attaches to System V memory by key and by every number, and to POSIX queues by name
 *
 * Neither is in a file system, so no mount hides them. If it worked, a program could read what others exchange. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>

static int reached;

static void attempt(const char *what, long r)
{
    printf("%s: %s\n", what, r < 0 ? strerror(errno) : "reached");
    reached |= r >= 0;
}

static void read_memory(int id)
{
    const char *at = shmat(id, NULL, SHM_RDONLY);

    if (at != (const char *)-1) {
        printf("attached: reached %.64s\n", at);
        reached = 1;
    }
}

static void read_queue(const char *bare_name)
{
    char name[300];
    static char text[65536];
    mqd_t queue;

    (void)snprintf(name, sizeof(name), "/%.256s", *bare_name == '/' ? bare_name + 1 : bare_name);
    queue = mq_open(name, O_RDONLY | O_NONBLOCK);
    attempt("mq_open", queue);
    if (queue != (mqd_t)-1) {
        ssize_t got = mq_receive(queue, text, sizeof(text), NULL);
        printf("%.*s\n", got > 0 ? (int)got : 0, text);
        if (got > 0) { /* what was there stays there */
            mqd_t back = mq_open(name, O_WRONLY | O_NONBLOCK);
            (void)mq_send(back, text, (size_t)got, 0);
            (void)mq_close(back);
        }
        (void)mq_close(queue);
    }
}

int main(int argc, char **argv)
{
    const char *control = getenv("DRILL_CONTROL");
    struct shmid_ds ds;
    int id;

    if (argc < 3)
        return 1;
    id = shmget((key_t)strtoul(argv[1], NULL, 0), 0, 0);
    attempt("shmget", id);
    if (id >= 0)
        read_memory(id);
    read_queue(argv[2]);
    if (control)
        return reached ? 10 : 0;
    attempt("semget", semget((key_t)strtoul(argv[1], NULL, 0), 0, 0));
    attempt("msgget", msgget((key_t)strtoul(argv[1], NULL, 0), 0));
    for (int i = 0; i < 4096; i++) {
        id = shmctl(i, 15 /* SHM_STAT_ANY */, &ds);
        if (id >= 0 || shmctl(i, SHM_STAT, &ds) >= 0 || shmctl(i, IPC_STAT, &ds) >= 0) {
            printf("segment %d: reached\n", i);
            reached = 1;
            read_memory(i);
        }
        if (semctl(i, 0, 20 /* SEM_STAT_ANY */, (struct semid_ds[1]){0}) >= 0 ||
            msgctl(i, 13 /* MSG_STAT_ANY */, (struct msqid_ds[1]){0}) >= 0)
            reached = 1;
    }
    /* the permitted sibling: its own */
    id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (id < 0 || shmat(id, NULL, 0) == (void *)-1)
        return 1;
    return reached ? 10 : 0;
}
