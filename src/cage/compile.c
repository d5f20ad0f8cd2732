/* compile.c - the compiler of system call filters
 *
 * Runs in: the build, for the default profile, and the supervisor, for a narrower one. Pure.
 *
 * Theory of operation: all numbers form a line that is cut into intervals with the same answer; the filter finds the
 * interval by binary search, so that no call costs more than ten comparisons. A call with conditions has a small piece
 * of code of its own as its answer.
 */
#include "cage/compile.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#define WHOLE 0xffffffffu

/* What the filter answers for one number. */
enum answer { ANSWER_ENOSYS, ANSWER_ALLOW, ANSWER_NOTIFY, ANSWER_ROWS, ANSWER_FIRST_EXEC };

/* Jumps go forward only and reach 255 instructions. So the filter is made from its end: what is jumped to stands
 * already, and the returns, which all ways end in, are shared as far as a jump reaches. code[] is filled from its top.
 */
#define REACH 255u
struct builder {
    const struct cage_wish *wish;
    struct sock_filter *code;
    unsigned at; /* the first instruction that stands */
    bool full;   /* it did not fit */
    struct {
        enum answer answer;
        const char *call;
    } numbers[CAGE_NUMBERS];
};

static unsigned put(struct builder *builder, uint16_t op, uint8_t jt, uint8_t jf, uint32_t k)
{
    if (builder->at == 0) {
        builder->full = true;
        return 0;
    }
    builder->code[--builder->at] = (struct sock_filter){op, jt, jf, k};
    return builder->at;
}

/* How far a jump must go from the instruction that is put next. */
static unsigned distance(const struct builder *builder, unsigned target)
{
    return target - builder->at;
}

/* The place of a return of @action that the next instructions can reach. */
static unsigned place_return(struct builder *builder, uint32_t action)
{
    for (unsigned at = builder->at; at < CAGE_FILTER_MAX && at < builder->at + REACH - 8; at++)
        if (builder->code[at].code == (BPF_RET | BPF_K) && builder->code[at].k == action)
            return at;
    return put(builder, BPF_RET | BPF_K, 0, 0, action);
}

/* A far target gets an unconditional jump in between; that may push the other one out of reach, hence the third look.
 */
static unsigned within_reach(struct builder *builder, unsigned target)
{
    return distance(builder, target) > REACH ? put(builder, BPF_JMP | BPF_JA, 0, 0, distance(builder, target)) : target;
}

/* A branch to two places that stand. */
static unsigned put_branch(struct builder *builder, uint16_t op, uint32_t k, unsigned if_true, unsigned if_false)
{
    if_false = within_reach(builder, if_false);
    if_true = within_reach(builder, if_true);
    if_false = within_reach(builder, if_false);
    return put(builder, BPF_JMP | op | BPF_K, (uint8_t)distance(builder, if_true), (uint8_t)distance(builder, if_false),
               k);
}

/* Where to go when the term holds and when not. */
static unsigned put_term(struct builder *builder, const struct cage_term *t, unsigned holds, unsigned fails)
{
    unsigned same = t->differs ? fails : holds, other = t->differs ? holds : fails;
    unsigned at = put_branch(builder, BPF_JEQ, t->value, same, other);

    if (t->or_value != t->value)
        at = put_branch(builder, BPF_JEQ, t->or_value, same, at);
    if (t->mask != WHOLE)
        at = put(builder, BPF_ALU | BPF_AND | BPF_K, 0, 0, t->mask);
    (void)at;
    return put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 4 * t->half));
}

static uint32_t action_of(enum cage_effect effect)
{
    switch (effect) {
    case CAGE_DENY_IF:
        return SECCOMP_RET_USER_NOTIF;
    case CAGE_NOTHING_IF:
        return SECCOMP_RET_ERRNO | 0; /* the error 0: the caller sees success */
    case CAGE_ALLOW_IF:
    case CAGE_ALLOW_IF_LOOPBACK:
        break;
    }
    return SECCOMP_RET_ALLOW;
}

static unsigned put_row(struct builder *builder, const struct cage_row *row, unsigned otherwise)
{
    unsigned at = place_return(builder, action_of(row->effect));

    for (unsigned i = row->count; i > 0; i--)
        at = put_term(builder, &row->terms[i - 1], at, otherwise);
    return at;
}

static unsigned place_rows(struct builder *builder, const char *call)
{
    uint32_t last = SECCOMP_RET_USER_NOTIF;
    unsigned at;

    for (unsigned i = 0; i < cage_row_count; i++)
        if (strcmp(cage_rows[i].call, call) == 0 && cage_rows[i].effect == CAGE_DENY_IF)
            last = SECCOMP_RET_ALLOW;
    at = place_return(builder, last);
    for (unsigned i = cage_row_count; i > 0; i--)
        if (strcmp(cage_rows[i - 1].call, call) == 0 &&
            (cage_rows[i - 1].effect != CAGE_ALLOW_IF_LOOPBACK || builder->wish->loopback))
            at = put_row(builder, &cage_rows[i - 1], at);
    return at;
}

/* The cage's first process waits for this one call, so it cannot answer it. */
static unsigned place_first_exec(struct builder *builder)
{
    unsigned otherwise = place_return(builder, SECCOMP_RET_USER_NOTIF);
    unsigned at = place_return(builder, SECCOMP_RET_ALLOW);

    for (unsigned half = 6; half > 0; half--) {
        uint64_t pointer = (uint64_t)(uintptr_t)builder->wish->first_exec[(half - 1) / 2];
        uint32_t value = (uint32_t)(half % 2 ? pointer : pointer >> 32);
        const struct cage_term term = {half - 1, WHOLE, value, value, false};
        at = put_term(builder, &term, at, otherwise);
    }
    return at;
}

static unsigned place_answer(struct builder *builder, unsigned nr)
{
    switch (builder->numbers[nr].answer) {
    case ANSWER_ALLOW:
        return place_return(builder, SECCOMP_RET_ALLOW);
    case ANSWER_NOTIFY:
        return place_return(builder, SECCOMP_RET_USER_NOTIF);
    case ANSWER_ROWS:
        return place_rows(builder, builder->numbers[nr].call);
    case ANSWER_FIRST_EXEC:
        return place_first_exec(builder);
    case ANSWER_ENOSYS:
        break;
    }
    return place_return(builder, SECCOMP_RET_ERRNO | ENOSYS);
}

static bool same_answer(const struct builder *builder, unsigned a, unsigned b)
{
    enum answer answer = builder->numbers[a].answer;

    return answer == builder->numbers[b].answer && answer != ANSWER_ROWS && answer != ANSWER_FIRST_EXEC;
}

/* Search among the intervals that start at starts[first..last]; the number is in the accumulator. */
static unsigned put_search(struct builder *builder, const unsigned *starts, unsigned first, unsigned last)
{
    if (first == last)
        return place_answer(builder, starts[first]);
    unsigned middle = first + (last - first + 1) / 2;
    unsigned right = put_search(builder, starts, middle, last);
    unsigned left = put_search(builder, starts, first, middle - 1);
    return put_branch(builder, BPF_JGE, starts[middle], right, left);
}

static void put_filter(struct builder *builder)
{
    unsigned starts[CAGE_NUMBERS], count = 0, search, foreign;

    for (unsigned nr = 0; nr < CAGE_NUMBERS; nr++)
        if (nr == 0 || !same_answer(builder, nr - 1, nr))
            starts[count++] = nr;
    search = put_search(builder, starts, 0, count - 1);
    foreign = place_return(builder, SECCOMP_RET_USER_NOTIF);
    search = put_branch(builder, BPF_JGE, CAGE_X32_BIT, foreign, search);
    search = put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    (void)put_branch(builder, BPF_JEQ, CAGE_NATIVE_ARCH, search, foreign);
    (void)put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
}

static enum answer answer_of(const struct cage_call *call, const struct cage_wish *wish)
{
    bool denied = !call->condition && call->class != CAGE_CLASS_ALLOWED;

    if (denied || (wish->kept && !cage_numbers_has(wish->kept, call->nr)))
        return ANSWER_NOTIFY;
    if (wish->noticed && cage_numbers_has(wish->noticed, call->nr))
        return wish->first_exec && strcmp(call->name, "execve") == 0 ? ANSWER_FIRST_EXEC : ANSWER_NOTIFY;
    return call->condition ? ANSWER_ROWS : ANSWER_ALLOW;
}

int cage_compile(const struct cage_call *calls, unsigned call_count, const struct cage_wish *wish,
                 struct sock_filter ret_code[CAGE_FILTER_MAX])
{
    struct builder builder = {.wish = wish, .code = ret_code, .at = CAGE_FILTER_MAX};
    unsigned count;

    for (unsigned i = 0; i < call_count; i++) {
        builder.numbers[calls[i].nr].call = calls[i].name;
        builder.numbers[calls[i].nr].answer = answer_of(&calls[i], wish);
    }
    put_filter(&builder);
    if (builder.full)
        return -E2BIG;
    count = CAGE_FILTER_MAX - builder.at;
    memmove(ret_code, ret_code + builder.at, count * sizeof(*ret_code));
    return (int)count;
}
