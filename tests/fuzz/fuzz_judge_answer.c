/* fuzz_judge_answer.c - values from guests */
#include "base/json.h"
#include "fuzz.h"
#include "judge/judge.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const wanted[] = {
        "5", "5.0", "{}", "[[1],{\"a\":null}]", "\"x\"", "123456789012345678901234567890"};
    AUTO_ANSWER struct judge_answer *answer = NULL;
    struct base_err err;
    char how[200];

    if (judge_answer_read((const char *)bytes, count, &answer, &err) < 0) {
        if (!*err.what || answer)
            abort();
        return 0;
    }
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        AUTO_JSON json_t *want = NULL;
        if (judge_value_parse(wanted[i], strlen(wanted[i]), "want", 1, &want, &err) < 0)
            abort();
        if (judge_answer_equal(answer, want, &judge_tolerance_default, how, sizeof(how)) != (*how == '\0'))
            abort();
        if (!base_json_is_utf8(how, strlen(how)))
            abort();
    }
    return 0;
}
