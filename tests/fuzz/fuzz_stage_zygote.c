/* fuzz_stage_zygote.c - any program: forks of a zygote are only those that say nothing against it */

#include "fuzz.h"
#include "stage/stage.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct stage_runtime *runtime;
    struct stage_program program = {.bytes = (const char *)data, .count = size};
    char why[STAGE_COLD_BYTES];

    if (stage_runtime_find("python", &runtime, NULL) < 0)
        abort();
    program.runtime = runtime;
    if (stage_program_is_cold(&program, why) != (why[0] != 0) || strlen(why) >= sizeof(why))
        abort();
    if (!why[0] && (memchr(data, 0, size) || memmem(data, size, "getppid", 7)))
        abort();
    return 0;
}
