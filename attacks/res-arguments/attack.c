/* attack.c - res-arguments
 *
 * Twelve children run the program again with 5 MiB of arguments and environment each and wait there. Such words lie on
 * a stack that the kernel makes before the program begins. Bare, all of them come to life and end. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS      40
#define WORD_BYTES 131000
#define CHILDREN   12

int main(int count, char **words)
{
    static char word[WORD_BYTES + 1], *arguments[WORDS + 2];
    struct rlimit stack;
    int report[2], arrived = 0;
    char dot;

    if (count > 1) { /* one of them: says that it is there, and stays */
        (void)!write(STDOUT_FILENO, ".", 1);
        (void)sleep(5);
        return 0;
    }
    (void)getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = stack.rlim_max; /* a quarter of it may be arguments */
    (void)setrlimit(RLIMIT_STACK, &stack);
    memset(word, 'w', WORD_BYTES);
    arguments[0] = words[0];
    for (int i = 1; i <= WORDS; i++)
        arguments[i] = word;
    if (pipe(report) < 0)
        return 1;
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0) {
            (void)dup2(report[1], STDOUT_FILENO);
            (void)execv("/proc/self/exe", arguments);
            _exit(1);
        }
    (void)close(report[1]);
    while (arrived < CHILDREN && read(report[0], &dot, 1) == 1)
        arrived++;
    (void)signal(SIGTERM, SIG_IGN);
    (void)kill(0, SIGTERM);
    while (wait(NULL) > 0)
        continue;
    return arrived == CHILDREN ? 10 : 0;
}
