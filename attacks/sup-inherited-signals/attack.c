/* attack.c - reads which signals are ignored and blocked, and waits for a child
 *
 * What a starter ignores and blocks goes on to what it starts. A program that cannot be ended by a signal, or loses its
 * children, would behave differently for each starter; and the supervisor that waits for it likewise. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int odd_masks(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256], name[32];
    unsigned long long bits;
    int odd = 0;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "%31[^:]: %llx", name, &bits) == 2 &&
            (strcmp(name, "SigBlk") == 0 || strcmp(name, "SigIgn") == 0 || strcmp(name, "SigPnd") == 0 ||
             strcmp(name, "ShdPnd") == 0)) {
            printf("%s %llx\n", name, bits);
            odd |= bits != 0;
        }
    return file ? odd : 1;
}

/* Bare it is its own odd launcher. */
static int start_oddly(char **argv)
{
    char *again[] = {argv[0], (char[]){"again"}, NULL};
    sigset_t all;

    (void)sigfillset(&all);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)execv("/proc/self/exe", again);
    return 77;
}

int main(int argc, char **argv)
{
    int odd, status = 0, pipe_fds[2];
    pid_t child;

    if (getenv("DRILL_CONTROL") && argc == 1)
        return start_oddly(argv);
    odd = odd_masks();
    child = fork();
    if (child == 0)
        _exit(7);
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) {
        printf("the child's end was not told\n");
        odd = 1;
    }
    child = fork();
    if (child == 0) {
        if (pipe(pipe_fds) < 0 || close(pipe_fds[0]) < 0)
            _exit(1);
        _exit(write(pipe_fds[1], "x", 1) == 1 ? 1 : 2); /* SIGPIPE must end it */
    }
    if (waitpid(child, &status, 0) == child && !WIFSIGNALED(status)) {
        printf("a broken pipe did not end it\n");
        odd = 1;
    }
    for (int sig = 1; sig <= 64; sig++) {
        struct sigaction action;
        if (sigaction(sig, NULL, &action) == 0 && action.sa_handler != SIG_DFL) {
            printf("signal %d is not as usual\n", sig);
            odd = 1;
        }
    }
    return odd ? 10 : 0;
}
