/* kernels.c - what kernels have and have not, by their version
 *
 * Pure: the table of kernels.def. A distribution may have added to an older kernel what is here of a newer one; what
 * can be found out by trying is tried, and not looked up here.
 */
#include "base/cleanup.h"
#include "cage/cage.h"
#include <stdio.h>

static const struct cage_kernel_row rows[CAGE_KERNEL_MAX + 1] = {
#define FEATURE(name, word, since, purpose, before) [CAGE_KERNEL_##name] = {word, since, purpose, before},
#include "cage/kernels.def"
#undef FEATURE
};

const struct cage_kernel_row *cage_kernel_rows(void)
{
    return rows;
}

bool cage_kernel_has(const char *release, enum cage_kernel feature)
{
    unsigned major = 0, minor = 0, since_major = 0, since_minor = 0;

    (void)sscanf(release, "%u.%u", &major, &minor);
    (void)sscanf(rows[feature].since, "%u.%u", &since_major, &since_minor);
    return major > since_major || (major == since_major && minor >= since_minor);
}

void cage_kernel_lacks(const char *release, char *text, size_t text_bytes)
{
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < CAGE_KERNEL_MAX && used < text_bytes; i++)
        if (!cage_kernel_has(release, (enum cage_kernel)i))
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s (%s)", used ? ", " : "", rows[i].word,
                                     rows[i].since);
}

const struct cage_kernel_row *cage_kernel_needs(const char *release)
{
    const struct cage_kernel_row *newest = NULL;

    for (int i = 0; i < CAGE_KERNEL_MAX; i++)
        if (!*rows[i].before && !cage_kernel_has(release, (enum cage_kernel)i))
            newest = &rows[i];
    return newest;
}
