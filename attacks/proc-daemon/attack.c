/* attack.c - proc-daemon
 *
 * Forks twice into sessions of their own, ignores all signals, closes nothing, and writes a dot every 20 ms, while the
 * first process ends well. If it lived on, code would run after the verdict; if somebody waited for the end of its
 * output, the run would last as long as the daemon likes. Bare, it ends by itself after 1 s. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void daemon_life(int fd, int beats)
{
    for (int sig = 1; sig <= 64; sig++)
        (void)signal(sig, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, 0);
    (void)prctl(PR_SET_NAME, "[kthreadd]");
    (void)chdir("/");
    while (beats--) {
        (void)!write(fd, ".", 1);
        (void)usleep(20000);
    }
    _exit(0);
}

static void start(int fd, int beats)
{
    if (fork() == 0) {
        (void)setsid();
        if (fork() == 0) {
            (void)setsid();
            if (fork() == 0)
                daemon_life(fd, beats);
        }
        _exit(0);
    }
    (void)wait(NULL);
}

int main(void)
{
    int beat[2];
    char dots[8];

    if (!getenv("DRILL_CONTROL")) {
        start(STDOUT_FILENO, 3000);
        (void)usleep(100000);
        return 0;
    }
    if (pipe(beat) < 0)
        return 1;
    if (fork() == 0) {
        start(beat[1], 50);
        _exit(0); /* the one that would be waited for is gone */
    }
    (void)wait(NULL);
    (void)close(beat[1]);
    (void)usleep(100000);
    return read(beat[0], dots, 1) == 1 && read(beat[0], dots, 1) == 1 ? 10 : 0;
}
