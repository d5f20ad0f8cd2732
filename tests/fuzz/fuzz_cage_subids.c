/* fuzz_cage_subids.c - lines of /etc/passwd and /etc/subuid: what is found is what newuidmap could be asked for */
#include "cage/subids.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

#define USER 1000

static void use(const struct cage_subids *range)
{
    struct cage_subids part;

    if (range->count == 0 || (uint64_t)range->first + range->count > UINT32_MAX)
        abort();
    if (!cage_subids_part(range, USER, &part))
        return;
    if (part.count == 0 || part.first < range->first || part.first < 1000 ||
        (uint64_t)part.first + part.count > (uint64_t)range->first + range->count)
        abort();
    if (part.first <= USER && USER - part.first < part.count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    const char *text = (const char *)bytes;
    char name[CAGE_SUBIDS_NAME_BYTES] = "";
    struct cage_subids range;
    uint32_t group;

    if (cage_subids_user(text, count, USER, name, &group) && (strlen(name) == 0 || group == UINT32_MAX))
        abort();
    if (cage_subids_range(text, count, name, USER, &range))
        use(&range);
    return 0;
}
