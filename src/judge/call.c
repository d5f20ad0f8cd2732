/* call.c - what a driver needs for one call */

#include "base/cleanup.h"
#include "base/embedded.h"
#include "judge/judge.h"
#include "judge/value.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern const struct base_embedded judge_drivers[]; /* made by the build from src/judge/drivers/ */

static struct judge_driver drivers[] = {
    {"python", "call.py", "candidate.py", NULL, 0},
    {"node", "call.js", "candidate.js", NULL, 0},
};

static struct judge_driver tests = {"python", "tests.py", "candidate.py", NULL, 0};

static const struct judge_driver *with_bytes(struct judge_driver *driver)
{
    for (const struct base_embedded *file = judge_drivers; file->name; file++)
        if (strcmp(file->name, driver->program) == 0) {
            driver->bytes = file->bytes;
            driver->count = file->count;
        }
    return driver;
}

const struct judge_driver *judge_driver_find(const char *runtime)
{
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
        if (strcmp(drivers[i].runtime, runtime) == 0)
            return with_bytes(&drivers[i]);
    return NULL;
}

const struct judge_driver *judge_driver_tests(void)
{
    return with_bytes(&tests);
}

bool judge_name_ok(const char *name)
{
    if (!*name || isdigit((unsigned char)*name))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

int judge_call_write(const struct judge_call *call, const struct judge_driver *driver, const char *nonce,
                     struct base_buf *buf, struct base_err *err)
{
    bool tagged = strcmp(driver->runtime, "node") == 0;
    int r = base_buf_printf(buf, "{\"nonce\":\"%s\",\"entry_point\":\"%s\",\"answer\":\"%s\",\"args\":", nonce,
                            call->entry_point, call->report_args ? "input" : "value");

    if (r >= 0)
        r = judge_value_write(buf, call->args, tagged, SIZE_MAX);
    if (r >= 0)
        r = base_buf_text(buf, "}");
    return r < 0 ? base_err_set(err, r, JUDGE_CASE_FILE, "the case is too large") : 0;
}
