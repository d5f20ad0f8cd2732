/* entry.h - where the program starts (entry.c) */
#pragma once

/* The address that the linker puts into the program's header where it is static; goes on to the C library's start. */
void cli_entry(void);

/* What is done there. @stack: as the kernel made it. */
void cli_entry_early(long *stack);
