/* attack.c - proc-stopped
 *
 * Stops itself and its child. A stopped process uses no processor time, answers no polite signal and never ends, so
 * that only a clock outside ends it. Bare, a child of it stops and is set going again. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        (void)raise(SIGSTOP);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, WUNTRACED) != child)
        return 1;
    if (getenv("DRILL_CONTROL")) {
        int stopped = WIFSTOPPED(status);
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        return stopped ? 10 : 0;
    }
    for (;;)
        (void)raise(SIGSTOP);
}
