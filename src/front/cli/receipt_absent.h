/* receipt_absent.h - why an evaluation has no receipt of a task */
#pragma once

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

/* What is asked for; NULL: any. */
struct cli_row {
    const char *task, *sample, *at_case;
};

/* Look for the row in results.jsonl beside the file @receipts. Fills @err: nothing was run for it, or there is none,
 * and which one may be meant. Returns its code, or 0 where the results say nothing of it. */
int cli_receipt_absent(const char *receipts, const struct cli_row *row, struct base_err *err);

/* Whether a value of a receipt or a result is what was asked for on the command line; NULL: anything is. */
bool cli_is_text(const json_t *json, const char *wanted);
bool cli_is_number(const json_t *json, const char *wanted);
