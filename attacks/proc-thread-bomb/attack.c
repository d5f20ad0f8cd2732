/* attack.c - proc-thread-bomb
 *
 * Makes threads, which count as processes do, in one process and in several at once. If they were not counted, 40 would
 * be alive where 24 are allowed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *sleeper(void *unused)
{
    (void)unused;
    (void)pause();
    return NULL;
}

static int make(int wanted)
{
    pthread_attr_t small;
    pthread_t thread;
    int made = 0;

    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 65536);
    while (made < wanted && pthread_create(&thread, &small, sleeper, NULL) == 0)
        made++;
    return made;
}

int main(void)
{
    int report[2], total = 0, made, threads;

    if (pipe(report) < 0)
        return 1;
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            made = make(10);
            (void)!write(report[1], &made, sizeof(made));
            (void)alarm(5);
            (void)pause();
            _exit(0);
        }
        if (child > 0 && read(report[0], &made, sizeof(made)) == sizeof(made))
            total += made;
    }
    printf("%d in four processes\n", total);
    (void)signal(SIGTERM, SIG_IGN);
    (void)kill(0, SIGTERM); /* the children are in our group and do not ignore it */
    while (wait(NULL) > 0)
        continue;
    (void)usleep(20000);
    threads = make(40);
    printf("%d in one process\n", threads);
    return threads >= 40 || total >= 40 ? 10 : 0;
}
