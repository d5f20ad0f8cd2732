/* hash.h - SHA-256, hexadecimal, random names (nettle and the kernel) */
#pragma once

#include "base/err.h"
#include <nettle/sha2.h>
#include <stddef.h>

#define BASE_HASH_BYTES 32
#define BASE_HASH_HEX   65 /* with the NUL */

/* A running hash, for streams. A value: copy it freely. */
struct base_hash {
    struct sha256_ctx state;
};
void base_hash_init(struct base_hash *hash);
void base_hash_update(struct base_hash *hash, const void *bytes, size_t count);

/* Finish a copy of @hash, so that the stream can go on. */
void base_hash_hex(const struct base_hash *hash, char ret_hex[BASE_HASH_HEX]);

/* The hash of one piece. */
void base_hash_bytes_hex(const void *bytes, size_t count, char ret_hex[BASE_HASH_HEX]);

/* @hex_chars (without the NUL) random hexadecimal digits from the kernel. BASE_E_SETUP when it gives none; the text is
 * then empty. */
int base_random_hex(char *ret_hex, size_t hex_chars, struct base_err *err);
