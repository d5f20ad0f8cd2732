/* call.c - what a driver needs for one call */

#include "base/cleanup.h"
#include "base/embedded.h"
#include "base/json.h"
#include "judge/judge.h"
#include "judge/value.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern const struct base_embedded judge_drivers[]; /* made by the build from src/judge/drivers/ */

static struct judge_driver drivers[] = {
    {"python", "call.py", "candidate.py", NULL, 0},
    {"node", "call.js", "candidate.js", NULL, 0},
};

const struct judge_driver *judge_driver_find(const char *runtime)
{
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++) {
        if (strcmp(drivers[i].runtime, runtime) != 0)
            continue;
        for (const struct base_embedded *file = judge_drivers; file->name; file++)
            if (strcmp(file->name, drivers[i].program) == 0) {
                drivers[i].bytes = file->bytes;
                drivers[i].count = file->count;
            }
        return &drivers[i];
    }
    return NULL;
}

bool judge_name_ok(const char *name)
{
    if (!*name || isdigit((unsigned char)*name))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* JavaScript's numbers are exact up to here only. */
#define NODE_INTEGER_MAX 9007199254740991

static json_t *big(json_int_t number)
{
    char digits[32];

    (void)snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, number);
    return json_pack("{s:s}", JUDGE_BIG_KEY, digits);
}

/* A copy in which integers that a number of JavaScript cannot hold are spelled as digits. Depth was bounded on load. */
static json_t *spell_wide(const json_t *value)
{
    json_t *copy;
    const char *key;
    json_t *item;

    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        return number > NODE_INTEGER_MAX || number < -NODE_INTEGER_MAX ? big(number) : json_integer(number);
    }
    if (json_is_array(value)) {
        copy = json_array();
        for (size_t i = 0; copy && i < json_array_size(value); i++)
            if (json_array_append_new(copy, spell_wide(json_array_get(value, i))) < 0) {
                json_decref(copy);
                return NULL;
            }
        return copy;
    }
    if (!json_is_object(value))
        return json_copy((json_t *)value); /* takes no const, changes nothing */
    copy = json_object();
    json_object_foreach((json_t *)value, key, item) if (!copy || json_object_set_new(copy, key, spell_wide(item)) < 0)
    {
        json_decref(copy);
        return NULL;
    }
    return copy;
}

int judge_call_write(const struct judge_call *call, const struct judge_driver *driver, const char *nonce,
                     struct base_buf *buf, struct base_err *err)
{
    bool wide = strcmp(driver->runtime, "node") == 0;
    AUTO_JSON json_t *args = wide ? spell_wide(call->args) : json_incref((json_t *)call->args);
    AUTO_JSON json_t *given = NULL;
    int r;

    if (args)
        given = json_pack("{s:s, s:O, s:s, s:s}", "entry_point", call->entry_point, "args", args, "answer",
                          call->report_args ? "input" : "value", "nonce", nonce);
    if (!given)
        return base_err_set(err, BASE_E_NOMEM, JUDGE_CASE_FILE, "out of memory");
    r = base_json_canonical(given, buf);
    return r < 0 ? base_err_set(err, r, JUDGE_CASE_FILE, "the case is too large") : 0;
}
