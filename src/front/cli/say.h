/* say.h - what all verbs have in common when they speak: errors, JSON, bytes from elsewhere */
#pragma once

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Print "fumehood: PLACE: WHAT (HOW TO MEND)" as one line on stderr and return the exit status that fits. Silent, with
 * the status of SIGPIPE, where the reader of our own output went away: he knows. */
int cli_say_error(const struct base_err *err);

/* Somebody else has begun a line where our messages go: the next one begins another. */
void cli_say_line_is_open(void);

/* The same for verbs that are checks or views: 125 stays 125, 141 stays 141, all else is 2. */
int cli_say_error_view(const struct base_err *err);

/* A missing file that is no program is a usage error: turn BASE_E_NOT_FOUND in @r and @err into BASE_E_USAGE. */
int cli_say_usage_if_missing(int r, struct base_err *err);

/* A file that the user named and that cannot be written is a usage error, as long as nothing has run: BASE_E_IO. */
int cli_say_usage_if_unwritable(int r, struct base_err *err);

/* Print one line "fumehood: ..." on stderr, control bytes made visible. */
void cli_say_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print @json on stdout, one line or indented, and a newline. 0 or BASE_E_IO, BASE_E_NOMEM. */
int cli_say_json(const json_t *json, bool indented, struct base_err *err);

/* Print bytes of foreign origin: newline and tab stay, every other control byte, byte of no valid UTF-8 text and
 * invisible or direction-changing character is shown as \xNN. */
void cli_say_visible(FILE *stream, const char *bytes, size_t count);

/* Columns of the terminal at @fd; @otherwise where there is none that says. */
unsigned cli_say_columns(int fd, unsigned otherwise);

/* Print @text on stdout in lines of at most 79 columns, and a newline. The first line begins at column @column (what is
 * printed there already), the others are indented by @indent. */
void cli_say_wrapped(const char *text, size_t column, size_t indent);

/* Flush stdout. BASE_E_IO when what was printed did not arrive (full disk, closed pipe). */
int cli_say_flush(struct base_err *err);

/* The end of a verb that printed on stdout: flush; @status, or the status of the failed flush with its error said. */
int cli_say_end(int status);
