/* policy_text.c - a policy as the YAML that people read, write and keep */

#include "front/cli/policy_text.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "front/cli/yaml.h"
#include <stdio.h>

/* For people a limit has its unit, as they write it; what is read back is the same. */
static int show_units(const struct policy *policy, json_t *json)
{
    json_t *limits = json_object_get(json, "limits");
    char name[64], text[32];

    for (int i = 0; i < POLICY_LIMIT_MAX; i++) {
        enum policy_limit_key key = (enum policy_limit_key)i;
        const struct policy_limit *limit = &policy->limits[key];

        if (limit->unlimited || policy_limit_unit(key) == BASE_UNIT_COUNT)
            continue;
        (void)snprintf(name, sizeof(name), "%s%s", policy_limit_name(key), limit->if_available ? "_if_available" : "");
        (void)base_units_text(limit->value, policy_limit_unit(key), text, sizeof(text));
        if (json_object_set_new(limits, name, json_string(text)) < 0)
            return BASE_E_NOMEM;
    }
    return 0;
}

int cli_policy_text(const struct policy *policy, struct base_buf *text, struct base_err *err)
{
    AUTO_JSON json_t *json = policy_json(policy);

    if (!json || show_units(policy, json) < 0 || cli_yaml_append(text, json) < 0)
        return base_err_set(err, BASE_E_NOMEM, policy->name, "out of memory");
    return 0;
}
