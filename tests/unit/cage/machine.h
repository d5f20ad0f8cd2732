/* machine.h - a small interpreter of filters, as the kernel would run them; not the program's own (judge_child.c) */
#pragma once

#include "../support.h"
#include "cage/filter.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif
#define FOREIGN AUDIT_ARCH_I386
#define X32     0x40000000u

#define ENOSYS_ANSWER  (SECCOMP_RET_ERRNO | 38)
#define NOTHING_ANSWER SECCOMP_RET_ERRNO /* the error 0: success, and nothing is done */

struct machine {
    const struct sock_filter *code;
    unsigned count;
    unsigned longest, compared; /* most steps and comparisons of any run so far */
    bool asked;                 /* some run so far has looked at an argument */
};

static inline uint32_t load(const struct seccomp_data *data, uint32_t offset)
{
    uint32_t word;

    assert_int_equal(offset % 4, 0);
    assert_true(offset + 4 <= sizeof(*data));
    memcpy(&word, (const char *)data + offset, 4);
    return word;
}

static inline bool holds(const struct sock_filter *at, uint32_t accumulator)
{
    switch (BPF_OP(at->code)) {
    case BPF_JEQ:
        return accumulator == at->k;
    case BPF_JGE:
        return accumulator >= at->k;
    case BPF_JGT:
        return accumulator > at->k;
    case BPF_JSET:
        return accumulator & at->k;
    default:
        fail_msg("jump %#x is not known", at->code);
        return false;
    }
}

static inline uint32_t run(struct machine *machine, const struct seccomp_data *data)
{
    uint32_t accumulator = 0;
    unsigned compared = 0, steps = 0;

    for (unsigned pc = 0;; pc++, steps++) {
        assert_true(pc < machine->count);
        const struct sock_filter *at = &machine->code[pc];
        if (at->code == (BPF_RET | BPF_K)) {
            machine->longest = steps > machine->longest ? steps : machine->longest;
            machine->compared = compared > machine->compared ? compared : machine->compared;
            return at->k;
        }
        if (at->code == (BPF_LD | BPF_W | BPF_ABS)) {
            accumulator = load(data, at->k);
            machine->asked = machine->asked || at->k >= offsetof(struct seccomp_data, args);
        } else if (at->code == (BPF_ALU | BPF_AND | BPF_K)) {
            accumulator &= at->k;
        } else if (at->code == (BPF_JMP | BPF_JA)) {
            assert_true(at->k < machine->count);
            pc += at->k;
        } else if (BPF_CLASS(at->code) == BPF_JMP && BPF_SRC(at->code) == BPF_K) {
            compared++;
            pc += holds(at, accumulator) ? at->jt : at->jf;
        } else {
            fail_msg("instruction %u: %#x is not known", pc, at->code);
        }
    }
}
