/* attack.c - searches its memory, the one that it was given and the one that it asks for, for its starter's secret
 *
 * A process begins as a copy of its starter. If something of that were left over (environment, stack, shared pages),
 * the starter's keys would be in it. The word that it looks for is first wiped from its own arguments. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONGEST 256
static unsigned char hidden[LONGEST];
static size_t count;

/* Compares without ever having the word itself in memory. */
static int is_there(const unsigned char *at)
{
    for (size_t i = 0; i < count; i++)
        if ((at[i] ^ 0x5a) != hidden[i])
            return 0;
    return 1;
}

static int search(const unsigned char *from, size_t bytes)
{
    for (size_t i = 0; i + count <= bytes; i++)
        if (is_there(from + i))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    int mem = open("/proc/self/mem", O_RDONLY), reached = 0, parts = 0;
    static unsigned char bytes[1 << 20];
    char line[512];

    if (argc < 2 || !maps || mem < 0 || (count = strlen(argv[1])) >= LONGEST || count < 8)
        return 77;
    for (size_t i = 0; i < count; i++) {
        hidden[i] = (unsigned char)argv[1][i] ^ 0x5a;
        ((volatile char *)argv[1])[i] = 0;
    }
    while (fgets(line, sizeof(line), maps)) {
        uintptr_t from = (uintptr_t)strtoull(line, NULL, 16), to = (uintptr_t)strtoull(strchr(line, '-') + 1, NULL, 16);
        for (uintptr_t at = from; at < to; at += sizeof(bytes) - LONGEST) {
            size_t want = to - at < sizeof(bytes) ? to - at : sizeof(bytes);
            ssize_t got = pread(mem, bytes, want, (off_t)at);
            parts++;
            if (got > 0 && search(bytes, (size_t)got)) {
                printf("reached: in %s", line);
                reached = 1;
            }
            memset(bytes, 0, sizeof(bytes));
        }
    }
    for (int i = 0; i < 32; i++) { /* fresh memory must be empty */
        unsigned char *fresh = mmap(NULL, sizeof(bytes), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        reached |= fresh != MAP_FAILED && search(fresh, sizeof(bytes));
    }
    printf("%d parts, %s\n", parts, reached ? "found" : "nothing");
    return reached ? 10 : 0;
}
