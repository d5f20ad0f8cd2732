/* fuzz_base_json.c - JSON text: parse, write canonically, parse again; and any bytes as a JSON string */
#include "base/json.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

static void check_round_trip(const json_t *json)
{
    AUTO_BUF struct base_buf first = {0}, second = {0};
    AUTO_JSON json_t *again = NULL;

    if (base_json_canonical(json, &first) < 0)
        abort();
    if (base_json_parse(first.bytes, first.count, "again", &again, NULL) < 0)
        abort();
    if (base_json_canonical(again, &second) < 0 || first.count != second.count ||
        memcmp(first.bytes, second.bytes, first.count) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_JSON json_t *json = NULL, *text = base_json_text((const char *)bytes, count);
    struct base_err err = {0};

    if (!text)
        abort();
    check_round_trip(text);
    if (base_json_parse((const char *)bytes, count, "seed", &json, &err) == 0)
        check_round_trip(json);
    else if (err.code >= 0)
        abort();
    return 0;
}
