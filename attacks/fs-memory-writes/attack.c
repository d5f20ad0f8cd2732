/* attack.c - maps files that it may only read, and writes to that memory by all ways around its protection
 *
 * Some famous faults of kernels were of this kind. If it worked, a program could change the toolchains that all others
 * run. In files that are not staged it writes the byte that stands there already. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;
static int reached;

static void caught(int sig)
{
    siglongjmp(back, sig);
}

static void result(const char *what, const char *path, int worked)
{
    printf("%s %s: %s\n", what, path, worked ? "reached" : strerror(errno));
    reached |= worked;
}

/* A write that faults is one that did not work. */
static void store(const char *what, const char *path, char *at)
{
    errno = EFAULT;
    if (sigsetjmp(back, 1) == 0) {
        *(volatile char *)at = *at;
        result(what, path, 1);
    } else {
        result(what, path, 0);
    }
}

static void attempt(const char *path)
{
    int fd = open(path, O_RDONLY), mem = open("/proc/self/mem", O_RDWR), wide = open(path, O_RDWR);
    char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    char *writable;

    if (wide >= 0) {
        writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, wide, 0);
        if (writable != MAP_FAILED) {
            *writable = getenv("DRILL_CONTROL") ? '#' : *writable;
            result("store", path, 1);
        }
    }
    if (fd < 0 || shared == MAP_FAILED) {
        result("map", path, 0);
        return;
    }
    writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    result("map for writing", path, writable != MAP_FAILED);
    result("make writable", path, mprotect(shared, 4096, PROT_READ | PROT_WRITE) == 0);
    result("through /proc/self/mem", path, pwrite(mem, shared, 1, (off_t)(size_t)shared) == 1);
    store("store", path, shared);
    result("map anew", path,
           mremap(shared, 4096, 8192, MREMAP_MAYMOVE) != MAP_FAILED && mprotect(shared, 4096, PROT_WRITE) == 0);
    (void)close(fd);
    (void)close(mem);
}

int main(int argc, char **argv)
{
    static const char *const readable[] = {"/usr/bin/env", "/etc/passwd", "/etc/ld.so.cache",
                                           "/lib64/ld-linux-x86-64.so.2"};

    (void)signal(SIGSEGV, caught);
    (void)signal(SIGBUS, caught);
    if (argc < 2)
        return 1;
    attempt(argv[1]);
    if (getenv("DRILL_CONTROL"))
        return reached ? 10 : 0;
    for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
        attempt(readable[i]);
    return reached ? 10 : 0;
}
