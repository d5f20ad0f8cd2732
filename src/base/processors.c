/* processors.c - which processors this process may use */
#include "base/processors.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static cpu_set_t given;
static struct base_processors bound;
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

int base_processors_of_worker(unsigned nth, unsigned workers)
{
    return workers < base_processors_count() ? -1 : base_processors_nth(nth);
}

/* All, or what was given where somebody has narrowed that: asked for all, the kernel gives what its groups allow. */
static cpu_set_t what_frees(const cpu_set_t *had)
{
    cpu_set_t all, got;

    memset(&all, 0xff, sizeof(all));
    if (sched_setaffinity(0, sizeof(all), &all) < 0)
        return *had;
    return sched_getaffinity(0, sizeof(got), &got) == 0 && CPU_EQUAL(&got, had) ? all : *had;
}

void base_processors_keep_to(int number)
{
    cpu_set_t had;

    if (is_bound || number < 0 || number >= CPU_SETSIZE || !usable(&had) || !CPU_ISSET(number, &had))
        return;
    given = had;
    bound.free = what_frees(&had);
    CPU_ZERO(&bound.bound_to);
    CPU_SET(number, &bound.bound_to);
    is_bound = sched_setaffinity(0, sizeof(bound.bound_to), &bound.bound_to) == 0;
    if (!is_bound)
        (void)sched_setaffinity(0, sizeof(had), &had); /* where this fails too, nothing had been changed */
}

const struct base_processors *base_processors_bound(void)
{
    return is_bound ? &bound : NULL;
}
