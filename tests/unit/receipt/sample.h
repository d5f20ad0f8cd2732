/* sample.h - a receipt as the tests need it */
#pragma once

#include "../support.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "receipt/receipt.h"

#define SAMPLE_PROGRAM "pass\n"

static inline json_t *sample_receipt(int number)
{
    char sha256[BASE_HASH_HEX], run_id[16];
    json_t *receipt;

    base_hash_bytes_hex(SAMPLE_PROGRAM, strlen(SAMPLE_PROGRAM), sha256);
    receipt = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s, s:i}, s:{s:s}, s:{}, s:{s:s, s:i}, s:[], s:{s:i}, "
                        "s:{s:o}, s:{}, s:{}, s:f, s:{s:s, s:s}}",
                        "schema", "fumehood.receipt/1", "run_id", "r", "started_utc", "2026-01-01T00:00:00.000Z",
                        "version", "0.1.0", "tier", "container", "cage", "fresh", "program", "name", "a.py", "sha256",
                        sha256, "bytes", (int)strlen(SAMPLE_PROGRAM), "policy", "sha256", "x", "limits", "ending",
                        "kind", "exited", "exit_code", 0, "denials", "usage", "wall_us", number, "stdout", "text",
                        base_json_text("\0\xff\x1b[1m\xc3\xa9", 8), "stderr", "teardown", "load", 0.1 * number, "eval",
                        "task_id", "t", "verdict", number % 2 ? "pass" : "timeout");
    (void)snprintf(run_id, sizeof(run_id), "r%d", number);
    assert_int_equal(json_object_set_new(receipt, "run_id", json_string(run_id)), 0);
    assert_int_equal(json_object_set_new(json_object_get(receipt, "usage"), "cpu_us", json_null()), 0);
    assert_int_equal(json_object_set_new(json_object_get(receipt, "usage"), "memory_peak_bytes", json_integer(7)), 0);
    assert_non_null(receipt);
    return receipt;
}

/* The result of the run of sample_receipt(@number). */
static inline json_t *sample_result(int number)
{
    char run_id[16];
    json_t *result;

    (void)snprintf(run_id, sizeof(run_id), "r%d", number);
    result = json_pack("{s:s, s:s, s:s, s:i, s:n, s:i}", "run_id", run_id, "task_id", "t", "verdict",
                       number % 2 ? "pass" : "timeout", "wall_us", number, "cpu_us", "memory_peak_bytes", 7);
    assert_non_null(result);
    return result;
}

static inline struct receipt_store *sample_store(const char *dir, bool resume)
{
    struct receipt_store *store = NULL;
    struct base_err err = {0};

    if (receipt_store_open(dir, resume, &store, &err) < 0)
        fail_msg("%s: %s", err.place, err.what);
    return store;
}

static inline void sample_append(struct receipt_store *store, int number)
{
    AUTO_JSON json_t *receipt = sample_receipt(number);
    char hex[BASE_HASH_HEX];
    struct base_err err = {0};

    assert_int_equal(receipt_store_append(store, receipt, hex, &err), 0);
}

static inline void sample_object(struct receipt_store *store)
{
    char sha256[BASE_HASH_HEX];
    struct base_err err = {0};

    base_hash_bytes_hex(SAMPLE_PROGRAM, strlen(SAMPLE_PROGRAM), sha256);
    assert_int_equal(receipt_store_object(store, sha256, SAMPLE_PROGRAM, strlen(SAMPLE_PROGRAM), &err), 0);
}

/* A folder "out" with @count chained receipts and their program. */
static inline void sample_folder(int count)
{
    struct receipt_store *store = sample_store("out", false);
    struct base_err err = {0};

    for (int i = 0; i < count; i++)
        sample_append(store, i);
    sample_object(store);
    assert_int_equal(receipt_store_sync(store, true, &err), 0);
    receipt_store_close(store);
}
