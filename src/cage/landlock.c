/* landlock.c - what the second wall is worth, by the ABI of the kernel's Landlock
 *
 * Pure: the table of landlock.def, and its words.
 */
#include "base/cleanup.h"
#include "cage/cage.h"
#include <stdio.h>

static const struct cage_landlock_row rows[] = {
#define LANDLOCK(name, word, abi, since, adds, before)                                                                 \
    {abi, "ABI " #abi, word, since, "from Linux " since " on", adds, before},
#include "cage/landlock.def"
#undef LANDLOCK
    {0},
};

const struct cage_landlock_row *cage_landlock_rows(void)
{
    return rows;
}

bool cage_landlock_has(const struct cage_landlock_row *row, int abi, enum policy_network network)
{
    return row->abi <= abi && (row->abi != CAGE_LANDLOCK_TCP || network == POLICY_NETWORK_NONE);
}

static size_t put(char *text, size_t text_bytes, size_t used, const char *word, const char *since)
{
    int count = used < text_bytes ? snprintf(text + used, text_bytes - used, "%s%s%s%s%s", used ? ", " : "", word,
                                             *since ? " (Linux " : "", since, *since ? ")" : "")
                                  : 0;
    return used + (size_t)count;
}

void cage_landlock_text(int abi, enum policy_network network, char *text, size_t text_bytes)
{
    size_t used = 0;

    text[0] = 0;
    for (const struct cage_landlock_row *row = rows; row->abi; row++)
        if (cage_landlock_has(row, abi, network))
            used = put(text, text_bytes, used, row->adds, "");
}

void cage_landlock_lacks(int abi, char *text, size_t text_bytes)
{
    size_t used = 0;

    text[0] = 0;
    for (const struct cage_landlock_row *row = rows; row->abi; row++)
        if (row->abi > abi)
            used = put(text, text_bytes, used, row->adds, row->since);
}
