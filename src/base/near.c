/* near.c - the known word that a mistyped one is closest to */
#include "base/near.h"
#include "base/cleanup.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX_BYTES 40 /* no word of ours is longer */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

/* Insertions, deletions, replacements and exchanges of neighbours from @a to @b, row by row of the usual table, of
 * which the last three are kept; case does not count. */
static size_t edits(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX_BYTES + 1], width = strlen(b), i = 0;

    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    for (i = 1; a[i - 1]; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= width; j++) {
            now[j] = least(before[j - 1] + !is_same(a[i - 1], b[j - 1]), least(now[j - 1], before[j]) + 1);
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[(i + 2) % 3][width];
}

static size_t distance_of(const char *word, const char *known)
{
    size_t word_count = strlen(word), known_count = strlen(known), shorter = least(word_count, known_count);

    if (word_count == 0 || word_count > WORD_MAX_BYTES || known_count > WORD_MAX_BYTES)
        return WORD_MAX_BYTES;
    if (shorter >= 3 && strncasecmp(word, known, shorter) == 0)
        return 1;
    return edits(word, known);
}

void base_near_offer(struct base_near *near, const char *known)
{
    size_t distance = distance_of(near->word, known);
    size_t allowed = strlen(known) / 3 > 0 ? strlen(known) / 3 : 1;

    if (distance > allowed || distance >= strlen(known) || (near->best && distance >= near->distance))
        return;
    near->best = known;
    near->distance = distance;
}

const char *base_near_text(const struct base_near *near, char *text, size_t text_bytes)
{
    (void)snprintf(text, text_bytes, "%s%s%s", near->best ? "did you mean " : "", near->best ? near->best : "",
                   near->best ? "? " : "");
    return text;
}
