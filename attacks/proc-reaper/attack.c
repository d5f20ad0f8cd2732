/* attack.c - proc-reaper
 *
 * Takes the place of the one who inherits orphans, so that dead children stay, and goes on making them without giving
 * up. Dead ones take up room as living ones do; the run must end by that limit and leave none. Bare, it stops at 40. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL, left = 0;

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return 1;
    for (long i = 0; !bare || i < 40; i++) {
        pid_t child = fork();
        if (child == 0) {
            (void)fork();
            _exit(0);
        }
        if (child < 0)
            (void)usleep(100);
    }
    (void)usleep(50000);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        left++;
    printf("%d dead were left\n", left);
    return left >= 60 ? 10 : 0;
}
