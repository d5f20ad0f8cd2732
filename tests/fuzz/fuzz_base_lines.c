/* fuzz_base_lines.c - lines of plain and gzip files */
#include "base/lines.h"
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE_MAX_BYTES  4096
#define WHOLE_MAX_BYTES (1u << 20)

static void read_lines(const char *path)
{
    AUTO_BUF struct base_buf line = {0};
    struct base_lines *lines;
    struct base_err err = {0};
    int r = base_lines_open(path, LINE_MAX_BYTES, &lines, &err);

    if (r < 0)
        return;
    while ((r = base_lines_next(lines, &line, &err)) > 0)
        if (line.count > LINE_MAX_BYTES || base_lines_number(lines) == 0)
            abort();
    if (r < 0 && base_lines_next(lines, &line, &err) >= 0) /* no way on after an error */
        abort();
    base_lines_close(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_CLOSE int fd = memfd_create("seed", MFD_CLOEXEC);
    AUTO_BUF struct base_buf whole = {0};
    char path[64];

    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_lines(path);
    if (base_lines_read_all(path, WHOLE_MAX_BYTES, &whole, NULL) < 0 && whole.count != 0)
        abort();
    return 0;
}
