/* attack.c - kern-odd-calls
 *
 * Makes the calls for reading and writing in the background, for memory that not even the kernel sees, for profilers
 * and for letting go of other processes' memory, on objects that do not exist. An answer about the object shows that
 * the call got through. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int reached;

static void tried(const char *what, long result)
{
    int error = errno;

    printf("%s: %s\n", what, result < 0 ? strerrorname_np(error) : "done");
    if (result >= 0 || (error != EPERM && error != ENOSYS))
        reached = 10;
}

int main(void)
{
    unsigned long context = 0;
    long count = syscall(SYS_io_setup, 1, &context);

    tried("a context for the background", count);
    if (count == 0)
        tried("and its end", syscall(SYS_io_destroy, context));
    tried("the end of none", syscall(SYS_io_destroy, 8UL));
    tried("work for none", syscall(SYS_io_submit, 8UL, 1L, NULL));
    tried("call back from none", syscall(SYS_io_cancel, 8UL, NULL, NULL));
    tried("results of none", syscall(SYS_io_getevents, 8UL, 1L, 1L, NULL, NULL));
    tried("results of none, with signals", syscall(SYS_io_pgetevents, 8UL, 1L, 1L, NULL, NULL, NULL));
    tried("secret memory with odd flags", syscall(SYS_memfd_secret, 0x40));
    tried("a profiler's cookie", syscall(SYS_lookup_dcookie, 1UL, NULL, 0UL));
    tried("advice on no process", syscall(SYS_process_madvise, -1, NULL, 1UL, 4, 0));
    tried("the memory of no process", syscall(SYS_process_mrelease, -1, 0));
    return reached;
}
