/* allocation.c - fumehood whose n-th allocation fails
 *
 * Linked in place of the allocator's functions (-Wl,--wrap) in everything that is linked statically: the rooms,
 * jansson, libyaml, zlib, and in a static program the C library too. What fails is said in the environment:
 *
 *   FUMEHOOD_ALLOCATION=[worker:]once:N    the n-th one fails, from the start of main(); 0: none
 *   FUMEHOOD_ALLOCATION=[worker:]from:N    that one and all that follow
 *   FUMEHOOD_ALLOCATION_COUNT=FILE         holds the highest count, as an unsigned long
 *
 * With "worker:" the count is that of each worker (`fumehood warden`), and of what it forks from there; else workers
 * fail nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real__exit(int status) __attribute__((noreturn));
sighandler_t __real_signal(int number, sighandler_t handler);
sighandler_t __wrap_signal(int number, sighandler_t handler);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t count);
void __wrap__exit(int status) __attribute__((noreturn));

static struct {
    bool started, in_workers, is_worker, from;
    pid_t first, counted;
    unsigned long number, count;
    unsigned long *highest; /* shared with the forks */
} plan;

__attribute__((constructor)) static void start(int argc, char **argv)
{
    const char *text = getenv("FUMEHOOD_ALLOCATION"), *path = getenv("FUMEHOOD_ALLOCATION_COUNT");
    int fd;

    if (!text)
        return;
    plan.in_workers = strncmp(text, "worker:", 7) == 0;
    text += plan.in_workers ? 7 : 0;
    plan.from = strncmp(text, "from:", 5) == 0;
    plan.number = strtoul(text + 5, NULL, 10);
    plan.first = plan.counted = getpid();
    plan.is_worker = argc > 1 && strcmp(argv[1], "warden") == 0;
    fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof(*plan.highest)) == 0) {
        void *shared = mmap(NULL, sizeof(*plan.highest), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        plan.highest = shared == MAP_FAILED ? NULL : shared;
    }
    if (fd >= 0)
        (void)close(fd);
    plan.started = true;
}

static bool fails(void)
{
    pid_t own = plan.started ? getpid() : 0;

    if (!plan.started || plan.is_worker != plan.in_workers || (!plan.in_workers && own != plan.first))
        return false;
    if (own != plan.counted) {
        plan.counted = own;
        plan.count = 0;
    }
    plan.count++;
    if (plan.highest && plan.count > *plan.highest)
        *plan.highest = plan.count;
    if (plan.number == 0 || (plan.from ? plan.count < plan.number : plan.count != plan.number))
        return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

char *__wrap_strndup(const char *text, size_t count)
{
    size_t length = strnlen(text, count);
    char *copy = __wrap_malloc(length + 1);

    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

/* How a worker ends is not otherwise looked at: by _exit(), or by a signal while it waits for work. */
static void check_leaks(void)
{
#if defined(__SANITIZE_ADDRESS__)
    if (plan.started && plan.is_worker)
        (void)__lsan_do_recoverable_leak_check();
#endif
}

void __wrap__exit(int status)
{
    check_leaks();
    __real__exit(status);
}

static void end_by_signal(int number)
{
    (void)number;
    __wrap__exit(0);
}

sighandler_t __wrap_signal(int number, sighandler_t handler)
{
    bool in_worker = plan.started && plan.is_worker && number == SIGTERM && handler == SIG_DFL;

    return __real_signal(number, in_worker ? end_by_signal : handler);
}
