/* mutation_child.c - which protections are switched off (mutation.h)
 *
 * Runs in: the supervisor, before anything else. Empty but in a build with mutations.
 */
#include "cage/mutation.h"

#ifdef FUMEHOOD_MUTATION

#include "base/cleanup.h"
#include "cage/child.h"
#include "cage/kernel.h"
#include "cage/plain.h"
#include <linux/capability.h>

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
        if (cage_text_starts(*environment, VARIABLE)) {
            uint64_t bits = bits_of(*environment + sizeof(VARIABLE) - 1);
            /* An empty bounding set and its locked bits do not let anybody keep a capability. */
            return bits & CAGE_BIT(CAPABILITIES) ? bits | CAGE_BIT(BOUNDING) : bits;
        }
    return 0;
}

static void raise_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};

    (void)KERNEL(SYS_capget, &header, data);
    for (int i = 0; i < 2; i++)
        data[i].effective = data[i].inheritable = data[i].permitted;
    (void)KERNEL(SYS_capset, &header, data);
    for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++)
        (void)kernel_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability);
}

void cage_mutation_instead(const struct cage_context *context, unsigned step)
{
    if (!(context->without & CAGE_BIT(CAPABILITIES)))
        return;
    if (step == CAGE_STEP_BOUNDING)
        (void)kernel_prctl(PR_SET_KEEPCAPS, 1, 0); /* over the change of ids that follows */
    if (step == CAGE_STEP_CAPABILITIES)
        raise_capabilities();
}

#endif
