/* json_untrusted.c - parse one JSON text
 *
 * The bytes may come from anybody. jansson bounds the depth (2048) and checks UTF-8; duplicate keys are refused here,
 * since readers disagree on which of two counts.
 */
#include "base/json.h"
#include <stdio.h>

int base_json_parse(const char *bytes, size_t count, const char *place, json_t **ret_json, struct base_err *err)
{
    json_error_t error;
    char where[256];
    json_t *json = json_loadb(bytes, count, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);

    if (json) {
        *ret_json = json;
        return 0;
    }
    (void)snprintf(where, sizeof(where), "%s:%d:%d", place, error.line > 0 ? error.line : 1,
                   error.column > 0 ? error.column : 1);
    if (json_error_code(&error) == json_error_out_of_memory)
        return base_err_set(err, BASE_E_NOMEM, where, "out of memory");
    return base_err_set(err, BASE_E_INVALID, where, "not valid JSON: %s", error.text);
}
