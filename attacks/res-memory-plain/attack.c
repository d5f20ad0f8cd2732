/* attack.c - res-memory-plain
 *
 * Takes memory by malloc, by mapping and by growing a mapping, and writes to every page. Bare, it stops at 64 MiB:
 * twice what it may have in the cage, where swap must not help either. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STEP (1UL << 20)

int main(void)
{
    int bare = getenv("DRILL_CONTROL") != NULL;
    size_t size = STEP;
    char *growing = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (unsigned mib = 0; growing != MAP_FAILED; mib += 3) {
        char *block = malloc(STEP), *map = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!block || map == MAP_FAILED)
            break;
        memset(block, (int)mib + 1, STEP);
        memset(map, (int)mib + 1, STEP);
        growing = mremap(growing, size, size + STEP, MREMAP_MAYMOVE);
        size += STEP;
        if (growing != MAP_FAILED)
            memset(growing + size - STEP, (int)mib + 1, STEP);
        if (bare && mib >= 64)
            return 10;
    }
    printf("refused\n");
    return 0;
}
