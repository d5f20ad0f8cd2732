/* fuzz_judge_head.c - the first lines of a candidate (head_untrusted.c) */
#include "fuzz.h"
#include "judge/head.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *code = malloc(count ? count : 1); /* exactly as large: a sanitizer sees the byte behind it */
    struct judge_head head;

    if (!code)
        abort();
    memcpy(code, bytes, count);
    judge_head_find(code, count, &head);
    if (head.end > count || (head.inside && head.end == 0))
        abort();
    if (count == 0 && judge_prompt_adds(code, count, "f"))
        abort();
    (void)judge_prompt_adds(code, count, "f");
    free(code);
    return 0;
}
