/* mutation.h - protections that are switched off, one by one, to see that somebody notices
 *
 * Only in a build that was asked for it (cmake -DFUMEHOOD_MUTATION=ON), which is never installed. There the environment
 * variable FUMEHOOD_WITHOUT names words of `protections`, with blanks between them; each is claimed and not done. And
 * FUMEHOOD_LANDLOCK_ABI makes an older kernel of this one, as far as Landlock goes. In every other build nothing of
 * this is there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cage_context;

#ifdef FUMEHOOD_MUTATION
/* The ABI of Landlock that is used where the kernel has @abi: at most FUMEHOOD_LANDLOCK_ABI, as on an older kernel; 0
 * is none. */
int cage_mutation_landlock(int abi);

/* Bits by CAGE_STEP_*, of what FUMEHOOD_WITHOUT names. Uses nothing of the C library. */
uint64_t cage_mutation_read(char *const *environment);

/* What is done in the place of @step, which is switched off: mostly nothing. The exec alone would clear capabilities,
 * so for these more is needed. */
void cage_mutation_instead(const struct cage_context *context, unsigned step);
#else
static inline int cage_mutation_landlock(int abi)
{
    return abi;
}
static inline uint64_t cage_mutation_read(char *const *environment)
{
    (void)environment;
    return 0;
}
static inline void cage_mutation_instead(const struct cage_context *context, unsigned step)
{
    (void)context;
    (void)step;
}
#endif
