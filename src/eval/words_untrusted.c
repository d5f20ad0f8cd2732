/* words_untrusted.c - what a program said last, and how its output differs
 *
 * Reads what the guest wrote: what is found here is shown to people, and decides nothing.
 */

#include "base/utf8.h"
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

/* As much of a line as there is room for, and no part of a character. */
static int count_that_fits(struct text line, size_t bytes)
{
    size_t count = (size_t)(line.end - line.at);

    return (int)(count < bytes ? count : base_utf8_cut(line.at, bytes - 1));
}

void eval_words_find(const struct warden_stream *stream, char *ret_words, size_t bytes)
{
    const char *kept = stream->kept.bytes;
    struct text text = {kept, kept ? kept + stream->kept.count : NULL}, line;

    *ret_words = '\0';
    if (!kept || stream->truncated) /* then its last line is not known */
        return;
    if (find_node(text, &line) || find_python(text, &line) || find_last(text, &line))
        (void)snprintf(ret_words, bytes, "%.*s", count_that_fits(line, bytes), line.at);
}

bool eval_words_are_of(const char *words, const char *name)
{
    size_t head = strcspn(words, ":"), count = strlen(name);

    return count > 0 && head >= count && memcmp(words + head - count, name, count) == 0 &&
           (head == count || words[head - count - 1] == '.');
}

/* ---- how an output differs ------------------------------------------------------------------------------------- */

#define SHOWN_BYTES  48 /* of one line */
#define BEFORE_BYTES 12 /* of them, before the first byte that differs */

/* The @number-th line without blanks at its end; text.at is NULL past the last. */
static struct text find_line(struct text text, unsigned long number)
{
    struct text line = {NULL, NULL};

    for (unsigned long n = 0; n < number; n++) {
        if (!text.at || text.at == text.end)
            return (struct text){NULL, NULL};
        line = next_line(&text);
    }
    while (line.end > line.at && strchr(" \t\r", line.end[-1]) && line.end[-1])
        line.end--;
    return line;
}

static size_t common_start(struct text a, struct text b)
{
    size_t n = 0;

    while (a.at && b.at && a.at + n < a.end && b.at + n < b.end && a.at[n] == b.at[n])
        n++;
    while (n > 0 && a.at + n < a.end && ((unsigned char)a.at[n] & 0xc0) == 0x80)
        n--; /* not in the middle of a character */
    return n;
}

/* One character, made visible; returns how many bytes of the line it took. */
static size_t show_character(const char *at, size_t left, char *ret_text, size_t bytes)
{
    size_t count = base_utf8_length((const unsigned char *)at, left);
    unsigned char c = (unsigned char)*at;

    if (count > 1)
        (void)snprintf(ret_text, bytes, "%.*s", (int)count, at);
    else if (c == '"' || c == '\\')
        (void)snprintf(ret_text, bytes, "\\%c", c);
    else if (count == 1 && c >= 0x20 && c != 0x7f)
        (void)snprintf(ret_text, bytes, "%c", c);
    else
        (void)snprintf(ret_text, bytes, "\\x%02x", c);
    return count ? count : 1;
}

/* A line in quotes, or a part of it from shortly before @from. */
static void show_line(struct text line, size_t from, char ret_text[SHOWN_BYTES + 16])
{
    size_t used, start = from > BEFORE_BYTES + 3 ? from - BEFORE_BYTES : 0;
    char shown[8];

    if (!line.at) {
        (void)snprintf(ret_text, SHOWN_BYTES + 16, "no such line");
        return;
    }
    while (start > 0 && line.at + start < line.end && ((unsigned char)line.at[start] & 0xc0) == 0x80)
        start--;
    used = (size_t)snprintf(ret_text, SHOWN_BYTES + 16, "\"%s", start ? "..." : "");
    line.at += start;
    while (line.at < line.end) {
        size_t took = show_character(line.at, (size_t)(line.end - line.at), shown, sizeof(shown));

        if (used + strlen(shown) > SHOWN_BYTES)
            break;
        used += (size_t)snprintf(ret_text + used, SHOWN_BYTES + 16 - used, "%s", shown);
        line.at += took;
    }
    (void)snprintf(ret_text + used, SHOWN_BYTES + 16 - used, "%s\"", line.at < line.end ? "..." : "");
}

void eval_words_differ(const struct base_buf *got, const char *expect, size_t expect_count, unsigned long number,
                       char *ret_text, size_t bytes)
{
    struct text got_text = {got->bytes, got->bytes ? got->bytes + got->count : NULL};
    struct text want_text = {expect, expect ? expect + expect_count : NULL};
    struct text got_line = find_line(got_text, number), want_line = find_line(want_text, number);
    size_t same = common_start(got_line, want_line);
    char got_shown[SHOWN_BYTES + 16], want_shown[SHOWN_BYTES + 16];

    show_line(got_line, same, got_shown);
    show_line(want_line, same, want_shown);
    (void)snprintf(ret_text, bytes, "got %s, expected %s", got_shown, want_shown);
}
