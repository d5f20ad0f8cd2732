/* flood.c - a guest that keeps its supervisor as busy as it can
 *
 * Runs in: a cage; it attacks nothing, and outside of one it is only a nuisance. Several processes make denied calls of
 * many kinds, write to both outputs, open what is not there and fork, each as fast as it can and for ever.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void deny(unsigned n)
{
    static const long calls[] = {SYS_ptrace, SYS_mount, SYS_umount2, SYS_bpf, SYS_keyctl, SYS_reboot, SYS_setns};

    (void)syscall(calls[n % (sizeof(calls) / sizeof(calls[0]))], 0, 0, 0, 0, 0);
    (void)socket((int)(n % 64), SOCK_STREAM, 0);
    (void)syscall(SYS_ioctl, 0, n, 0); /* mostly allowed, and wrong */
}

static void write_much(unsigned n)
{
    static char block[65536];

    memset(block, 'x', sizeof(block));
    (void)!write(n % 2 ? 1 : 2, block, n % 3 ? sizeof(block) : 1);
}

static void fork_once(unsigned n)
{
    pid_t pid = fork();

    (void)n;
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
}

static void open_missing(unsigned n)
{
    char path[] = "/nowhere/00000000";

    for (char *digit = path + sizeof(path) - 2; n > 0; n /= 10)
        *digit-- = (char)('0' + n % 10);
    (void)open(path, O_RDONLY);
}

int main(void)
{
    static void (*const acts[])(unsigned) = {deny, deny, write_much, write_much, fork_once, open_missing};

    for (unsigned act = 0; act < sizeof(acts) / sizeof(acts[0]); act++)
        if (fork() == 0)
            for (unsigned n = 0;; n++)
                acts[act](n % 100000000);
    for (;;)
        (void)pause();
}
