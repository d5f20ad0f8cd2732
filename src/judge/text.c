/* text.c - printed text, compared as a patient reader would */

#include "judge/judge.h"
#include <string.h>

struct reader {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line without blanks at its end; an empty one past the end of the text. */
static size_t next_line(struct reader *reader, const char **ret_line)
{
    const char *line = reader->at;
    const char *newline = line < reader->end ? memchr(line, '\n', (size_t)(reader->end - line)) : NULL;
    const char *stop = newline ? newline : reader->end;

    reader->at = newline ? newline + 1 : reader->end;
    while (stop > line && is_blank(stop[-1]))
        stop--;
    *ret_line = line;
    return (size_t)(stop - line);
}

size_t judge_text_least(const char *text, size_t count)
{
    struct reader reader = {text ? text : "", (text ? text : "") + count};
    size_t used = 0, least = 0;

    while (reader.at < reader.end) {
        const char *line;
        size_t n = next_line(&reader, &line);

        used += n;
        least = n > 0 ? used : least;
        used++; /* the newline */
    }
    return least;
}

bool judge_text_equal(const char *a, size_t a_count, const char *b, size_t b_count, unsigned long *ret_line)
{
    /* an empty buffer has no bytes at all, and NULL must not be added to */
    struct reader left = {a ? a : "", (a ? a : "") + a_count}, right = {b ? b : "", (b ? b : "") + b_count};

    for (unsigned long line = 1; left.at < left.end || right.at < right.end; line++) {
        const char *l, *r;
        size_t l_count = next_line(&left, &l), r_count = next_line(&right, &r);

        if (l_count == r_count && memcmp(l, r, l_count) == 0)
            continue;
        if (ret_line)
            *ret_line = line;
        return false;
    }
    return true;
}
