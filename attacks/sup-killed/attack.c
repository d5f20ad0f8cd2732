/* attack.c - scatters children that ignore signals, are stopped, have sessions of their own or hop from process to
 * process
 *
 * Then its supervisor is killed in the middle. If one of them lived on, a run that nobody watches any more, and that no
 * limit ends, would stay on the machine. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void rest(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
}

static void resist(int kind)
{
    for (int sig = 1; sig <= 64; sig++)
        (void)signal(sig, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, 0);
    (void)setsid();
    if (kind == 1)
        (void)raise(SIGSTOP);
    if (kind == 2 && fork() != 0)
        _exit(0);
    for (int i = 0; kind == 3 && i < 10000; i++) { /* never the same process for long */
        pid_t next = fork();
        if (next > 0)
            _exit(0);
        rest(5);
    }
    if (kind == 4 && vfork() == 0) {
        rest(20000);
        _exit(0);
    }
    for (;;)
        rest(20000);
}

int main(void)
{
    int fds[2];
    char byte = 0;

    /* the permitted sibling: an orphan outlives its parent */
    if (pipe(fds) < 0)
        return 1;
    if (fork() == 0) {
        if (fork() == 0) {
            rest(50);
            _exit(write(fds[1], "x", 1) == 1 ? 0 : 1);
        }
        _exit(0);
    }
    (void)wait(NULL);
    if (read(fds[0], &byte, 1) != 1 || byte != 'x')
        return 1;
    for (int i = 0; i < 15; i++)
        if (fork() == 0)
            resist(i % 5);
    resist(0);
}
