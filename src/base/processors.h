/* processors.h - which processors this process may use */
#pragma once

#include <sched.h>

/* How many, at least 1: of a process that keeps to one of them, how many it was given. */
unsigned base_processors_count(void);

/* The number of the @nth of them, counted from 0; after the last comes the first again. -1: not known. */
int base_processors_nth(unsigned nth);

/* This process and all that it starts from now on keep to processor @number; -1, or one that the kernel refuses,
 * changes nothing. Once, and in single-threaded processes only. */
void base_processors_keep_to(int number);

/* What this process had before it kept to one, for what it starts and does not want to bind; NULL: it is not bound. */
const cpu_set_t *base_processors_given(void);
