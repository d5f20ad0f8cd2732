/* attack.c - res-memory-page-tables
 *
 * Maps a huge range and reads one byte of every 2 MiB. All of it is the same page of zeros, which costs nothing, but
 * each piece needs a table in the kernel. Bare, it stops at 40 MiB of tables. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(void)
{
    unsigned long pieces = getenv("DRILL_CONTROL") ? 10240 : 1UL << 20;
    volatile char *range = mmap(NULL, pieces << 21, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    unsigned sum = 0;

    if (range == MAP_FAILED)
        return 0;
    (void)madvise((void *)range, pieces << 21, MADV_NOHUGEPAGE);
    for (unsigned long piece = 0; piece < pieces; piece++)
        sum += (unsigned char)range[piece << 21];
    printf("%lu tables, %u\n", pieces, sum);
    return 10;
}
