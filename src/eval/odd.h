/* odd.h - JSON that Python writes and this project's reader refuses */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

/* One value that a JSON reader cannot hold must not take the whole file with it: half of a surrogate pair ("\ud83d"),
 * bytes that are no UTF-8, NaN, Infinity, a number beyond all doubles. Put the text, with each of them spelled as
 * U+FDD0 and four characters in a string, into @out (U+FDD0 itself too, so that nothing else has that form). Returns 1,
 * 0 when there is none and @out is as it was, or an error. Foreign bytes: has a fuzzer. */
int eval_odd_spell(const char *bytes, size_t count, struct base_buf *out);

/* The bytes that a string of such a text stands for: a half surrogate as its three bytes of UTF-8, which are none for
 * anybody who is strict; other bytes as they were. */
int eval_odd_bytes(const char *text, size_t count, struct base_buf *out);

/* A string of such a text that stands for a number that is not finite. */
bool eval_odd_is_number(const char *text, size_t count);

/* Put U+FDD0 back as itself in the strings of @value (or NULL) that have nothing else of this kind. *@ret_why is what
 * else is odd there, such as "a number that is not finite", or NULL. */
int eval_odd_restore(json_t *value, const char **ret_why);

/* The same in all of @object, which says by key what else is odd there: *@ret_odd is an object of such texts. */
int eval_odd_settle(json_t *object, json_t **ret_odd);
