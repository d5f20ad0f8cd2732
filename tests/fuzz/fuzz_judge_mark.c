/* fuzz_judge_mark.c - what a guest writes to its private descriptor */
#include "fuzz.h"
#include "judge/judge.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct judge_mark mark;

    judge_mark_read((const char *)bytes, count, "0123456789abcdef0123456789abcdef", &mark);
    if ((unsigned)mark.said >= JUDGE_SAID_MAX || strnlen(mark.reason, sizeof(mark.reason)) == sizeof(mark.reason))
        abort();
    if ((mark.said == JUDGE_SAID_VALUE) != (mark.value != NULL))
        abort();
    if (mark.value &&
        (mark.value < (const char *)bytes || mark.value + mark.value_count >= (const char *)bytes + count))
        abort(); /* the newline stands behind it */
    return 0;
}
