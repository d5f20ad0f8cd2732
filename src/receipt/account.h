/* account.h - what is accounted for: results, receipts, objects and the summary as sets
 *
 * Side by side reading (results_untrusted.c) finds a result that its own receipt does not bear out. This finds what is
 * missing, double or of another row: it is told of each receipt and each result once, keeps some facts a row, and
 * compares the sets at the end. Whether somebody verifies or goes on with --resume, it is the same.
 */
#pragma once

#include "receipt/internal.h"

struct receipt_account;

/* An empty one, NULL without memory. */
struct receipt_account *receipt_account_new(void);
void receipt_account_free(struct receipt_account *account);

/* Lines in the order of their files. Both return 1, 0 with @why, or BASE_E_NOMEM. A receipt without an "eval" that says
 * which row it is of is passed over, and so is such a result of a run: the latter must be as its receipt. */
int receipt_account_receipt(struct receipt_account *account, const json_t *receipt, unsigned long line, char *why,
                            size_t why_bytes);
int receipt_account_result(struct receipt_account *account, const json_t *result, unsigned long line, char *why,
                           size_t why_bytes);

/* What must lie in the objects: 1, or BASE_E_NOMEM. *@ret_known: it was noted before, with these bytes. */
struct receipt_object {
    char sha256[BASE_HASH_HEX];
    uint64_t bytes;
};
int receipt_account_object(struct receipt_account *account, const char *sha256, struct receipt_object **ret_object,
                           bool *ret_known);
const struct receipt_object *receipt_account_find_object(const struct receipt_account *account, const char *sha256);

/* The end of both files. Returns 1, or 0 with @why of *@ret_line of the results (*@ret_in_results) or of the receipts.
 * @whole: also a row that is not done yet is wrong. */
int receipt_account_end(const struct receipt_account *account, bool whole, bool *ret_in_results,
                        unsigned long *ret_line, char *why, size_t why_bytes);

/* Is @summary what the rows come to, and of the evaluation that @manifest (eval.json) says? @head: sha256 of the last
 * of
 * @receipts. Returns 1, 0 with @why, or BASE_E_NOMEM. */
int receipt_account_summary(const struct receipt_account *account, const json_t *summary, const json_t *manifest,
                            unsigned long receipts, const char *head, char *why, size_t why_bytes);

/* Is @manifest the one of which the receipts say they are? 1, 0 with @why, or BASE_E_NOMEM. */
int receipt_account_manifest(const struct receipt_account *account, const json_t *manifest, char *why,
                             size_t why_bytes);

/* The eval.json that the receipts name, "" where they name none. */
const char *receipt_account_evaluation(const struct receipt_account *account);

/* Was there any receipt of an evaluation? */
bool receipt_account_any(const struct receipt_account *account);
