/* mutation_child.c - which protections are switched off (mutation.h)
 *
 * Runs in: the supervisor, before anything else. Empty but in a build with mutations.
 */
#include "cage/mutation.h"

#ifdef FUMEHOOD_MUTATION

#include "base/cleanup.h"
#include "cage/cage.h"
#include "cage/plain.h"

#define VARIABLE "FUMEHOOD_WITHOUT="

static const char *const words[CAGE_STEP_MAX] = {
#define STEP(name, word, where, text) [CAGE_STEP_##name] = word,
#include "cage/steps.def"
#undef STEP
};

static uint64_t bits_of(const char *list)
{
    uint64_t bits = 0;

    while (*list) {
        size_t length = 0;
        while (list[length] && list[length] != ' ')
            length++;
        for (unsigned step = 0; step < CAGE_STEP_MAX; step++)
            if (cage_text_length(words[step]) == length && cage_text_starts(list, words[step]))
                bits |= UINT64_C(1) << step;
        list += length + (list[length] == ' ');
    }
    return bits;
}

uint64_t cage_mutation_read(char *const *environment)
{
    for (; *environment; environment++)
        if (cage_text_starts(*environment, VARIABLE))
            return bits_of(*environment + sizeof(VARIABLE) - 1);
    return 0;
}

#endif
