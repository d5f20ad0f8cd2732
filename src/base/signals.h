/* signals.h - the signals that would end this process, and what they are called
 *
 * Sets are the kernel's: bit 0 is signal 1. The library's functions refuse the two that it keeps for itself, and those
 * end a process as well.
 */
#pragma once

#include <stdint.h>

#define BASE_SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

/* All that can be caught and end a process which does nothing about them, ignored here or not: to block them for a
 * while, in one call; what is ignored is dropped when they are let go. */
uint64_t base_signals_harmful(void);

/* All that can be caught and would end this process; not those that it was started to ignore (nohup, a shell's
 * background). */
uint64_t base_signals_ending(void);

/* Block @set too. Returns what was blocked before. */
uint64_t base_signals_block(uint64_t set);

/* Block @set, and nothing else. */
void base_signals_restore(uint64_t set);

/* A descriptor that tells of blocked signals of @set; does not block. Negative with errno on failure. */
int base_signals_open(uint64_t set);

/* Call @handler for each of @set, without restarting what waits. */
void base_signals_handle(uint64_t set, void (*handler)(int number));

/* "11 (SIGSEGV)", or "40" where it has no name. Returns @text. */
const char *base_signal_text(int number, char *text, uint64_t text_bytes);
