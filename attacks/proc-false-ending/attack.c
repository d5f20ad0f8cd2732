/* attack.c - proc-false-ending
 *
 * Makes siblings instead of children: their parent is process 1, as the program's own is. They end with 0, with 10 and
 * by signals, before the program itself ends with 3. If one of them were taken for it, a failure could be made to look
 * like a success. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t sibling(int flags)
{
    return (pid_t)syscall(SYS_clone, flags | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
}

int main(void)
{
    pid_t parent = getppid();
    int bare = getenv("DRILL_CONTROL") != NULL, answer[2];
    char is_sibling = 0;

    if (pipe(answer) < 0)
        return 1;
    if (sibling(0) == 0) {
        is_sibling = getppid() == parent;
        (void)!write(answer[1], &is_sibling, 1);
        _exit(bare ? 10 : 0);
    }
    if (read(answer[0], &is_sibling, 1) != 1)
        return 1;
    if (bare)
        return is_sibling ? 10 : 0;
    for (int i = 0; i < 8; i++)
        if (sibling(0) == 0)
            _exit(i % 2 ? 0 : 10);
    if (sibling(0) == 0)
        (void)raise(SIGKILL);
    if (sibling(CLONE_FILES) == 0)
        for (;;)
            (void)pause(); /* is still there when the program ends */
    (void)usleep(50000);
    return 3;
}
