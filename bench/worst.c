/* worst.c - a guest that is as hard to clear away as it can be
 *
 * Runs in: a cage; it attacks nothing, and outside of one it is only a nuisance.
 *
 *     worst MEMORY_BYTES exit|wall|storm
 *
 * Fills the scratch, holds that much memory, leaves 50 stopped daemons, each in a session of its own, and as many
 * processes that spin as the limit allows. Says "up" when all of it is there. Then the first process ends when it reads
 * the end of its input (exit), or never (wall), or all of them go on forking for ever (storm).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DAEMONS 50

static void fill_scratch(void)
{
    static char block[65536];
    int fd = open("/work/full", O_WRONLY | O_CREAT, 0600);

    memset(block, 'x', sizeof(block));
    while (write(fd, block, sizeof(block)) > 0)
        ;
}

/* In a child: others would get copies of its page tables, which count too. */
static void hold_memory(size_t bytes)
{
    int ready[2];

    if (pipe(ready) < 0)
        exit(3);
    if (fork() > 0) {
        char byte;
        (void)close(ready[1]);
        (void)!read(ready[0], &byte, 1);
        return;
    }
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        exit(3);
    for (size_t at = 0; at < bytes; at += 4096)
        memory[at] = 'x';
    (void)!write(ready[1], "x", 1);
    for (;;)
        (void)pause();
}

static void leave_daemon(void)
{
    pid_t pid = fork();

    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
        return;
    }
    (void)setsid();
    if (fork() == 0)
        for (;;)
            (void)raise(SIGSTOP);
    _exit(0);
}

/* Until there is no room for another one. */
static void spin(bool storm)
{
    pid_t pid;

    while ((pid = fork()) >= 0)
        if (pid == 0) {
            for (;;)
                if (storm)
                    (void)fork();
        }
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "exit";
    char byte;

    (void)signal(SIGXFSZ, SIG_IGN);
    fill_scratch();
    for (int i = 0; i < DAEMONS; i++)
        leave_daemon();
    hold_memory(strtoul(argc > 1 ? argv[1] : "0", NULL, 10));
    (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* so that the daemons have stopped */
    if (strcmp(how, "storm") == 0 && write(1, "up\n", 3) == 3 && read(0, &byte, 1) == 0) {
        spin(true);
        for (;;)
            (void)fork();
    }
    spin(false);
    (void)!write(1, "up\n", 3);
    while (strcmp(how, "exit") != 0)
        (void)pause();
    while (read(0, &byte, 1) > 0)
        ;
    return 0;
}
