/* attack.c - proc-outlives-supervisor
 *
 * Cuts what would end it with its parent, goes deaf, and waits for its supervisor to be killed, in several processes.
 * If any of them were left, nobody would ever end it. Bare, it shows that a child of a killed parent lives on. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void live_on(void)
{
    for (int sig = 1; sig <= 64; sig++)
        (void)signal(sig, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, 0);
    (void)setsid();
}

int main(void)
{
    int beat[2];
    char dot;

    if (!getenv("DRILL_CONTROL")) {
        for (int i = 0; i < 6; i++)
            (void)!fork();
        live_on();
        for (;;)
            (void)usleep(1000);
    }
    if (pipe(beat) < 0)
        return 1;
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0) {
            live_on();
            (void)usleep(200000);
            (void)!write(beat[1], ".", 1);
            _exit(0);
        }
        (void)raise(SIGKILL);
    }
    (void)waitpid(parent, NULL, 0);
    (void)close(beat[1]);
    return read(beat[0], &dot, 1) == 1 ? 10 : 0;
}
