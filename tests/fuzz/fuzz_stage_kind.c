/* fuzz_stage_kind.c - any first bytes of a program file */

#include "fuzz.h"
#include "stage/kind_untrusted.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char interpreter[STAGE_INTERPRETER_BYTES];
    enum stage_kind kind = stage_kind_of((const char *)data, size, interpreter);

    if (strlen(interpreter) >= sizeof(interpreter) || strchr(interpreter, '/') ||
        (kind != STAGE_KIND_SCRIPT && *interpreter))
        abort();
    return 0;
}
