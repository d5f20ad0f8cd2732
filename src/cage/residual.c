/* residual.c - what a cage cannot prevent, in words */
#include "base/cleanup.h"
#include "cage/cage.h"

static const struct cage_residual residuals[] = {
#define RESIDUAL(word, helps, text) {word, text, helps},
#include "cage/residuals.def"
#undef RESIDUAL
    {NULL, NULL, POLICY_TIER_MAX},
};

const struct cage_residual *cage_residuals(void)
{
    return residuals;
}
