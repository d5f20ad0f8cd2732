/* judge_child.c - what a filter says about a call, asked after the fact
 *
 * Runs in: the cage's first process, where the loaded filter turns more calls into notifications than it denies
 * (learning, observing). What is decided is decided by the plain filter on the register values of the notification,
 * just as the kernel would have: the guest's memory has no part in it. Must not: allow what it does not understand. It
 * knows the instructions that compile.c puts, and no others.
 */
#include "cage/child.h"
#include <linux/seccomp.h>

#define DENIED SECCOMP_RET_USER_NOTIF

uint32_t cage_judge(const struct sock_filter *code, unsigned count, const struct seccomp_data *data)
{
    uint32_t value = 0;

    for (uint64_t pc = 0; pc < count; pc++) {
        const struct sock_filter *at = &code[pc];
        switch (at->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (at->k % 4 != 0 || at->k > sizeof(*data) - 4)
                return DENIED;
            memcpy(&value, (const char *)data + at->k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            value &= at->k;
            break;
        case BPF_JMP | BPF_JA:
            pc += at->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += value == at->k ? at->jt : at->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += value >= at->k ? at->jt : at->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            pc += value & at->k ? at->jt : at->jf;
            break;
        case BPF_RET | BPF_K:
            return at->k;
        default:
            return DENIED;
        }
    }
    return DENIED;
}
