/* words_untrusted.c - what a program said last
 *
 * Reads stderr, which the guest wrote: what is found here is shown to people, and decides nothing.
 */

#include "eval/words.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct text {
    const char *at, *end;
};

static const char node[] = "Node.js v", python[] = "Traceback (most recent call last):";

/* The line at text->at, which moves past it. */
static struct text next_line(struct text *text)
{
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    struct text line = {text->at, newline ? newline : text->end};

    text->at = newline ? newline + 1 : text->end;
    return line;
}

/* The line that ends at text->end, which moves before it. */
static struct text last_line(struct text *text)
{
    const char *newline = memrchr(text->at, '\n', (size_t)(text->end - text->at));
    struct text line = {newline ? newline + 1 : text->at, text->end};

    text->end = newline ? newline : text->at;
    return line;
}

static bool starts_with(struct text line, const char *word)
{
    size_t count = strlen(word);

    return (size_t)(line.end - line.at) >= count && memcmp(line.at, word, count) == 0;
}

static bool is_indented(struct text line)
{
    return line.at == line.end || strchr(" \t\r", *line.at);
}

/* Blanks, and at least one '^': Node puts them below the place where it was thrown. */
static bool is_carets(struct text line)
{
    bool found = false;

    for (; line.at < line.end; line.at++) {
        if (!strchr(" \t\r^", *line.at))
            return false;
        found = found || *line.at == '^';
    }
    return found;
}

/* "KeyError", "pkg.Error: ...": as Python begins the text of an exception. */
static bool is_exception(struct text line)
{
    const char *at = line.at;

    while (at < line.end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.' || (unsigned char)*at >= 0x80))
        at++;
    return at > line.at && !isdigit((unsigned char)*line.at) && (at == line.end || *at == ':' || *at == '\r');
}

/* Node ends with a line about itself; the error begins behind the last line of carets. */
static bool find_node(struct text text, struct text *ret_line)
{
    struct text rest = text, line;

    do
        line = last_line(&rest);
    while (line.at == line.end && rest.end > rest.at);
    if (!starts_with(line, node))
        return false;
    do {
        if (rest.end == rest.at)
            return false;
        line = last_line(&rest);
    } while (!is_carets(line));
    rest = (struct text){line.end < text.end ? line.end + 1 : line.end, text.end};
    do
        line = next_line(&rest);
    while (line.at == line.end && rest.at < rest.end);
    *ret_line = line;
    return line.at < line.end && !starts_with(line, node);
}

/* Python shows the calls, indented, and then the exception. The last one that is shown counts. */
static bool find_python(struct text text, struct text *ret_line)
{
    struct text rest = text, line;

    do {
        if (rest.end == rest.at)
            return false;
        line = last_line(&rest);
    } while (!starts_with(line, python));
    rest = (struct text){line.end, text.end};
    do
        line = next_line(&rest);
    while (is_indented(line) && rest.at < rest.end);
    *ret_line = line;
    return is_exception(line);
}

static bool find_last(struct text text, struct text *ret_line)
{
    while (text.end > text.at) {
        *ret_line = last_line(&text);
        if (!is_indented(*ret_line) && !starts_with(*ret_line, node))
            return true;
    }
    return false;
}

void eval_words_find(const struct warden_stream *stream, char *ret_words, size_t bytes)
{
    const char *kept = stream->kept.bytes;
    struct text text = {kept, kept ? kept + stream->kept.count : NULL}, line;

    *ret_words = '\0';
    if (!kept || stream->truncated) /* then its last line is not known */
        return;
    if (find_node(text, &line) || find_python(text, &line) || find_last(text, &line))
        (void)snprintf(ret_words, bytes, "%.*s", (int)(line.end - line.at), line.at);
}
