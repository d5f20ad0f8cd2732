/* head_untrusted.c - where the first lines of a Python program end
 *
 * Candidates come from models. Read is no more than Python's own rule needs: before an import from __future__ there may
 * be comments, statements that are nothing but a text, and other such imports. A line of that form within a text, or
 * behind anything else, is none. What is no Python at all may be cut anywhere: it is none with a line more, too.
 */

#include "base/cleanup.h"
#include "judge/head.h"
#include <ctype.h>
#include <string.h>

struct reader {
    const char *at, *end;
    unsigned levels; /* of open brackets: line ends count for nothing in them */
};

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* Past one line end: "\n", "\r", "\r\n". */
static void skip_newline(struct reader *reader)
{
    bool two = reader->end - reader->at > 1 && reader->at[0] == '\r' && reader->at[1] == '\n';

    reader->at += two ? 2 : 1;
}

static void skip_comment(struct reader *reader)
{
    if (reader->at < reader->end && *reader->at == '#')
        while (reader->at < reader->end && !is_newline(*reader->at))
            reader->at++;
}

/* Blanks between two tokens: also a line end behind a backslash, and in brackets each, with comments. */
static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        char c = *reader->at;

        if (c == '\\' && reader->end - reader->at > 1 && is_newline(reader->at[1])) {
            reader->at++;
            skip_newline(reader);
        } else if (c == ' ' || c == '\t' || c == '\f' || (reader->levels > 0 && is_newline(c))) {
            reader->at++;
        } else if (c == '#' && reader->levels > 0) {
            skip_comment(reader);
        } else {
            return;
        }
    }
}

static bool take(struct reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool take_word(struct reader *reader, const char *word)
{
    size_t n = strlen(word);
    bool is = (size_t)(reader->end - reader->at) >= n && memcmp(reader->at, word, n) == 0 &&
              (reader->at + n == reader->end || !is_word_char(reader->at[n]));

    if (is)
        reader->at += n;
    return is;
}

/* Past the rest of a text that ends with @quotes times @quote. False where it does not end. */
static bool skip_text(struct reader *reader, char quote, int quotes)
{
    int found = 0;

    for (; reader->at < reader->end && found < quotes; reader->at++) {
        if (*reader->at == '\\') {
            found = 0;
            reader->at += reader->end - reader->at > 1;
            if (*reader->at == '\r' && reader->end - reader->at > 1 && reader->at[1] == '\n')
                reader->at++;
        } else if (quotes == 1 && is_newline(*reader->at)) {
            return false;
        } else {
            found = *reader->at == quote ? found + 1 : 0;
        }
    }
    return found == quotes;
}

/* One text: bytes and texts with values in them are none. */
static bool take_text(struct reader *reader)
{
    char quote;

    if (reader->end - reader->at > 1 && memchr("rRuU", reader->at[0], 4) && memchr("'\"", reader->at[1], 2))
        reader->at++;
    if (reader->at == reader->end || !memchr("'\"", *reader->at, 2))
        return false;
    quote = *reader->at;
    if (reader->end - reader->at >= 3 && reader->at[1] == quote && reader->at[2] == quote) {
        reader->at += 3;
        return skip_text(reader, quote, 3);
    }
    reader->at++;
    return skip_text(reader, quote, 1);
}

/* Texts one after the other, in brackets or not. */
static bool take_texts(struct reader *reader)
{
    bool any = false;

    for (;; skip_blanks(reader)) {
        if (!any && take(reader, '('))
            reader->levels++;
        else if (any && reader->levels > 0 && take(reader, ')'))
            reader->levels--;
        else if (take_text(reader))
            any = true;
        else
            return any && reader->levels == 0;
    }
}

static bool take_future(struct reader *reader)
{
    if (!take_word(reader, "from"))
        return false;
    skip_blanks(reader);
    if (!take_word(reader, "__future__"))
        return false;
    skip_blanks(reader);
    if (!take_word(reader, "import"))
        return false;
    for (skip_blanks(reader); reader->at < reader->end; skip_blanks(reader)) {
        if (take(reader, '('))
            reader->levels++;
        else if (reader->levels > 0 && take(reader, ')'))
            reader->levels--;
        else if (is_word_char(*reader->at) || *reader->at == ',')
            reader->at++;
        else
            break;
    }
    return reader->levels == 0;
}

/* Past the end of a statement. *@ret_inside: another one follows in the same line. False where it goes on. */
static bool take_end(struct reader *reader, bool *ret_inside)
{
    skip_blanks(reader);
    *ret_inside = take(reader, ';');
    if (*ret_inside)
        skip_blanks(reader);
    skip_comment(reader);
    if (reader->at < reader->end && !is_newline(*reader->at))
        return *ret_inside;
    *ret_inside = false;
    if (reader->at < reader->end)
        skip_newline(reader);
    return true;
}

/* Blank lines and comments: those at the top may be "#!" and "coding:". */
static void skip_lines(struct reader *reader)
{
    while (reader->at < reader->end) {
        struct reader line = *reader;

        skip_blanks(&line);
        skip_comment(&line);
        if (line.at < line.end && !is_newline(*line.at))
            return;
        if (line.at < line.end)
            skip_newline(&line);
        reader->at = line.at;
    }
}

static bool says_encoding(const char *code, const char *end)
{
    struct reader reader = {.at = code, .end = end};

    for (int line = 0; line < 2; line++) {
        const char *start = reader.at;

        while (reader.at < end && !is_newline(*reader.at))
            reader.at++;
        if (memmem(start, (size_t)(reader.at - start), "coding", strlen("coding")))
            return true;
        if (reader.at < end)
            skip_newline(&reader);
    }
    return false;
}

/* Past one statement that @take knows. *@ret_inside: another one follows in the same line. */
static bool take_statement(struct reader *reader, bool (*take_it)(struct reader *), bool *ret_inside)
{
    struct reader statement = *reader;

    skip_blanks(&statement); /* a form feed, or a line that goes on */
    if (!take_it(&statement) || !take_end(&statement, ret_inside))
        return false;
    *reader = statement;
    return true;
}

void judge_head_find(const char *code, size_t count, struct judge_head *ret_head)
{
    struct reader reader = {.at = code, .end = code + count};
    struct judge_head head = {0};

    do {
        if (!head.inside)
            skip_lines(&reader);
        head.end = (size_t)(reader.at - code);
    } while (take_statement(&reader, take_texts, &head.inside) || take_statement(&reader, take_future, &head.inside));
    head.encoding = says_encoding(code, reader.at);
    *ret_head = head;
}

/* ---- prompts --------------------------------------------------------------------------------------------------- */

/* The rest of a line has nothing but blanks. */
static bool is_over(struct reader line)
{
    while (line.at < line.end && memchr(" \t\r", *line.at, 3))
        line.at++;
    return line.at == line.end;
}

static bool is_usual_import(struct reader line)
{
    static const char *const modules[] = {"math", "sys", "re", "collections", "itertools", "functools"};

    if (take_word(&line, "from")) {
        skip_blanks(&line);
        return take_word(&line, "typing"); /* all that it has is there; "from typing.io" is an import of nothing else */
    }
    if (!take_word(&line, "import"))
        return false;
    skip_blanks(&line);
    for (size_t i = 0; i < ARRAY_COUNT(modules); i++)
        if (take_word(&line, modules[i]))
            return is_over(line);
    return false;
}

static bool is_function(struct reader line, const char *name)
{
    if (!take_word(&line, "def"))
        return false;
    skip_blanks(&line);
    return take_word(&line, name);
}

bool judge_prompt_adds(const char *prompt, size_t count, const char *defined)
{
    const char *end = prompt + count;

    for (const char *start = prompt; start < end;) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        const struct reader line = {.at = start, .end = newline ? newline : end};

        if (!memchr(" \t\r#\n", *start, 5) && !is_usual_import(line) && !is_function(line, defined))
            return true;
        start = newline ? newline + 1 : end;
    }
    return false;
}
