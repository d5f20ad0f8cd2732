/* fuzz_base_json_bound.c - what reading a JSON text is said to take, against what it takes (json_bound_untrusted.c)
 *
 * Everything that jansson asks of the allocator is counted, with the allocator's own overhead: by how much it may grow
 * is a count, not a time or a size that a machine reports.
 */
#include "base/json.h"
#include "base/json_bound.h"
#include "fuzz.h"
#include <malloc.h>
#include <stdlib.h>

#define HEAD_BYTES 8 /* of glibc's allocator, in front of each block */

static size_t taken, most;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);

    if (memory)
        taken += malloc_usable_size(memory) + HEAD_BYTES;
    if (taken > most)
        most = taken;
    return memory;
}

static void release(void *memory)
{
    if (memory)
        taken -= malloc_usable_size(memory) + HEAD_BYTES;
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct base_json_bound bound, half;
    json_error_t error;
    json_t *json;

    if (base_json_bound((const char *)bytes, count, SIZE_MAX, &bound) < 0) {
        if (bound.levels <= BASE_JSON_LEVELS_MAX || bound.at >= count)
            abort();
        return 0;
    }
    if (base_json_bound((const char *)bytes, count, bound.memory_bytes / 2, &half) == 0 && bound.memory_bytes > 4096)
        abort();
    json_set_alloc_funcs(allocate, release);
    taken = most = 0;
    json = json_loadb((const char *)bytes, count, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    json_decref(json);
    if (most > bound.memory_bytes || taken != 0)
        abort();
    return 0;
}
