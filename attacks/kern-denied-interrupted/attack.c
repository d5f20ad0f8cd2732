/* attack.c - kern-denied-interrupted
 *
 * Makes denied calls while a timer interrupts them, while another thread takes their memory away, and in children that
 * are killed before the answer comes. An answer to the wrong caller, or a call that runs after all, would show. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int done, reached;
static char *page;

static void nothing(int sig)
{
    (void)sig;
}

static void *take_away(void *unused)
{
    (void)unused;
    while (!done) {
        (void)mprotect(page, 4096, PROT_NONE);
        (void)mprotect(page, 4096, PROT_READ | PROT_WRITE);
    }
    return NULL;
}

/* Only "refused" and "interrupted" are answers of the gate. */
static void attempt(void)
{
    if (syscall(SYS_mount, page, page, page, 0, page) == 0 || (errno != EPERM && errno != EINTR))
        reached = 10;
}

int main(void)
{
    struct sigaction action = {.sa_handler = nothing}; /* interrupts, does not restart */
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    pthread_t thread;

    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || sigaction(SIGALRM, &action, NULL) < 0 ||
        pthread_create(&thread, NULL, take_away, NULL) != 0)
        return 1;
    (void)setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 2000 && !reached; i++)
        attempt();
    (void)setitimer(ITIMER_REAL, &never, NULL);
    done = 1;
    (void)pthread_join(thread, NULL);
    for (int i = 0; i < 200 && !reached; i++) {
        struct timespec moment = {0, i * 1000L};
        pid_t child = fork();
        while (child == 0)
            (void)syscall(SYS_mount, page, page, page, 0, page);
        (void)nanosleep(&moment, NULL);
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
    attempt();
    return reached;
}
