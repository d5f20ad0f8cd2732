/* receipt.h - the chain of evidence: seal, append, verify
 *
 * A receipt is one JSON object. Its sha256 covers its canonical form (base_json_canonical) without the field "sha256";
 * previous_sha256 is the sha256 of the receipt before it in the same file, null for the first.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one receipt: what is kept of both streams (at most 8 MiB each) as text or base64, and some. Nothing larger is
 * read. */
#define RECEIPT_MAX_BYTES ((size_t)48 << 20)

/* Add previous_sha256 (@previous_hex, NULL or "" for null) and sha256 to @receipt, and append its canonical line, with
 * the newline, to @lines, which is unchanged on failure. */
int receipt_seal(json_t *receipt, const char *previous_hex, struct base_buf *lines, char ret_hex[BASE_HASH_HEX],
                 struct base_err *err);

/* What a verification found. */
struct receipt_verdict {
    unsigned long receipts;         /* read and right */
    unsigned long results;          /* read and right */
    unsigned long bad_line;         /* first wrong line, 0 when all are right */
    bool in_results;                /* it is one of the results */
    char bad_file[96];              /* what is wrong is this other file of the folder, or all of this one; "": a line */
    size_t not_run;                 /* candidates without a verdict, of an evaluation that was interrupted */
    bool has_objects, has_results;  /* they were looked at */
    char why[256];                  /* what is wrong there */
    char head[BASE_HASH_HEX];       /* sha256 of the last right receipt */
    char evaluation[BASE_HASH_HEX]; /* of the eval.json that the receipts name; "": they name none */
};

/* What lies beside a file of receipts; NULL: it is not looked at. */
struct receipt_beside {
    const char *objects_dir; /* the bytes that ran, under their hash */
    const char *results;     /* results.jsonl: each result must be what the receipt of its run says */
    /* A folder of results, in which FILE is receipts.jsonl: all that an evaluation leaves there is accounted for.
     * Objects and results are then looked for in it. */
    const char *folder;
    bool whole; /* look at no more than this much of both files; no receipt at all is right, too */
    uint64_t receipts_bytes, results_bytes;
};

/* Verify a file of one receipt or of many (JSON Lines), each hash, the chain, and what lies @beside it (may be NULL). A
 * torn last line is wrong. Returns 0 when the files could be read, whatever the verdict; needs no network and no
 * daemon. Foreign bytes: has a fuzzer. */
int receipt_verify_file(const char *path, const struct receipt_beside *beside, struct receipt_verdict *ret_verdict,
                        struct base_err *err);

/* An output folder: receipts.jsonl, results.jsonl, objects/, locked against a second writer. */
struct receipt_store;

/* Open @dir (created when missing). With @resume, receipts and results are verified first (BASE_E_INVALID with the
 * place of what is wrong, and nothing is changed; so are the objects that they name), then a torn last line of either
 * file is cut off and the chain goes on at its head; without, a folder that already holds results is BASE_E_USAGE. */
int receipt_store_open(const char *dir, bool resume, struct receipt_store **ret_store, struct base_err *err);

/* The folder, for what else lies in it. */
int receipt_store_folder(const struct receipt_store *store);

/* How far the chain is. */
struct receipt_chain {
    unsigned long receipts;
    const char *head;       /* sha256 of the last one; "" when there is none */
    bool mended;            /* a torn last line was cut off when it was opened */
    const char *evaluation; /* of the eval.json that those name which were there when it was opened; "": none */
};
struct receipt_chain receipt_store_chain(const struct receipt_store *store);

/* Seal @receipt onto the chain and append it. It waits in memory with others for a write; what receipt_store_flush()
 * says of errors holds here, too. */
int receipt_store_append(struct receipt_store *store, json_t *receipt, char ret_hex[BASE_HASH_HEX],
                         struct base_err *err);

/* Append one line to results.jsonl, in the same way; no sooner than the receipts that were appended before. */
int receipt_store_result(struct receipt_store *store, const json_t *result, struct base_err *err);

/* Keep @bytes as objects/<sha256>; nothing to do when it is there. */
int receipt_store_object(struct receipt_store *store, const char *sha256, const void *bytes, size_t count,
                         struct base_err *err);

/* Write what has waited for a tenth of a second. An error (a full disk) is that of lines that were appended before: as
 * many as there was room for are in the files, whole, and the store takes no more. */
int receipt_store_flush(struct receipt_store *store, struct base_err *err);

/* Write what waits, and fdatasync both files: at most once a second unless @now. */
int receipt_store_sync(struct receipt_store *store, bool now, struct base_err *err);

/* Write what waits and can be written, and close. */
void receipt_store_close(struct receipt_store *store);

/* What a sample of a task is known by. */
#define RECEIPT_SAMPLE_BYTES 16
void receipt_sample_key(const char *task_id, int64_t sample, unsigned char key[RECEIPT_SAMPLE_BYTES]);

/* SHA-256 of a set of samples, in whatever order @keys are; they are sorted. */
void receipt_samples_hash(unsigned char (*keys)[RECEIPT_SAMPLE_BYTES], size_t count, char ret_hex[BASE_HASH_HEX]);

/* Chance that at least one of k samples drawn from n, of which c pass, is among those c. */
double receipt_pass_at(unsigned n, unsigned c, unsigned k);
