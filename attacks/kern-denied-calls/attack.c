/* attack.c - kern-denied-calls
 *
 * Four threads and their children make denied calls without pause, far more than the policy lets them try. If the count
 * were kept for each process, or by one who falls behind, they would get to the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS   20000 /* of each thread; the policy lets all together try 1000 calls */
#define CHILDREN 100

static void *flood(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        (void)syscall(SYS_setns, -1, 0);
        (void)socket(AF_INET, 99, 0);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, flood, NULL) != 0)
            return 1;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(syscall(SYS_setns, -1, 0) == 0);
        (void)waitpid(child, NULL, 0);
    }
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    printf("%d calls, and still here\n", 4 * 2 * ROUNDS + CHILDREN);
    return 10;
}
