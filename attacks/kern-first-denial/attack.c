/* attack.c - kern-first-denial
 *
 * Several threads make denied calls at the same moment, children stand ready to go on, and whoever gets an answer says
 * so. The policy ends the run at the first attempt: nobody may ever get to know the answer. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t together;

static void *attempt(void *unused)
{
    (void)unused;
    (void)pthread_barrier_wait(&together);
    long result = syscall(SYS_setns, -1, 0);
    printf("answered: %ld, %d\n", result, errno);
    fflush(stdout);
    _exit(10);
}

int main(void)
{
    pthread_t thread;
    pid_t child = fork();

    if (child == 0) {
        (void)setsid();
        (void)sleep(1);
        _exit(0);
    }
    (void)pthread_barrier_init(&together, NULL, 4);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread, NULL, attempt, NULL) != 0)
            return 1;
    (void)pthread_join(thread, NULL);
    return 1;
}
