/* yaml.c - JSON values printed as YAML for people
 *
 * Text is bare where it is a simple word and else in double quotes as in JSON, which is YAML too.
 */

#include "front/cli/yaml.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "10s", "512MiB": text for every reader of YAML, a number for none. */
static bool is_quantity(const char *text)
{
    size_t digits = strspn(text, "0123456789"), unit = strspn(text + digits, "smhBkKMGi");

    return digits > 0 && text[0] != '0' && unit > 0 && text[digits + unit] == '\0';
}

static bool is_simple(const char *text)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-./";
    /* words that other readers of YAML take for truth values or nothing */
    static const char *const taken[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};

    for (size_t i = 0; i < ARRAY_COUNT(taken); i++)
        if (strcasecmp(text, taken[i]) == 0)
            return false;
    return is_quantity(text) || (*text && strchr(first, *text) && text[strspn(text, more)] == 0);
}

static int append_scalar(struct base_buf *buf, const json_t *json)
{
    AUTO_FREE char *text = NULL;

    if (json_is_string(json) && strlen(json_string_value(json)) == json_string_length(json) &&
        is_simple(json_string_value(json)))
        return base_buf_text(buf, json_string_value(json));
    text = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
    return text ? base_buf_text(buf, text) : BASE_E_NOMEM;
}

static int append_value(struct base_buf *buf, const json_t *json, unsigned depth);

static int append_key(struct base_buf *buf, const char *key, unsigned depth)
{
    if (is_simple(key))
        return base_buf_printf(buf, "%*s%s:", (int)(2 * depth), "", key);
    AUTO_JSON json_t *text = json_string(key);
    int r = base_buf_printf(buf, "%*s", (int)(2 * depth), "");
    if (r >= 0)
        r = text ? append_scalar(buf, text) : BASE_E_NOMEM;
    return r < 0 ? r : base_buf_text(buf, ":");
}

static int append_map(struct base_buf *buf, const json_t *map, unsigned depth)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)map, key, value)
    {
        int r = append_key(buf, key, depth);
        if (r >= 0)
            r = append_value(buf, value, depth + 1);
        if (r < 0)
            return r;
    }
    return 0;
}

static int append_list(struct base_buf *buf, const json_t *list, unsigned depth)
{
    size_t index;
    json_t *value;

    json_array_foreach(list, index, value)
    {
        int r = base_buf_printf(buf, "%*s-", (int)(2 * depth), "");
        if (r >= 0)
            r = append_value(buf, value, depth + 1);
        if (r < 0)
            return r;
    }
    return 0;
}

/* What follows "key:" or "-": a scalar on the same line, or a block below it. */
static int append_value(struct base_buf *buf, const json_t *json, unsigned depth)
{
    bool block = (json_is_object(json) && json_object_size(json)) || (json_is_array(json) && json_array_size(json));
    int r = base_buf_text(buf, block ? "\n" : " ");

    if (r < 0)
        return r;
    if (block)
        return json_is_object(json) ? append_map(buf, json, depth) : append_list(buf, json, depth);
    r = append_scalar(buf, json);
    return r < 0 ? r : base_buf_text(buf, "\n");
}

int cli_yaml_append(struct base_buf *buf, const json_t *json)
{
    return json_is_object(json) ? append_map(buf, json, 0) : append_list(buf, json, 0);
}
