/* words.h - what a program said last, and how its output differs */
#pragma once

#include "warden/outcome.h"
#include <stdbool.h>
#include <stddef.h>

/* The first line of the error that ended the program, where Python or Node has shown one; else its last line on stderr
 * that is not indented. "" where there is none, or where it is not known. */
void eval_words_find(const struct warden_stream *stream, char *ret_words, size_t bytes);

/* @words is the text of an exception of the class @name, which may stand behind its module: "pkg.Error: text". */
bool eval_words_are_of(const char *words, const char *name);

/* What the @number-th lines of two texts are, of which @got is the program's: 'got "5", expected "6"'. Control bytes
 * and bytes that are not UTF-8 are made visible; of a long line there is a part, from where they differ. */
void eval_words_differ(const struct base_buf *got, const char *expect, size_t expect_count, unsigned long number,
                       char *ret_text, size_t bytes);
