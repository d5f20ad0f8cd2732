/* filter.h - system call filters: the default profile, compiled by the build, and the table of calls
 *
 * The build makes the table and the default's filters (make/filter_make.c); narrower ones are compiled at run time
 * (compile.h).
 */
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* The calls of a profile are this architecture's own. x32 is one more set of calls under the same architecture, told
 * from it by a bit of the number. */
#if defined(__x86_64__)
#define CAGE_NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CAGE_NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call profile for this architecture"
#endif
#define CAGE_X32_BIT 0x40000000u

enum cage_class {
    CAGE_CLASS_SYSCALL,
    CAGE_CLASS_NETWORK,
    CAGE_CLASS_PROCESS,
    CAGE_CLASS_FILESYSTEM,
    CAGE_CLASS_DEVICE,
    CAGE_CLASS_PRIVILEGE,
    CAGE_CLASS_ALLOWED,
};

struct cage_call {
    unsigned nr;
    enum cage_class class;
    const char *name;
    const char *condition; /* "allowed: ..." or "denied: ...", NULL for none */
};
/* Sorted by number. A call that is not here answers ENOSYS. */
extern const struct cage_call cage_calls[];
extern const unsigned cage_call_count;

/* The filter for a guest without network, or with loopback. Static; *@ret_count instructions. */
const struct sock_filter *cage_filter(bool loopback, unsigned *ret_count);

#define CAGE_FILTER_MAX 4096u /* instructions: what the kernel takes */

/* A set of system calls, by number. Every number of a table of ours is below this. */
#define CAGE_NUMBERS 1024u
struct cage_numbers {
    uint64_t bits[CAGE_NUMBERS / 64];
};
static inline bool cage_numbers_has(const struct cage_numbers *numbers, unsigned nr)
{
    return nr < CAGE_NUMBERS && (numbers->bits[nr / 64] >> nr % 64 & 1);
}
static inline void cage_numbers_add(struct cage_numbers *numbers, unsigned nr)
{
    if (nr < CAGE_NUMBERS)
        numbers->bits[nr / 64] |= UINT64_C(1) << nr % 64;
}

/* "syscall", "network", ...: the words of the receipt's `class`. */
const char *cage_class_name(enum cage_class class);
