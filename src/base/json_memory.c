/* json_memory.c - blocks that JSON values give up are kept for the next ones
 *
 * Lists of free blocks, one for each size of few bytes. Each block is malloc()'s, and its size is known to that: so it
 * does not matter when this begins, nor who frees what.
 */
#include "base/json_memory.h"
#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>

/* Sizes as malloc() has them: a multiple of 16, and 8 more. */
#define STEP_BYTES  16
#define SIZES       16
#define BLOCKS_MAX  1024 /* of a size */
#define SMALL_BYTES (STEP_BYTES * SIZES + 8)

struct block {
    struct block *next;
};

static struct {
    struct block *first;
    unsigned count;
} kept[SIZES];
static bool keeps, was_short;

/* Of the blocks that have room for @bytes. */
static size_t size_for(size_t bytes)
{
    return bytes <= STEP_BYTES + 8 ? 0 : (bytes - 8 - 1) / STEP_BYTES;
}

static size_t size_of(void *memory)
{
    size_t bytes = malloc_usable_size(memory);

    return bytes < STEP_BYTES + 8 ? SIZES : (bytes - 8) / STEP_BYTES - 1;
}

static void *take(size_t size)
{
    struct block *block = kept[size].first;

    if (!block)
        return malloc((size + 1) * STEP_BYTES + 8);
    kept[size].first = block->next;
    kept[size].count--;
    return block;
}

static void *allocate(size_t bytes)
{
    void *memory = keeps && bytes <= SMALL_BYTES ? take(size_for(bytes)) : malloc(bytes);

    was_short = was_short || !memory;
    return memory;
}

static void release(void *memory)
{
    size_t size = keeps && memory ? size_of(memory) : SIZES;
    struct block *block = memory;

    if (size >= SIZES || kept[size].count == BLOCKS_MAX) {
        free(memory);
        return;
    }
    block->next = kept[size].first;
    kept[size].first = block;
    kept[size].count++;
}

void base_json_memory_use(void)
{
    json_set_alloc_funcs(allocate, release);
}

void base_json_memory_keep(void)
{
#if !defined(__SANITIZE_ADDRESS__) /* which is to see who uses what was given up */
    keeps = true;
#endif
    base_json_memory_use();
}

bool base_json_memory_was_short(void)
{
    bool was = was_short;

    was_short = false;
    return was;
}
