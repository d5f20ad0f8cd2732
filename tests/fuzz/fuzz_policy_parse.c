/* fuzz_policy_parse.c - policy documents; what is accepted must survive its own canonical form */
#include "base/json.h"
#include "fuzz.h"
#include "policy/policy.h"
#include <stdlib.h>
#include <string.h>

static void check_round_trip(const struct policy *policy)
{
    AUTO_JSON json_t *json = policy_json(policy);
    AUTO_BUF struct base_buf text = {0};
    AUTO_POLICY struct policy again = {0};
    char first[BASE_HASH_HEX], second[BASE_HASH_HEX];

    if (!json || base_json_canonical(json, &text) < 0)
        abort();
    if (policy_parse(text.bytes, text.count, "again", &again, NULL) < 0)
        abort();
    if (policy_hash(policy, first, NULL) < 0 || policy_hash(&again, second, NULL) < 0 || strcmp(first, second) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_POLICY struct policy policy = {0};
    struct base_err err = {0};

    if (policy_parse((const char *)bytes, count, "seed", &policy, &err) == 0)
        check_round_trip(&policy);
    else if (err.code >= 0)
        abort();
    return 0;
}
