/* attack.c - proc-vfork-hold
 *
 * Makes a chain of children by vfork, each of which holds its parent in the kernel by never running a program or
 * ending. Such a parent takes no signal but the last one. Bare, the child lets go after 0.6 s. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec pause_for = {.tv_sec = 0, .tv_nsec = 600000000};
    int bare = getenv("DRILL_CONTROL") != NULL;

    for (volatile int depth = 0; depth < (bare ? 1 : 5); depth++) {
        pid_t child = vfork();
        if (child > 0)
            _exit(10); /* comes here only when its child has let go */
    }
    do
        (void)syscall(SYS_nanosleep, &pause_for, NULL);
    while (!bare);
    _exit(0);
}
