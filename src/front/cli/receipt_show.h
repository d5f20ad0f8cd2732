/* receipt_show.h - one receipt for people */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Print it on stdout, with each mount of the machine's settings where @all. Whatever is missing or of another type than
 * expected is left out or shown as it is. */
void cli_receipt_show(const json_t *receipt, bool all);
