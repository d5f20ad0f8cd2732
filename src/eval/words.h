/* words.h - what a program said last */
#pragma once

#include "warden/outcome.h"
#include <stddef.h>

/* The first line of the error that ended the program, where Python or Node has shown one; else its last line on stderr
 * that is not indented. "" where there is none, or where it is not known. */
void eval_words_find(const struct warden_stream *stream, char *ret_words, size_t bytes);
