/* units.h - strict numbers with units
 *
 * A whole string or nothing: no sign, no blanks, no overflow, no zero. A fraction needs a unit that it is a part of.
 * "unlimited" is a word.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum base_unit { BASE_UNIT_COUNT, BASE_UNIT_BYTES, BASE_UNIT_MS };

/* COUNT takes "64"; BYTES also "64KiB", "512MiB", "1.5GiB", shorter "1G" (and B, kB, MB, GB, decimal); MS also "500ms",
 * "0.5s", "2m", "1h" (a bare number is milliseconds). Units are read in any case. @ret_unlimited is true, and the value
 * 0, for "unlimited". Returns 0, or -1 with *@ret_why a static clause such as "is zero", "has an unknown unit", "is too
 * large". */
int base_units_parse(const char *text, enum base_unit unit, uint64_t *ret_value, bool *ret_unlimited,
                     const char **ret_why);

/* What is taken, for remedies: "a whole number from 1 with ms, s, m or h after it (...)". */
const char *base_units_form(enum base_unit unit);
uint64_t base_units_max(enum base_unit unit);

/* "512MiB", "10s", "64": the shortest exact form. Returns @text. */
const char *base_units_text(uint64_t value, enum base_unit unit, char *text, unsigned text_bytes);
