/* attack.c - proc-orphans
 *
 * Makes children whose children nobody of the program waits for: the first process of the cage inherits and must reap
 * them, or the room for processes fills with dead ones and honest work stops. Bare, it makes itself the heir, who does
 * not reap, to show that they pile up. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* One orphan; 0 when not even one process could be had for half a second. */
static int orphan(void)
{
    for (int patience = 0; patience < 250; patience++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            pid_t grandchild = fork();
            _exit(grandchild == 0 ? 0 : grandchild < 0);
        }
        if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
            return 1;
        (void)usleep(2000);
    }
    return 0;
}

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL, left = 0;

    if (bare)
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < (bare ? 40 : 300); i++)
        if (!orphan()) {
            printf("no room after %d orphans\n", i);
            return 10;
        }
    while (waitpid(-1, NULL, WNOHANG) > 0)
        left++;
    printf("%d dead were left\n", left);
    return left >= 30 ? 10 : 0;
}
