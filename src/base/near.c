/* near.c - the known word that a mistyped one is closest to */
#include "base/near.h"
#include "base/cleanup.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX_BYTES 40 /* no word of ours is longer */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions and replacements from @a to @b, row by row of the usual table; case does not count. */
static size_t edits(const char *a, const char *b)
{
    size_t row[WORD_MAX_BYTES + 1], width = strlen(b);

    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = diagonal + (strncasecmp(a + i, b + j - 1, 1) != 0);

            diagonal = row[j];
            row[j] = least(replaced, least(row[j - 1], row[j]) + 1);
        }
    }
    return row[width];
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
