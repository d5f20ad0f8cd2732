/* attack.c - proc-memory-program
 *
 * Copies itself into memory and runs that copy, which then does what is forbidden. Running code from memory is allowed,
 * as every interpreter does it; what matters is that the copy has no right more than the original. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int do_forbidden(void)
{
    int status, reached = syscall(SYS_setns, -1, 0) == 0 || errno != EPERM ? 10 : 0;
    pid_t child = fork();

    if (child == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 10 : 0);
    (void)waitpid(child, &status, 0);
    reached |= WIFEXITED(status) ? WEXITSTATUS(status) : 10;
    printf("in memory: %s\n", reached ? "free" : "no more rights than before");
    return reached;
}

int main(int count, char **words)
{
    char copy_word[] = "copy", *arguments[] = {words[0], copy_word, NULL}, *environment[] = {NULL};
    int self, memory;

    if (count > 1)
        return do_forbidden();
    self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    memory = memfd_create("copy", MFD_CLOEXEC);
    while (sendfile(memory, self, NULL, 1 << 20) > 0)
        continue;
    (void)syscall(SYS_execveat, memory, "", arguments, environment, AT_EMPTY_PATH);
    printf("cannot run from memory: %s\n", strerrorname_np(errno));
    return do_forbidden();
}
