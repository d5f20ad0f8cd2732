/* json_bound_untrusted.c - count what a JSON text costs before it is read
 *
 * The bytes may come from anybody. One pass, no allocation, a table look-up a byte. The costs are those of jansson 2.14
 * on a 64-bit machine with glibc's allocator, each rounded up; the fuzz target compares them with what is really asked
 * for.
 */
#include "base/json_bound.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum token { OTHER, QUOTE, LIST, OBJECT, CLOSE, COMMA, COLON, WORD };

/* In bytes. What grows by doubling is counted at the moment when the old and the new table are both there. */
static const unsigned short costs[] = {
    [QUOTE] = 80,   /* a text's head, and what its bytes' block takes beside them */
    [LIST] = 128,   /* a list's head and its first table */
    [OBJECT] = 224, /* an object's head and its first buckets */
    [COMMA] = 24,   /* the next one's place in the table or the buckets */
    [COLON] = 64,   /* with the text before it: a pair, and its share of the buckets */
    [WORD] = 32,    /* a number's head; true, false and null take less */
};

static const unsigned char tokens[256] = {
    ['"'] = QUOTE, ['['] = LIST, ['{'] = OBJECT, [']'] = CLOSE, ['}'] = CLOSE, [','] = COMMA,
    [':'] = COLON, ['-'] = WORD, ['0'] = WORD,   ['1'] = WORD,  ['2'] = WORD,  ['3'] = WORD,
    ['4'] = WORD,  ['5'] = WORD, ['6'] = WORD,   ['7'] = WORD,  ['8'] = WORD,  ['9'] = WORD,
};

struct count {
    const char *at, *end;
    size_t sum, longest; /* longest: of one text or number, which is gathered before it is copied */
    unsigned levels, deepest;
};

/* Past the text that begins at count->at; a torn one ends at the end. */
static void skip_text(struct count *count)
{
    const char *first = count->at++;

    while (count->at < count->end && *count->at != '"')
        count->at += *count->at == '\\' && count->end - count->at > 1 ? 2 : 1;
    count->at += count->at < count->end;
    count->sum += (size_t)(count->at - first);
    if ((size_t)(count->at - first) > count->longest)
        count->longest = (size_t)(count->at - first);
}

/* Past a number, or what begins as one. */
static void skip_number(struct count *count)
{
    const char *first = count->at;

    while (count->at < count->end && (tokens[(unsigned char)*count->at] == WORD || *count->at == '.' ||
                                      *count->at == '+' || (*count->at | 0x20) == 'e'))
        count->at++;
    if ((size_t)(count->at - first) > count->longest)
        count->longest = (size_t)(count->at - first);
}

static void take(struct count *count)
{
    enum token token = tokens[(unsigned char)*count->at];

    count->sum += costs[token];
    if (token == QUOTE) {
        skip_text(count);
        return;
    }
    if (token == WORD) {
        skip_number(count);
        return;
    }
    count->at++;
    if (token == LIST || token == OBJECT)
        count->levels++;
    else if (token == CLOSE && count->levels > 0)
        count->levels--;
    if (count->levels > count->deepest)
        count->deepest = count->levels;
}

/* The text that is gathered grows by doubling, too. */
static size_t memory_of(const struct count *count)
{
    return count->sum + 3 * count->longest + 1024;
}

int base_json_bound(const char *bytes, size_t count, size_t memory_max_bytes, struct base_json_bound *ret_bound)
{
    struct count state = {.at = bytes, .end = bytes + count};
    size_t at = 0;
    bool within = true;

    while (state.at < state.end && within) {
        at = (size_t)(state.at - bytes);
        take(&state);
        within = state.deepest <= BASE_JSON_LEVELS_MAX && memory_of(&state) <= memory_max_bytes;
    }
    *ret_bound = (struct base_json_bound){memory_of(&state), within ? count : at, state.deepest};
    return within ? 0 : BASE_E_TOO_LARGE;
}

const char *base_json_bound_text(const struct base_json_bound *bound, size_t memory_max_bytes, char *text,
                                 size_t text_bytes)
{
    if (bound->levels > BASE_JSON_LEVELS_MAX)
        (void)snprintf(text, text_bytes, "more than %d levels of lists and objects", BASE_JSON_LEVELS_MAX);
    else
        (void)snprintf(text, text_bytes, "its values would take more than %zu MiB of memory", memory_max_bytes >> 20);
    return text;
}

void base_json_bound_place(const char *bytes, const struct base_json_bound *bound, int *ret_line, int *ret_column)
{
    *ret_line = *ret_column = 1;
    for (size_t i = 0; i < bound->at; i++) {
        if (bytes[i] == '\n') {
            ++*ret_line;
            *ret_column = 1;
        } else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
            ++*ret_column; /* columns count characters, not bytes */
        }
    }
}

int base_json_check(const char *bytes, size_t count, size_t memory_max_bytes, const char *place, unsigned long line,
                    size_t *ret_memory_bytes, struct base_err *err)
{
    struct base_json_bound bound;
    char where[256], what[128];
    int below, column, r = base_json_bound(bytes, count, memory_max_bytes, &bound);

    if (ret_memory_bytes)
        *ret_memory_bytes = bound.memory_bytes;
    if (r == 0)
        return 0;
    base_json_bound_place(bytes, &bound, &below, &column);
    (void)snprintf(where, sizeof(where), "%s:%lu:%d", place, line + (unsigned long)below - 1, column);
    return base_err_set(err, r, where, "%s", base_json_bound_text(&bound, memory_max_bytes, what, sizeof(what)));
}
