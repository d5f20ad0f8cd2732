/* json_memory.h - what JSON values are made of */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From here on this process keeps what values give up, at most 2 MiB of it, for those to come. A value is some hundred
 * small blocks, and a process that makes many of them would else spend most of that time with the allocator. For
 * processes of one thread, or whose threads take turns. */
void base_json_memory_keep(void);

/* jansson's allocator from now on, until somebody sets another. Blocks are malloc()'s, whoever frees them. */
void base_json_memory_use(void);

/* Whether one was missing since this was asked last. */
bool base_json_memory_was_short(void);
