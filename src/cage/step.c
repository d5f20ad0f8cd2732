/* step.c - the words of the plan's steps */
#include "base/cleanup.h"
#include "cage/cage.h"

static const struct {
    const char *name, *text;
} steps[CAGE_AT_MAX] = {
#define STEP(id, word, where, meaning) [CAGE_STEP_##id] = {word, meaning},
#include "cage/steps.def"
#undef STEP
    [CAGE_AT_START] = {"start", "starting the cage's first process"},
    [CAGE_AT_INPUTS] = {"inputs", "placing the program and its files"},
    [CAGE_AT_PROOF] = {"proof", "reading back that every promise is kept"},
    [CAGE_AT_EXEC] = {"exec", "starting the program"},
    [CAGE_AT_OBSERVE] = {"observe", "reading what the program names"},
};

const char *cage_step_name(unsigned step)
{
    return step < CAGE_AT_MAX ? steps[step].name : "unknown";
}

const char *cage_step_text(unsigned step)
{
    return step < CAGE_AT_MAX ? steps[step].text : "";
}
