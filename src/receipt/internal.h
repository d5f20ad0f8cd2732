/* internal.h - what the files of this room share; not for others */
#pragma once

#include "receipt/receipt.h"

#define RECEIPT_SCHEMA         "fumehood.receipt/1"
#define RECEIPT_LINE_MAX_BYTES ((size_t)256 << 20)

/* 64 lower-case hexadecimal digits. */
bool receipt_is_hash(const char *text);

/* SHA-256 of the canonical form of @receipt without its field "sha256", which is taken out. */
int receipt_body_hash(json_t *receipt, char ret_hex[BASE_HASH_HEX]);

/* Check one receipt for itself and that it follows @head ("" for the first). Returns 1 with its hash in @head, or 0
 * with
 * @why; negative without memory. @receipt loses its field "sha256". */
int receipt_check(json_t *receipt, char head[BASE_HASH_HEX], char *why, size_t why_bytes);
