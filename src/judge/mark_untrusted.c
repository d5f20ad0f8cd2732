/* mark_untrusted.c - what a guest wrote to its private descriptor
 *
 * Runs outside the cage on bytes that the guest wrote, as many as the policy lets it say. Only whole lines that
 * carry this run's nonce count; nothing is copied but a short reason.
 */

#include "base/cleanup.h"
#include "judge/judge.h"
#include <string.h>

static const struct {
    enum judge_kind kind;
    const char *name;
    enum judge_said said;
} words[] = {
#define JUDGE_WORD(kind, name, said, verdict, text) {JUDGE_##kind, name, JUDGE_SAID_##said},
#include "judge/words.def"
#undef JUDGE_WORD
};

bool judge_kind_speaks(enum judge_kind kind)
{
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (words[i].kind == kind)
            return true;
    return false;
}

/* Which word @line says, with *@ret_used bytes before its payload; NOTHING for any line that is not ours. */
static enum judge_said read_line(const char *line, size_t count, enum judge_kind kind, const char *nonce,
                                 size_t *ret_used)
{
    size_t nonce_count = strlen(nonce);

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        size_t word = strlen(words[i].name), used = word + 1 + nonce_count;

        if (words[i].kind != kind || count < used || memcmp(line, words[i].name, word) != 0 || line[word] != ' ')
            continue;
        if (memcmp(line + word + 1, nonce, nonce_count) != 0 || (count > used && line[used] != ' '))
            continue;
        *ret_used = count > used ? used + 1 : used;
        return words[i].said;
    }
    return JUDGE_SAID_NOTHING;
}

static void keep_reason(const char *payload, size_t count, struct judge_mark *mark)
{
    size_t n = count < sizeof(mark->reason) - 1 ? count : sizeof(mark->reason) - 1;

    for (size_t i = 0; i < n; i++)
        mark->reason[i] = payload[i] ? payload[i] : ' ';
    mark->reason[n] = '\0';
}

void judge_mark_read(const char *bytes, size_t count, enum judge_kind kind, const char *nonce,
                     struct judge_mark *ret_mark)
{
    struct judge_mark mark = {0};
    const char *end = bytes ? bytes + count : NULL, *newline; /* nothing said: no buffer */

    for (const char *line = bytes; line < end; line = newline + 1) {
        size_t used = 0;
        enum judge_said said;

        newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline)
            break; /* torn: the guest was stopped here, or said more than is kept */
        said = read_line(line, (size_t)(newline - line), kind, nonce, &used);
        if (said <= mark.said)
            continue; /* the first of its kind counts */
        mark.said = said;
        keep_reason(line + used, said == JUDGE_SAID_VALUE ? 0 : (size_t)(newline - line) - used, &mark);
        mark.value = said == JUDGE_SAID_VALUE ? line + used : NULL;
        mark.value_count = said == JUDGE_SAID_VALUE ? (size_t)(newline - line) - used : 0;
    }
    *ret_mark = mark;
}
