/* json.h - what jansson does not do: canonical text, bytes that are not text, errors with a place */
#pragma once

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/hash.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

static inline void base_json_cleanup(json_t **json)
{
    json_decref(*json);
}
#define AUTO_JSON CLEANUP(base_json_cleanup)

/* Parse one JSON text; duplicate keys are refused, and what takes more than json_bound.h says is BASE_E_TOO_LARGE.
 * Errors carry "PLACE:LINE:COLUMN". Foreign bytes: has a fuzzer. */
int base_json_parse(const char *bytes, size_t count, const char *place, json_t **ret_json, struct base_err *err);

/* json_loadb(), which keeps quiet about memory and takes any amount of it: NULL with BASE_E_NOMEM, BASE_E_TOO_LARGE or
 * BASE_E_INVALID in *@ret_code. Foreign bytes: has a fuzzer. */
json_t *base_json_load(const char *bytes, size_t count, size_t flags, json_error_t *ret_error, int *ret_code);

/* Add to a list or an object that is being made; takes @value. Where that fails, the list or object becomes NULL and
 * stays so: what lost a part is never taken for the whole. */
void base_json_add(json_t **list, json_t *value);
void base_json_put(json_t **object, const char *key, json_t *value);

/* Append the canonical form: keys sorted, compact, UTF-8, one line, no newline at the end. */
int base_json_canonical(const json_t *json, struct base_buf *buf);

/* How JSON writes a character that has an escape of two characters; NULL for any other. */
const char *base_json_escape(unsigned char c);

/* SHA-256 of the canonical form. */
int base_json_hash(const json_t *json, char ret_hex[BASE_HASH_HEX]);

/* A JSON string of bytes that may not be UTF-8: each byte that is not becomes U+FFFD. New reference, NULL without
 * memory. */
json_t *base_json_text(const char *bytes, size_t count);

/* How many of the bytes, from the start, base_json_text() can take so that the JSON text of it, without its quotes, has
 * at most @room bytes; never a part of a character. */
size_t base_json_text_fits(const char *bytes, size_t count, size_t room);

/* True when all of it is valid UTF-8 (NUL is allowed: JSON can carry it). */
bool base_json_is_utf8(const char *bytes, size_t count);

/* Standard base64 with padding. New reference. */
json_t *base_json_base64(const void *bytes, size_t count);
