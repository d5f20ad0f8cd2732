/* seal.c - the hash that a receipt carries, and its link to the receipt before it */
#include "base/json.h"
#include "receipt/internal.h"

int receipt_body_hash(json_t *receipt, char ret_hex[BASE_HASH_HEX])
{
    (void)json_object_del(receipt, "sha256"); /* fails when it is not there, which is as good */
    return base_json_hash(receipt, ret_hex);
}

static json_t *link_to(const char *previous_hex)
{
    return previous_hex && previous_hex[0] != '\0' ? json_string(previous_hex) : json_null();
}

int receipt_seal(json_t *receipt, const char *previous_hex, char ret_hex[BASE_HASH_HEX], struct base_err *err)
{
    char hex[BASE_HASH_HEX];
    int r;

    if (!json_is_object(receipt))
        return base_err_set(err, BASE_E_INTERNAL, "receipt", "is not a JSON object");
    r = json_object_set_new(receipt, "previous_sha256", link_to(previous_hex)) < 0 ? BASE_E_NOMEM : 0;
    if (r == 0)
        r = receipt_body_hash(receipt, hex);
    if (r == 0 && json_object_set_new(receipt, "sha256", json_string(hex)) < 0)
        r = BASE_E_NOMEM;
    if (r < 0)
        return base_err_set(err, r, "receipt", "cannot be sealed: %s",
                            r == BASE_E_NOMEM ? "out of memory" : "it is too large");
    for (size_t i = 0; i < BASE_HASH_HEX; i++)
        ret_hex[i] = hex[i];
    return 0;
}
