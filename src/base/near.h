/* near.h - "did you mean": the known word that a mistyped one is closest to */
#pragma once

#include <stddef.h>

struct base_near {
    const char *word; /* what was typed */
    const char *best; /* the closest known word so far, NULL: none is close */
    size_t distance;
};

/* Offer a known word. It counts when it takes few edits, or when one of the two begins with the other. */
void base_near_offer(struct base_near *near, const char *known);

/* "did you mean WORD? ", or "" when none is close. Returns @text. */
const char *base_near_text(const struct base_near *near, char *text, size_t text_bytes);
