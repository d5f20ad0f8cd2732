/* fuzz.h - the one function of a fuzz target */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Give the bytes to a parser. Must return 0, must not keep state, must stop by itself. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
