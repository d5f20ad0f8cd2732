/* compile.h - inside the room: the compiler of system call filters, for the build and for profiles at run time
 *
 * Pure: tables in, instructions out. Needs nothing but memory.
 */
#pragma once

#include "cage/filter.h"

/* One comparison: a 32-bit half of an argument, masked, is one of two values. The kernel reads most arguments as 32
 * bits, so comparing the lower half is exact where comparing all 64 would let a set high bit past. */
struct cage_term {
    unsigned half; /* 2 * argument, + 1 for the upper half */
    uint32_t mask;
    uint32_t value, or_value;
    bool differs; /* holds when it is neither */
};

/* A row holds when all its terms hold. A call with ALLOW_IF rows is allowed when one holds and denied otherwise; a call
 * with DENY_IF rows is denied when one holds and allowed otherwise. NOTHING_IF rows come first: the call then answers 0
 * without being made. ..._LOOPBACK rows are there where the policy has network: loopback. The text is for people. */
enum cage_effect { CAGE_ALLOW_IF, CAGE_ALLOW_IF_LOOPBACK, CAGE_DENY_IF, CAGE_DENY_IF_LOOPBACK, CAGE_NOTHING_IF };
#define CAGE_TERMS_MAX 4
struct cage_row {
    const char *call;
    enum cage_class class;
    enum cage_effect effect;
    const char *text;
    unsigned count;
    struct cage_term terms[CAGE_TERMS_MAX];
};
extern const struct cage_row cage_rows[];
extern const unsigned cage_row_count;

/* What is wanted of a filter. Nothing set: the default profile with no network. */
struct cage_wish {
    bool loopback;
    const struct cage_numbers *kept;    /* of what the default allows, this stays; NULL: all of it */
    const struct cage_numbers *noticed; /* of these, what is not denied becomes a notification too; NULL: none */
    /* execve with these three arguments is no notification even when noticed; NULL: there is no such call */
    const void *const *first_exec;
};

/* notice.c: what is noticed while learning, and under a policy's observe. */
struct cage_numbers cage_learn_noticed(void);
struct cage_numbers cage_observe_noticed(unsigned observe);

/* Compile the filter for @calls, sorted by number, into @ret_code. Returns how many instructions, or -E2BIG when they
 * do not fit, which no table of ours reaches. */
int cage_compile(const struct cage_call *calls, unsigned call_count, const struct cage_wish *wish,
                 struct sock_filter ret_code[CAGE_FILTER_MAX]);
