/* fuzz_eval_words.c - what a program said last */
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
    free(copy);
    return 0;
}
