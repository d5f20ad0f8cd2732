/* processors.c - which processors this process may use */
#include "base/processors.h"
#include <stdbool.h>
#include <stddef.h>

static cpu_set_t given;
static bool is_bound;

/* False on a machine with more than the set holds. */
static bool usable(cpu_set_t *ret_set)
{
    if (is_bound)
        *ret_set = given;
    return is_bound || sched_getaffinity(0, sizeof(*ret_set), ret_set) == 0;
}

unsigned base_processors_count(void)
{
    cpu_set_t set;
    int count = usable(&set) ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : (unsigned)count;
}

int base_processors_nth(unsigned nth)
{
    cpu_set_t set;

    if (!usable(&set))
        return -1;
    nth %= base_processors_count();
    for (int number = 0; number < CPU_SETSIZE; number++)
        if (CPU_ISSET(number, &set) && nth-- == 0)
            return number;
    return -1;
}

void base_processors_keep_to(int number)
{
    cpu_set_t had, one;

    if (is_bound || number < 0 || number >= CPU_SETSIZE || !usable(&had))
        return;
    CPU_ZERO(&one);
    CPU_SET(number, &one);
    if (sched_setaffinity(0, sizeof(one), &one) < 0)
        return;
    given = had;
    is_bound = true;
}

const cpu_set_t *base_processors_given(void)
{
    return is_bound ? &given : NULL;
}
