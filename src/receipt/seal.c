/* seal.c - the hash that a receipt carries, and its link to the receipt before it */
#include "base/json.h"
#include "receipt/internal.h"
#include <string.h>

int receipt_body_hash(json_t *receipt, char ret_hex[BASE_HASH_HEX])
{
    (void)json_object_del(receipt, "sha256"); /* fails when it is not there, which is as good */
    return base_json_hash(receipt, ret_hex);
}

static json_t *link_to(const char *previous_hex)
{
    return previous_hex && previous_hex[0] != '\0' ? json_string(previous_hex) : json_null();
}

/* A seal is written as zeros first, hashed around, and then filled in: one walk through the receipt instead of two. No
 * hash of anything is all zeros, and in a string of the guest's the quotes would be escaped. */
#define ZEROS  "0000000000000000000000000000000000000000000000000000000000000000"
#define MEMBER "\"sha256\":\"" ZEROS "\""

/* The hash of what stands from @start without the member at @at, and without the comma that parted it from its
 * neighbour. */
static void hash_around(const struct base_buf *lines, size_t start, const char *at, char ret_hex[BASE_HASH_HEX])
{
    const char *after = at + strlen(MEMBER);
    struct base_hash hash;

    if (*after == ',')
        after++;
    else if (at[-1] == ',')
        at--;
    base_hash_init(&hash);
    base_hash_update(&hash, lines->bytes + start, (size_t)(at - lines->bytes) - start);
    base_hash_update(&hash, after, (size_t)(lines->bytes + lines->count - after));
    base_hash_hex(&hash, ret_hex);
}

static int seal(json_t *receipt, const char *previous_hex, struct base_buf *lines, char hex[BASE_HASH_HEX])
{
    size_t start = lines->count;
    char *at;
    int r;

    if (json_object_set_new(receipt, "previous_sha256", link_to(previous_hex)) < 0 ||
        json_object_set_new(receipt, "sha256", json_string(ZEROS)) < 0)
        return BASE_E_NOMEM;
    r = base_json_canonical(receipt, lines);
    if (r < 0)
        return r;
    at = memmem(lines->bytes + start, lines->count - start, MEMBER, strlen(MEMBER));
    if (!at)
        return BASE_E_INTERNAL;
    hash_around(lines, start, at, hex);
    memcpy(at + strlen("\"sha256\":\""), hex, BASE_HASH_HEX - 1);
    if (json_object_set_new(receipt, "sha256", json_string(hex)) < 0)
        return BASE_E_NOMEM;
    return base_buf_append(lines, "\n", 1);
}

int receipt_seal(json_t *receipt, const char *previous_hex, struct base_buf *lines, char ret_hex[BASE_HASH_HEX],
                 struct base_err *err)
{
    size_t before = lines->count;
    char hex[BASE_HASH_HEX];
    int r;

    if (!json_is_object(receipt))
        return base_err_set(err, BASE_E_INTERNAL, "receipt", "is not a JSON object");
    r = seal(receipt, previous_hex, lines, hex);
    if (r < 0) {
        base_buf_cut(lines, before);
        return base_err_set(err, r, "receipt", "cannot be sealed: %s",
                            r == BASE_E_NOMEM ? "out of memory" : "it is too large");
    }
    memcpy(ret_hex, hex, BASE_HASH_HEX);
    return 0;
}
