/* fuzz_drill_expect.c - expectations of attacks; what is accepted must be whole (with item_untrusted.c) */
#include "base/cleanup.h"
#include "drill/expect.h"
#include "fuzz.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AUTO_POLICY struct policy base = {0};
    AUTO_EXPECT struct drill_expect expect = {0};
    struct base_err err = {0};
    int r;

    if (policy_builtin("default", &base, NULL) < 0)
        abort();
    r = drill_expect_parse((const char *)bytes, count, "seed", &base, &expect, &err);
    if (r < 0 && err.code >= 0)
        abort();
    if (r == 0 && (!expect.what || expect.endings.count == 0 || (expect.proves.count == 0 && !expect.residual) ||
                   !drill_group_name(expect.group) || !drill_control_name(expect.control)))
        abort();
    return 0;
}
