/* fuzz_receipt_account.c - a summary, and results beside it, from anybody: account_untrusted.c
 *
 * The first line is the summary, the second eval.json, each other one a result.
 */
#include "base/cleanup.h"
#include "base/json.h"
#include "fuzz.h"
#include "receipt/account.h"
#include <stdlib.h>
#include <string.h>

static json_t *next_line(const char **at, const char *end)
{
    const char *newline = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    const char *stop = newline ? newline : end;
    json_t *json = NULL;

    (void)base_json_parse(*at, (size_t)(stop - *at), "seed", &json, NULL);
    *at = newline ? newline + 1 : end;
    return json;
}

static void release(struct receipt_account **account)
{
    receipt_account_free(*account);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    CLEANUP(release) struct receipt_account *account = receipt_account_new();
    const char *at = count ? (const char *)bytes : "", *end = at + count;
    AUTO_JSON json_t *summary = next_line(&at, end), *manifest = next_line(&at, end);
    unsigned long line = 0;
    char why[256] = "";
    bool in_results;

    if (!account)
        return 0;
    while (at < end) {
        AUTO_JSON json_t *result = next_line(&at, end);

        if (result && receipt_account_result(account, result, ++line, why, sizeof(why)) == 0 && !why[0])
            abort();
    }
    if (receipt_account_end(account, true, &in_results, &line, why, sizeof(why)) != 1)
        abort(); /* there is no receipt that could be without its result */
    (void)receipt_account_manifest(account, manifest, why, sizeof(why));
    (void)receipt_account_summary(account, summary, manifest, 0, "", why, sizeof(why));
    return 0;
}
