/* fuzz_judge_mark.c - what a guest writes to its private descriptor */
#include "fuzz.h"
#include "judge/judge.h"
#include <stdlib.h>
#include <string.h>

static void read_as(const char *bytes, size_t count, enum judge_kind kind)
{
    struct judge_mark mark;

    judge_mark_read(bytes, count, kind, "0123456789abcdef0123456789abcdef", &mark);
    if ((unsigned)mark.said >= JUDGE_SAID_MAX || strnlen(mark.reason, sizeof(mark.reason)) == sizeof(mark.reason))
        abort();
    if (mark.said != JUDGE_SAID_NOTHING && !judge_kind_speaks(kind))
        abort();
    if ((mark.said == JUDGE_SAID_VALUE) != (mark.value != NULL))
        abort();
    if (mark.value && (mark.value < bytes || mark.value + mark.value_count >= bytes + count))
        abort(); /* the newline stands behind it */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    for (int kind = 0; kind < JUDGE_KIND_MAX; kind++)
        read_as((const char *)bytes, count, (enum judge_kind)kind);
    return 0;
}
