/* allocation.c - fumehood whose n-th allocation fails
 *
 * Linked in place of the allocator's functions (-Wl,--wrap) in everything that is linked statically: the rooms, jansson,
 * libyaml, zlib, and in a static program the C library too. What fails is said in the environment:
 *
 *   FUMEHOOD_ALLOCATION=[worker:]once:N    the n-th one fails, from the start of main(); 0: none
 *   FUMEHOOD_ALLOCATION=[worker:]from:N    that one and all that follow
 *   FUMEHOOD_ALLOCATION_LOG=FILE           grows by a line "PID COUNT" whenever a process that counts ends
 *
 * With "worker:" the count is that of each forked process, from its fork, and the first one fails nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real__exit(int status) __attribute__((noreturn));
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t count);
void __wrap__exit(int status) __attribute__((noreturn));

static struct {
    bool started, in_workers, from;
    pid_t first, counted;
    unsigned long number, count;
    int log_fd;
} plan = {.log_fd = -1};

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FUMEHOOD_ALLOCATION"), *log = getenv("FUMEHOOD_ALLOCATION_LOG");

    if (!text)
        return;
    plan.in_workers = strncmp(text, "worker:", 7) == 0;
    text += plan.in_workers ? 7 : 0;
    plan.from = strncmp(text, "from:", 5) == 0;
    plan.number = strtoul(text + 5, NULL, 10);
    plan.first = plan.counted = getpid();
    if (log) /* high: the standard three may be closed, and are others' */
        plan.log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    plan.started = true;
}

static bool fails(void)
{
    pid_t own = plan.started ? getpid() : 0;

    if (!plan.started || (own != plan.first) != plan.in_workers)
        return false;
    if (own != plan.counted) {
        plan.counted = own;
        plan.count = 0;
    }
    plan.count++;
    if (plan.number == 0 || (plan.from ? plan.count < plan.number : plan.count != plan.number))
        return false;
    errno = ENOMEM;
    return true;
}

/* A process that a fork made has no copy of the destructor's work to do: _exit() is where it ends. */
static void tell(void)
{
    char line[64];
    int length = snprintf(line, sizeof(line), "%d %lu\n", (int)getpid(), plan.count);

    if (plan.started && (getpid() != plan.first) == plan.in_workers && plan.log_fd >= 0)
        (void)!write(plan.log_fd, line, (size_t)length);
}

__attribute__((destructor)) static void end(void)
{
    tell();
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
    return __wrap_strndup(text, SIZE_MAX);
}

void __wrap__exit(int status)
{
    if (plan.started && getpid() != plan.first) {
        tell();
#if defined(__SANITIZE_ADDRESS__)
        if (__lsan_do_recoverable_leak_check()) /* a worker's end is not otherwise looked at */
            status = 99;
#endif
    }
    __real__exit(status);
}
