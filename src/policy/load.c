/* load.c - a policy by name or from a file */
#include "base/cleanup.h"
#include "base/file.h"
#include "policy/internal.h"
#include <string.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1u << 20)

int policy_load(const char *ref, struct policy *ret_policy, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    int r;

    if (strpbrk(ref, "/."))
        r = base_file_read(ref, FILE_MAX_BYTES, &text, err);
    else
        r = policy_builtin(ref, ret_policy, err);
    if (r == BASE_E_NOT_FOUND && access(ref, F_OK) == 0) /* there, but without a / or . in its name */
        (void)base_err_remedy(err, "for the file write ./%s", ref);
    if (r < 0)
        return r;
    return text.bytes ? policy_parse(text.bytes, text.count, ref, ret_policy, err) : 0;
}
