/* attack.c - kern-denied-flood
 *
 * Four threads make denied calls for half a second without pause, and children come and go meanwhile. If the one who
 * answers were too busy to see the guest end, or lost count, it would show in the ending or the record. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int reached;
static unsigned long counts[4];

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *flood(void *number)
{
    unsigned long *count = number;
    double end = now() + 0.5;

    while (!reached && now() < end) {
        if (syscall(SYS_setns, -1, 0) == 0 || errno != EPERM)
            reached = 10;
        if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
            reached = 10;
        (*count)++;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, flood, &counts[i]) != 0)
            return 1;
    for (int i = 0; i < 40 && !reached; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(syscall(SYS_setns, -1, 0) == 0);
        (void)waitpid(child, NULL, 0);
    }
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    printf("%lu rounds\n", counts[0] + counts[1] + counts[2] + counts[3]);
    return reached;
}
