/* attack.c - kern-clone-namespaces
 *
 * Makes children with every flag for a namespace of their own, alone and together, by clone and by clone3. Within a new
 * user namespace a child has all capabilities over what it makes, and reaches parts of the kernel that are closed
 * otherwise. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached;

static void tried(const char *how, unsigned long flags, long child)
{
    if (child == 0)
        _exit(0); /* the child: being there is all */
    printf("%s(0x%lx): %s\n", how, flags, child < 0 ? strerrorname_np(errno) : "done");
    if (child < 0)
        return;
    reached = 10;
    (void)waitpid((pid_t)child, NULL, __WALL);
}

int main(void)
{
    static const unsigned long flags[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,    CLONE_NEWNET,
                                          CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWNS | CLONE_NEWUSER};

    fflush(stdout);
    setvbuf(stdout, NULL, _IONBF, 0); /* children must not print again what is not written yet */
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        struct clone_args wanted = {.flags = flags[i], .exit_signal = SIGCHLD};
        tried("clone", flags[i], syscall(SYS_clone, flags[i] | SIGCHLD, 0, 0, 0, 0));
        tried("clone3", flags[i], syscall(SYS_clone3, &wanted, sizeof(wanted)));
    }
    return reached;
}
