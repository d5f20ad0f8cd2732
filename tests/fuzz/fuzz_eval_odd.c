/* fuzz_eval_odd.c - JSON as Python writes it, spelled so that a strict reader takes it (odd_untrusted.c) */
#include "base/json.h"
#include "eval/odd.h"
#include "fuzz.h"
#include "judge/judge.h"
#include <stdlib.h>
#include <string.h>

static void check_strings(const json_t *value)
{
    AUTO_BUF struct base_buf bytes = {0};
    const char *text = json_string_value(value);

    if (!text)
        return;
    if (eval_odd_bytes(text, json_string_length(value), &bytes) < 0 || bytes.count > json_string_length(value))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_BUF struct base_buf spelled = {0}, again = {0};
    AUTO_JSON json_t *value = NULL, *odd = NULL;
    struct base_err err;
    const char *key;
    json_t *item;
    int r = eval_odd_spell((const char *)bytes, count, &spelled);

    if (r < 0 || (r == 0 && spelled.count > 0))
        abort();
    if (r == 0)
        return 0;
    if (judge_value_parse(spelled.bytes, spelled.count, "seed", 1, &value, &err) < 0 || !json_is_object(value))
        return 0;
    json_object_foreach(value, key, item) check_strings(item);
    if (eval_odd_settle(value, &odd) < 0 || json_object_size(odd) > json_object_size(value))
        abort();
    return 0;
}
