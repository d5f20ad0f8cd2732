/* attack.c - kern-threads-filtered
 *
 * Looks at what the kernel says of every kind of task that it can make: thread, fork, vfork, a program of its own run
 * again, a program of the host. One without filter, or with a capability, would be the way round everything. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int look(const char *who)
{
    static const char *const wanted[] = {"Seccomp:\t2\n",
                                         "NoNewPrivs:\t1\n",
                                         "CapEff:\t0000000000000000\n",
                                         "CapPrm:\t0000000000000000\n",
                                         "CapBnd:\t0000000000000000\n",
                                         "CapAmb:\t0000000000000000\n",
                                         "CapInh:\t0000000000000000\n"};
    char text[4096];
    FILE *status = fopen("/proc/thread-self/status", "re");
    size_t length = status ? fread(text, 1, sizeof(text) - 1, status) : 0;
    int reached = 0;

    if (status)
        (void)fclose(status);
    text[length] = 0;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (!strstr(text, wanted[i])) {
            printf("%s: not %s", who, wanted[i]);
            reached = 10;
        }
    return reached;
}

static void *thread(void *reached)
{
    *(int *)reached |= look("thread");
    return NULL;
}

static int of_child(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int count, char **words)
{
    pthread_t other;
    pid_t child;
    int reached = look(count > 1 ? "run again" : "itself");

    if (count > 1)
        return reached;
    if (pthread_create(&other, NULL, thread, &reached) != 0 || pthread_join(other, NULL) != 0)
        return 1;
    fflush(stdout);
    child = fork();
    if (child == 0)
        exit(look("fork"));
    reached |= of_child(child);
    child = vfork();
    if (child == 0) {
        execl(words[0], words[0], "again", NULL);
        _exit(1);
    }
    reached |= of_child(child);
    child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "grep -q '^Seccomp:.*2$' /proc/self/status || exit 10", NULL);
        _exit(1);
    }
    return reached | of_child(child);
}
