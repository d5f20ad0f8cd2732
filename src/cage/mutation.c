/* mutation.c - an older kernel's Landlock, to see what is said and done there (mutation.h)
 *
 * Empty but in a build with mutations.
 */
#include "cage/mutation.h"

#ifdef FUMEHOOD_MUTATION

#include <stdlib.h>

int cage_mutation_landlock(int abi)
{
    const char *word = getenv("FUMEHOOD_LANDLOCK_ABI");
    int most = word && *word >= '0' && *word <= '9' ? *word - '0' : abi;

    return abi > most ? most : abi;
}

#endif
