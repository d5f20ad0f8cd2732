/* pages.h - what a zygote's forks find in memory
 *
 * All of this is about time: where something cannot be had, nothing else is lost.
 */
#pragma once

/* In the zygote, when all is warm: from here on a fork begins with the pages of mapped files in place that are in place
 * here, instead of asking for them one after the other. */
void zygote_pages_inherit(void);

/* Runs of pages that are told of, at most. What is said at once fits into a pipe. */
#define ZYGOTE_PAGES_MAX 512

/* In the zygote, before the fork that is looked at. */
void zygote_pages_begin(void);

/* In that fork, when it has done what all forks do: says to @fd, a pipe, which pages it has written to. */
void zygote_pages_note(int fd);

/* In the zygote again, when the fork is over: hears it from the pipe's other end @fd. Blocks until something comes or
 * nobody can say anything. */
void zygote_pages_learn(int fd);

/* In each later fork, first of all and before any filter: has these pages as its own at once, on Linux 6.14 and later.
 */
void zygote_pages_own(void);
