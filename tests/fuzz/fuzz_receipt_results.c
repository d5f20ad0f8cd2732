/* fuzz_receipt_results.c - results from anybody beside receipts that are right: results_untrusted.c */
#include "base/cleanup.h"
#include "base/json.h"
#include "fuzz.h"
#include "receipt/receipt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int receipts_fd = -1;

static void seal_one(const char *run_id, int sample, char head[BASE_HASH_HEX])
{
    AUTO_BUF struct base_buf line = {0};
    AUTO_JSON json_t *receipt = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:{}, s:{}, s:{}, s:{}, s:[], s:{s:i, s:n, s:i}, "
        "s:{}, s:{}, s:{}, s:{s:s, s:i, s:s, s:s}}",
        "schema", "fumehood.receipt/1", "run_id", run_id, "started_utc", "", "version", "", "tier", "", "program",
        "policy", "limits", "ending", "denials", "usage", "wall_us", 1, "cpu_us", "memory_peak_bytes", 2, "stdout",
        "stderr", "teardown", "eval", "task_id", "a", "sample", sample, "verdict", "pass", "fault", "none");
    char hex[BASE_HASH_HEX];

    if (!receipt || receipt_seal(receipt, head, &line, hex, NULL) < 0 ||
        write(receipts_fd, line.bytes, line.count) != (ssize_t)line.count)
        abort();
    memcpy(head, hex, sizeof(hex));
}

static void make_receipts(void)
{
    char head[BASE_HASH_HEX] = "";

    receipts_fd = memfd_create("receipts", MFD_CLOEXEC);
    if (receipts_fd < 0)
        abort();
    seal_one("r1", 0, head);
    seal_one("r2", 1, head);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_CLOSE int fd = memfd_create("seed", MFD_CLOEXEC);
    struct receipt_verdict verdict = {0};
    char path[64], receipts[64];
    const struct receipt_beside beside = {.results = path};

    if (receipts_fd < 0)
        make_receipts();
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)snprintf(receipts, sizeof(receipts), "/proc/self/fd/%d", receipts_fd);
    if (receipt_verify_file(receipts, &beside, &verdict, NULL) < 0)
        return 0;
    if ((verdict.bad_line > 0) != verdict.in_results || (verdict.bad_line > 0) != (verdict.why[0] != '\0'))
        abort();
    if (verdict.bad_line == 0 && verdict.receipts != 2)
        abort();
    return 0;
}
