/* processors.h - which processors this process may use */
#pragma once

#include <sched.h>

/* How many, at least 1: of a process that keeps to one of them, how many it was given. */
unsigned base_processors_count(void);

/* The number of the @nth of them, counted from 0; after the last comes the first again. -1: not known. */
int base_processors_nth(unsigned nth);

/* What the @nth of so many workers is to keep to: with as many workers as processors, or more, each has one. -1: none,
 * since with fewer, what a run is made of is done at the same time on several. */
int base_processors_of_worker(unsigned nth, unsigned workers);

/* This process and all that it starts from now on keep to processor @number. -1, and one that it may not use, change
 * nothing. Once, and in single-threaded processes only. */
void base_processors_keep_to(int number);

/* For what a process starts and does not want to bind. */
struct base_processors {
    cpu_set_t bound_to; /* the one that it keeps to */
    cpu_set_t free;     /* what it may ask for instead. All there can be, where nobody had narrowed it: the kernel then
                           gives what the group of processes may use at that time */
};

/* NULL: this process is not bound. */
const struct base_processors *base_processors_bound(void);
