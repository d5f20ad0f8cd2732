/* head.h - where the first lines of a Python program end */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct judge_head {
    size_t end;    /* a statement of ours may stand here */
    bool inside;   /* in the middle of a line, behind a ';' */
    bool encoding; /* one of its first two lines is a comment that may say what the encoding is */
};

/* Comments, texts and imports from __future__ must stay first: find the end of them as Python does. Foreign bytes: has
 * a fuzzer. */
void judge_head_find(const char *code, size_t count, struct judge_head *ret_head);

/* Whether a prompt has more than the function @defined and imports that the usual ones have anyway. Says so too often
 * rather than too seldom. */
bool judge_prompt_adds(const char *prompt, size_t count, const char *defined);
