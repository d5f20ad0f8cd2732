/* clock.h - time, always with its unit in the name */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CLOCK_MONOTONIC in microseconds. Safe after fork. */
uint64_t base_clock_us(void);

/* Or less, where a signal comes: the caller looks again. */
void base_clock_sleep_ms(unsigned ms);

/* "2026-11-29T13:00:00.000Z" into @text (at least 25 bytes). Returns @text. */
const char *base_clock_utc(char *text, size_t text_bytes);
