/* filter.h - the default system call profile: compiled filters and the table of calls (made by the build) */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

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

/* "syscall", "network", ...: the words of the receipt's `class`. */
const char *cage_class_name(enum cage_class class);
