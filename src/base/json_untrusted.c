/* json_untrusted.c - parse one JSON text
 *
 * The bytes may come from anybody. Levels and memory are bounded before jansson sees them, which checks UTF-8;
 * duplicate keys are refused here, since readers disagree on which of two counts.
 */
#include "base/json.h"
#include "base/json_bound.h"
#include "base/json_memory.h"
#include <limits.h>
#include <stdio.h>

static int refuse_costly(const char *bytes, size_t count, json_error_t *ret_error)
{
    struct base_json_bound bound;
    int r = base_json_bound(bytes, count, BASE_JSON_MEMORY_MAX_BYTES, &bound);

    if (r == 0)
        return 0;
    *ret_error = (json_error_t){.position = (int)(bound.at < INT_MAX ? bound.at : INT_MAX)};
    base_json_bound_place(bytes, &bound, &ret_error->line, &ret_error->column);
    base_json_bound_text(&bound, BASE_JSON_MEMORY_MAX_BYTES, ret_error->text, sizeof(ret_error->text));
    return r;
}

json_t *base_json_load(const char *bytes, size_t count, size_t flags, json_error_t *ret_error, int *ret_code)
{
    json_t *json;

    *ret_code = refuse_costly(bytes, count, ret_error);
    if (*ret_code < 0)
        return NULL;
    base_json_memory_use();
    (void)base_json_memory_was_short();
    json = json_loadb(bytes, count, flags, ret_error);
    /* Then jansson mostly says that the text is no JSON, and sometimes loses a character of a string and says nothing.
     * Neither may be taken for what the text is. */
    *ret_code = base_json_memory_was_short() ? BASE_E_NOMEM : json ? 0 : BASE_E_INVALID;
    if (*ret_code == 0)
        return json;
    json_decref(json);
    return NULL;
}

int base_json_parse(const char *bytes, size_t count, const char *place, json_t **ret_json, struct base_err *err)
{
    json_error_t error;
    char where[256];
    int r;
    json_t *json = base_json_load(bytes, count, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error, &r);

    if (json) {
        *ret_json = json;
        return 0;
    }
    (void)snprintf(where, sizeof(where), "%s:%d:%d", place, error.line > 0 ? error.line : 1,
                   error.column > 0 ? error.column : 1);
    if (r == BASE_E_NOMEM)
        return base_err_set(err, r, place, "out of memory");
    return base_err_set(err, r, where, "%s%s", r == BASE_E_INVALID ? "not valid JSON: " : "", error.text);
}
