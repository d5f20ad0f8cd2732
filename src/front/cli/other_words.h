/* other_words.h - options as people know them from other tools, and what they are here */
#pragma once

#include "base/near.h"
#include <stdbool.h>

struct cli_other_word {
    const char *option;  /* of ours, without the dashes; NULL: it is so in any case */
    const char *value;   /* for that option; lives until the process ends */
    bool uses_next;      /* the value was the next word */
    const char *pointer; /* not NULL: it is not taken, and this says what to do */
    const char *fault;   /* not NULL: it would be, but for its value */
};

/* @word begins with a dash; @next is the word after it, or NULL. False where nothing is known of it. */
bool cli_other_word_find(const char *word, const char *next, struct cli_other_word *ret_other);

/* Offer those that are taken with a value, for a word that is not known. */
void cli_other_words_offer(struct base_near *near);
