/* attack.c - proc-churn
 *
 * Eight lines in which each process makes its successor and is gone. Who kills by a list of numbers is always late: the
 * list is old. The first process ends well and leaves them behind. Bare, they end by themselves after 0.4 s. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* However slow the machine is, there are @least of them. */
static void run_on(double end, int least, int fd)
{
    for (int made = 0; made < least || now() < end; made++) {
        (void)!write(fd, ".", 1);
        if (fork() > 0)
            _exit(0);
        (void)setsid();
    }
    _exit(0);
}

static void lines(double end, int least, int fd)
{
    for (int line = 0; line < 8; line++)
        if (fork() == 0)
            run_on(end, least, fd);
}

int main(void)
{
    int beat[2];
    char dots[65536];
    ssize_t count, total = 0;

    if (!getenv("DRILL_CONTROL")) {
        int null = open("/dev/null", O_WRONLY);
        lines(now() + 3600, 0, null);
        (void)usleep(200000);
        return 0;
    }
    if (pipe(beat) < 0)
        return 1;
    if (fork() == 0) {
        lines(now() + 0.4, 4, beat[1]);
        _exit(0);
    }
    (void)wait(NULL);
    (void)close(beat[1]);
    while ((count = read(beat[0], dots, sizeof(dots))) > 0)
        total += count; /* until the last of them is gone */
    return total > 16 ? 10 : 0;
}
