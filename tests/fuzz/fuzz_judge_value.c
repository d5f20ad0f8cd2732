/* fuzz_judge_value.c - values of task sets */
#include "base/json.h"
#include "fuzz.h"
#include "judge/judge.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_JSON json_t *value = NULL, *again = NULL;
    AUTO_BUF struct base_buf text = {0};
    struct base_err err;

    if (judge_value_parse((const char *)bytes, count, "seed", 1, &value, &err) < 0)
        return 0;
    if (base_json_canonical(value, &text) < 0)
        return 0; /* a lone value is no document */
    if (!memmem(text.bytes, text.count, "\\u0001", 6) &&
        (judge_value_parse(text.bytes, text.count, "again", 1, &again, &err) < 0 || !json_equal(value, again)))
        abort();
    return 0;
}
