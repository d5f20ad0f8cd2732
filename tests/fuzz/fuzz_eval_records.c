/* fuzz_eval_records.c - a file that should be a task set (records_untrusted.c, task_untrusted.c, keys_untrusted.c) */
#include "base/cleanup.h"
#include "eval/task.h"
#include "fuzz.h"
#include "judge/judge.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_CLOSE int fd = memfd_create("seed", MFD_CLOEXEC);
    CLEANUP(eval_tasks_release) struct eval_tasks tasks = {0};
    struct base_err err = {0};
    char path[64];

    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (eval_tasks_load(path, NULL, 0, &tasks, &err) < 0) {
        if (err.code >= 0 || !*err.place || !*err.what || tasks.items)
            abort();
        return 0;
    }
    for (size_t i = 0; i < tasks.count; i++)
        if (!tasks.items[i].id || tasks.items[i].case_count == 0)
            abort(); /* a task without a check passes anything */
    if (tasks.count == 0 || strlen(tasks.sha256) != 64)
        abort();
    return 0;
}
