/* receipt_show.h - one receipt for people */
#pragma once

#include <jansson.h>

/* Print it on stdout. Whatever is missing or of another type than expected is left out or shown as it is. */
void cli_receipt_show(const json_t *receipt);
