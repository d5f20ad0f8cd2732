/* internal.h - what the files of this room share; not for others */
#pragma once

#include "receipt/receipt.h"

#define RECEIPT_SCHEMA "fumehood.receipt/1"

#define RECEIPT_RESULT_MAX_BYTES ((size_t)1 << 20)

/* 64 lower-case hexadecimal digits. */
bool receipt_is_hash(const char *text);

/* Put a clause into @why. Returns 0, which is what a check says of a wrong thing. */
int receipt_wrong(char *why, size_t why_bytes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* SHA-256 of the canonical form of @receipt without its field "sha256", which is taken out. */
int receipt_body_hash(json_t *receipt, char ret_hex[BASE_HASH_HEX]);

/* Check one receipt for itself and that it follows @head ("" for the first). Returns 1 with its hash in @head, or 0
 * with @why; negative without memory. @receipt loses its field "sha256". */
int receipt_check(json_t *receipt, char head[BASE_HASH_HEX], char *why, size_t why_bytes);

/* The results that belong to a file of receipts, read side by side with it, and told to @account. What ends behind the
 * first @bytes_max bytes is not looked at. Foreign bytes: has a fuzzer. */
struct receipt_results;
struct receipt_account;
struct receipt_source {
    int dir_fd; /* -1: the file is @path, whatever that leads to; else results.jsonl in this folder */
    const char *path;
};
int receipt_results_open(const struct receipt_source *source, uint64_t bytes_max, struct receipt_account *account,
                         struct receipt_results **ret_results, struct base_err *err);

/* Be told of each result that is right so far: 1, 0 with @why, or BASE_E_NOMEM. */
typedef int (*receipt_result_fn)(void *context, const json_t *result, char *why, size_t why_bytes);
void receipt_results_each(struct receipt_results *results, receipt_result_fn found, void *context);

/* The result of @receipt's run, if the next one is. Returns 1 when it is right or not there, 0 with @why, or an error.
 */
int receipt_results_match(struct receipt_results *results, const json_t *receipt, char *why, size_t why_bytes,
                          struct base_err *err);

/* There may be no more results of runs: 1, 0 with @why, or an error. */
int receipt_results_end(struct receipt_results *results, char *why, size_t why_bytes, struct base_err *err);
unsigned long receipt_results_right(const struct receipt_results *results);
unsigned long receipt_results_line(const struct receipt_results *results); /* the one that was read last */
void receipt_results_close(struct receipt_results *results);
