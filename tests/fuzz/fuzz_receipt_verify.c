/* fuzz_receipt_verify.c - receipt files from anybody */
#include "base/cleanup.h"
#include "fuzz.h"
#include "receipt/receipt.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_CLOSE int fd = memfd_create("seed", MFD_CLOEXEC);
    const struct receipt_beside beside = {.objects_dir = "/proc/self/fdinfo"};
    struct receipt_verdict verdict = {0};
    char path[64];

    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (receipt_verify_file(path, &beside, &verdict, NULL) < 0)
        return 0;
    if ((verdict.bad_line > 0) != (verdict.why[0] != '\0') || (verdict.bad_line == 0 && verdict.receipts == 0))
        abort();
    return 0;
}
