/* attack.c - proc-leader-gone
 *
 * The first thread ends with a good status, another lives on. Such a process shows as a dead one, and its threads still
 * run; it must not count as ended before it is. Bare, the other thread ends all after 0.2 s with the status of its own.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *survivor(void *unused)
{
    (void)unused;
    do
        (void)usleep(200000);
    while (!getenv("DRILL_CONTROL"));
    _exit(10);
}

int main(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, survivor, NULL) != 0)
        return 1;
    syscall(SYS_exit, 0); /* this thread only */
    __builtin_unreachable();
}
