/* attack.c - res-output-flood
 *
 * Four processes write to the same stream without pause. Who keeps all of it runs out of memory; who looks only at the
 * end never gets there. Bare, it stops at 2 MiB, twice the limit. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[65536];

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;

    (void)signal(SIGPIPE, SIG_IGN);
    memset(block, 'o', sizeof(block));
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            for (int step = 0; !bare || step < 8; step++)
                if (write(STDOUT_FILENO, block, sizeof(block)) < 0 || (bare && step == 7))
                    _exit(0);
    for (int step = 0; !bare || step < 8; step++)
        (void)!write(STDOUT_FILENO, block, sizeof(block));
    while (wait(NULL) > 0)
        continue;
    return 10;
}
