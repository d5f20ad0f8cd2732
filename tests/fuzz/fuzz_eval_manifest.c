/* fuzz_eval_manifest.c - an eval.json that somebody may have written into */
#include "eval/manifest.h"
#include "fuzz.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const struct eval_manifest manifest = {"t", "c", "p", "slot"};
    struct base_err err = {0};
    int r = eval_manifest_check((const char *)bytes, count, "seed", &manifest, &err);

    if (r < 0 && err.code != r)
        abort();
    return 0;
}
