/* fuzz_eval_words.c - what a program said last, and how its output differs */
#include "eval/words.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *copy = malloc(count + 1); /* of that size: what reads beyond it is seen */
    struct warden_stream stream = {.kept = {.bytes = copy, .count = count}};
    char words[40];

    if (!copy)
        return 0;
    memcpy(copy, bytes, count);
    copy[count] = 'x';
    eval_words_find(&stream, words, sizeof(words));
    if (strnlen(words, sizeof(words)) == sizeof(words) || strchr(words, '\n'))
        abort();
    for (unsigned long line = 1; line < 4; line++) {
        char text[200];

        eval_words_differ(&stream.kept, "x\ny\xc3\xa4z\n", 7, line, text, sizeof(text));
        if (strnlen(text, sizeof(text)) > 160 || strchr(text, '\n') || strchr(text, '\x1b'))
            abort();
    }
    (void)eval_words_are_of(words, "E");
    free(copy);
    return 0;
}
