/* attack.c - kern-prctl
 *
 * Asks to gain rights by exec again, raises capabilities, unlocks the secure bits, moves the marks of its own memory,
 * shares a processor core with process 1. If one worked, a set-uid program or a capability would be worth something
 * again. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
    if (result >= 0)
        reached = 10;
}

int main(void)
{
    unsigned size;
    int capabilities = 0;

    tried("take back no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        tried("gain rights by exec", 0);
    for (int i = 0; i < 41; i++)
        if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) > 0)
            capabilities++;
    if (capabilities)
        tried("capabilities that a program could give it", capabilities);
    tried("raise a capability", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
    tried("secure bits", prctl(PR_SET_SECUREBITS, 0, 0, 0, 0));
    tried("keep capabilities", prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
    tried("be a part of the disk's ways", prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0));
    tried("be dumped as root", prctl(PR_SET_DUMPABLE, 2, 0, 0, 0));
    tried("moved marks of memory", prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0));
    tried("another file as its program", prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 0, 0, 0));
    tried("a filter", prctl(PR_SET_SECCOMP, 2, NULL, 0, 0));
    tried("a core with process 1", prctl(62 /* PR_SCHED_CORE */, 2 /* share to */, 1, 0, 0));
    return reached;
}
