/* compile.c - the compiler of system call filters
 *
 * Runs in: the build, for the default profile, and the supervisor, for a narrower one. Pure.
 *
 * Theory of operation: all numbers form a line that is cut into runs with the same answer. Runs of one answer with no
 * more than a few single numbers between them are a stretch; the filter finds the stretch by binary search, and then
 * asks for its exceptions one by one. A call with conditions has a small piece of code of its own as its answer;
 * where those are a list of values of one argument, that is such a search again. The kernel checks and translates a
 * filter before each guest, so every instruction costs time: no piece stands twice where one can serve, and no argument
 * is asked for what is known of it.
 */
#include "cage/compile.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#define WHOLE 0xffffffffu

/* Jumps go forward only and reach 255 instructions. So the filter is made from its end: what is jumped to stands
 * already. code[] is filled from its top. What is in this reach still is after the few instructions that are put next.
 */
#define REACH 240u
struct builder {
    const struct cage_wish *wish;
    struct sock_filter *code;
    unsigned at; /* the first instruction that stands */
    bool full;   /* it did not fit */
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

/* Whether jumps at the same place of two pieces, the second @apart behind the first, lead to the same: to one place, or
 * both to the same of the @rest of their own piece. */
static bool same_jump(unsigned first, unsigned second, unsigned apart, unsigned rest)
{
    return first == second + apart || (first == second && first < rest);
}

/* Both pieces end with a branch or a return. */
static bool same_piece(const struct sock_filter *first, const struct sock_filter *second, unsigned length)
{
    unsigned apart = (unsigned)(second - first);

    for (unsigned i = 0, rest = length - 1; i < length; i++, rest--) {
        const struct sock_filter *a = &first[i], *b = &second[i];
        if (a->code != b->code || a->k != b->k)
            return false;
        if (BPF_CLASS(a->code) == BPF_JMP &&
            !(same_jump(a->jt, b->jt, apart, rest) && same_jump(a->jf, b->jf, apart, rest)))
            return false;
    }
    return true;
}

/* Where the piece that was put last is to be found: where an equal one stands in reach, and then the last is taken
 * back. The furthest is looked at first, as the returns are there. */
static unsigned stand(struct builder *builder, unsigned length)
{
    unsigned last = builder->at, next = last + length;
    unsigned at = last + REACH < CAGE_FILTER_MAX - length ? last + REACH : CAGE_FILTER_MAX - length;

    while (at >= next && !same_piece(&builder->code[last], &builder->code[at], length))
        at--;
    if (at < next)
        return last;
    builder->at = next;
    return at;
}

static unsigned place_return(struct builder *builder, uint32_t action)
{
    (void)put(builder, BPF_RET | BPF_K, 0, 0, action);
    return stand(builder, 1);
}

/* What does in reach as the target does: for a far one another return, or a jump without condition. */
static unsigned within_reach(struct builder *builder, unsigned target)
{
    const struct sock_filter *there = &builder->code[target];

    if (distance(builder, target) <= REACH)
        return target;
    if (there->code == (BPF_RET | BPF_K))
        return place_return(builder, there->k);
    return put(builder, BPF_JMP | BPF_JA, 0, 0, distance(builder, target));
}

/* A branch to two places in reach. */
static unsigned put_branch(struct builder *builder, uint16_t op, uint32_t k, unsigned if_true, unsigned if_false)
{
    return put(builder, BPF_JMP | op | BPF_K, (uint8_t)distance(builder, if_true), (uint8_t)distance(builder, if_false),
               k);
}

/* --- the search --- */

#define EXCEPTIONS_MAX 2u   /* in a stretch: with more, most numbers would take more steps than a search saves */
#define KERNEL_NUMBERS 480u /* about as many calls as kernels have */
#define RUN_WEIGHT     6u   /* in numbers: how much a run counts where the line is halved */

struct line {
    struct run {
        uint32_t start; /* up to the next one's, all numbers answer alike */
        unsigned place;
    } runs[CAGE_NUMBERS + 3]; /* two for what is behind the tables, and the line's end */
    unsigned run_count;
    unsigned stretches[CAGE_NUMBERS + 3]; /* the first run of each, and the line's end */
    unsigned stretch_count;
};

static void add_run(struct line *line, uint32_t start, unsigned place)
{
    if (line->run_count == 0 || line->runs[line->run_count - 1].place != place)
        line->runs[line->run_count++] = (struct run){start, place};
}

static bool is_single(const struct run *run)
{
    return run[1].start - run->start == 1;
}

/* Where the stretch that begins with run @first ends: behind the last one that has the same answer. */
static unsigned stretch_end(const struct line *line, unsigned first)
{
    unsigned end = first + 1, exceptions = 0;

    for (unsigned run = end; run < line->run_count && exceptions <= EXCEPTIONS_MAX; run++)
        if (line->runs[run].place == line->runs[first].place)
            end = run + 1;
        else if (is_single(&line->runs[run]))
            exceptions++;
        else
            break;
    return end;
}

static void end_line(struct line *line)
{
    line->runs[line->run_count].start = WHOLE;
    for (unsigned run = 0; run < line->run_count; run = stretch_end(line, run))
        line->stretches[line->stretch_count++] = run;
    line->stretches[line->stretch_count] = line->run_count;
}

/* Of the runs from @first up to @end, all but single numbers have the answer of the first. */
static unsigned put_stretch(struct builder *builder, const struct run *first, const struct run *end)
{
    unsigned at = first->place;

    for (const struct run *run = end - 1; run > first; run--)
        if (run->place != first->place) {
            unsigned exception = within_reach(builder, run->place);
            at = within_reach(builder, at);
            at = put_branch(builder, BPF_JEQ, run->start, exception, at);
        }
    return at;
}

/* How much of the line is before a stretch. Numbers count, as the kernel goes the way of each when it takes the filter;
 * runs count, so that no way becomes long. */
static unsigned weight_before(const struct line *line, unsigned stretch)
{
    unsigned run = line->stretches[stretch];
    uint32_t start = line->runs[run].start;

    return (start < KERNEL_NUMBERS ? start : KERNEL_NUMBERS) + RUN_WEIGHT * run;
}

static unsigned middle_of(const struct line *line, unsigned first, unsigned last)
{
    unsigned both = weight_before(line, first) + weight_before(line, last + 1), middle = first + 1;

    while (middle < last && weight_before(line, middle) + weight_before(line, middle + 1) < both)
        middle++;
    return middle;
}

/* Search among the stretches first..last; the number is in the accumulator. */
static unsigned put_search(struct builder *builder, const struct line *line, unsigned first, unsigned last)
{
    const struct run *runs = line->runs;
    unsigned middle, right, left;

    if (first == last)
        return put_stretch(builder, &runs[line->stretches[first]], &runs[line->stretches[first + 1]]);
    middle = middle_of(line, first, last);
    right = put_search(builder, line, middle, last);
    left = put_search(builder, line, first, middle - 1);
    right = within_reach(builder, right);
    left = within_reach(builder, left);
    return put_branch(builder, BPF_JGE, runs[line->stretches[middle]].start, right, left);
}

/* --- conditions --- */

/* What a test has told: that it is one of the term's values, or that it is neither. */
struct known {
    const struct known *before;
    const struct cage_term *term;
    bool is;
};

/* How far the rows of a call have been gone through, and what is known there. */
struct way {
    const char *call;
    uint32_t otherwise; /* the action when no row holds */
    unsigned row, term;
    const struct known *known;
};

/* Bits of which none is set, or a single one that is, are tested as they are. */
static bool is_of_bits(const struct cage_term *t)
{
    bool is_single = (t->mask & (t->mask - 1)) == 0 && t->value == t->mask;

    return t->mask != WHOLE && t->value == t->or_value && (t->value == 0 || is_single);
}

/* What the accumulator is masked with for the test. */
static uint32_t mask_of(const struct cage_term *t)
{
    return is_of_bits(t) ? WHOLE : t->mask;
}

/* Whether the last test has left what this one needs in the accumulator. */
static bool is_loaded(const struct cage_term *t, const struct known *known)
{
    return known && known->term->half == t->half && mask_of(known->term) == mask_of(t);
}

/* Where to go when what is in the accumulator is one of the term's values and when not. */
static unsigned put_test(struct builder *builder, const struct cage_term *t, unsigned is, unsigned is_not)
{
    if (is_of_bits(t) && t->value == 0)
        return put_branch(builder, BPF_JSET, t->mask, is_not, is);
    if (is_of_bits(t))
        return put_branch(builder, BPF_JSET, t->mask, is, is_not);
    if (t->or_value != t->value)
        is_not = put_branch(builder, BPF_JEQ, t->or_value, is, is_not);
    return put_branch(builder, BPF_JEQ, t->value, is, is_not);
}

static unsigned put_term(struct builder *builder, const struct cage_term *t, const struct known *known, unsigned is,
                         unsigned is_not)
{
    unsigned end;

    is = within_reach(builder, is);
    is_not = within_reach(builder, is_not);
    end = builder->at;
    (void)put_test(builder, t, is, is_not);
    if (!is_loaded(t, known) && mask_of(t) != WHOLE)
        (void)put(builder, BPF_ALU | BPF_AND | BPF_K, 0, 0, t->mask);
    if (!is_loaded(t, known))
        (void)put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0,
                  (uint32_t)(offsetof(struct seccomp_data, args) + 4 * t->half));
    return stand(builder, end - builder->at);
}

static bool has_value(const struct cage_term *t, uint32_t value)
{
    return value == t->value || value == t->or_value;
}

/* 1: the term is known to hold, 0: to fail, -1: it must be tested. */
static int truth_of(const struct cage_term *t, const struct known *known)
{
    for (; known; known = known->before) {
        const struct cage_term *k = known->term;
        if (k->half != t->half || k->mask != t->mask)
            continue;
        if (known->is && has_value(t, k->value) == has_value(t, k->or_value))
            return has_value(t, k->value) != t->differs;
        if (!known->is && has_value(k, t->value) && has_value(k, t->or_value))
            return t->differs;
    }
    return -1;
}

static uint32_t action_of(enum cage_effect effect)
{
    switch (effect) {
    case CAGE_DENY_IF:
    case CAGE_DENY_IF_LOOPBACK:
        return SECCOMP_RET_USER_NOTIF;
    case CAGE_NOTHING_IF:
        return SECCOMP_RET_ERRNO | 0; /* the error 0: the caller sees success */
    case CAGE_ALLOW_IF:
    case CAGE_ALLOW_IF_LOOPBACK:
        break;
    }
    return SECCOMP_RET_ALLOW;
}

static bool is_denial(enum cage_effect effect)
{
    return effect == CAGE_DENY_IF || effect == CAGE_DENY_IF_LOOPBACK;
}

static bool is_for_loopback(enum cage_effect effect)
{
    return effect == CAGE_ALLOW_IF_LOOPBACK || effect == CAGE_DENY_IF_LOOPBACK;
}

static unsigned next_row(const struct builder *builder, const char *call, unsigned row)
{
    while (row < cage_row_count && (strcmp(cage_rows[row].call, call) != 0 ||
                                    (is_for_loopback(cage_rows[row].effect) && !builder->wish->loopback)))
        row++;
    return row;
}

/* A term that holds leads to the row's next, one that fails to the next row. */
static struct way after(struct way way, bool holds)
{
    way.row += holds ? 0 : 1;
    way.term = holds ? way.term + 1 : 0;
    return way;
}

static unsigned place_way(struct builder *builder, struct way way);

/* The test of a term, and before it all that follows from it. */
static unsigned place_term(struct builder *builder, struct way way, const struct cage_term *t)
{
    const struct known *before = way.known;
    const struct known known_is = {before, t, true}, known_is_not = {before, t, false};
    unsigned is, is_not;

    way.known = &known_is;
    is = place_way(builder, after(way, !t->differs));
    way.known = &known_is_not;
    is_not = place_way(builder, after(way, t->differs));
    return put_term(builder, t, before, is, is_not);
}

/* The code of what is left of the rows. */
static unsigned place_way(struct builder *builder, struct way way)
{
    const struct cage_row *row;
    int truth;

    way.row = next_row(builder, way.call, way.row);
    row = &cage_rows[way.row];
    if (way.row == cage_row_count)
        return place_return(builder, way.otherwise);
    if (way.term == row->count)
        return place_return(builder, action_of(row->effect));
    truth = truth_of(&row->terms[way.term], way.known);
    return truth < 0 ? place_term(builder, way, &row->terms[way.term]) : place_way(builder, after(way, truth));
}

/* --- lists of values --- */

#define VALUES_MIN 8u /* fewer are asked for one by one */

/* Whether the rows of a call each say what one value of the same argument means. */
static bool is_list(const char *call, unsigned *ret_half)
{
    unsigned count = 0;

    for (unsigned i = 0; i < cage_row_count; i++) {
        const struct cage_term *t = &cage_rows[i].terms[0];
        if (strcmp(cage_rows[i].call, call) != 0)
            continue;
        if (cage_rows[i].count != 1 || t->mask != WHOLE || t->value != t->or_value || t->differs)
            return false;
        if (count++ == 0)
            *ret_half = t->half;
        if (t->half != *ret_half)
            return false;
    }
    return count >= VALUES_MIN;
}

/* The first row of the call with the lowest value from @from on, or NULL. */
static const struct cage_row *next_value(const struct builder *builder, const char *call, uint32_t from)
{
    const struct cage_row *next = NULL;

    for (unsigned i = 0; (i = next_row(builder, call, i)) < cage_row_count; i++) {
        uint32_t value = cage_rows[i].terms[0].value;
        if (value >= from && (!next || value < next->terms[0].value))
            next = &cage_rows[i];
    }
    return next;
}

/* The search that finds a call's number finds a value as well. */
static unsigned place_list(struct builder *builder, const char *call, unsigned half, uint32_t otherwise)
{
    const struct cage_row *row;
    struct line line = {.run_count = 0};
    uint32_t from = 0;

    while ((row = next_value(builder, call, from))) {
        uint32_t value = row->terms[0].value;
        if (value > from)
            add_run(&line, from, place_return(builder, otherwise));
        add_run(&line, value, place_return(builder, action_of(row->effect)));
        from = value + 1;
    }
    add_run(&line, from, place_return(builder, otherwise));
    end_line(&line);
    (void)put_search(builder, &line, 0, line.stretch_count - 1);
    return put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 4 * half));
}

static unsigned place_rows(struct builder *builder, const char *call)
{
    struct way way = {.call = call, .otherwise = SECCOMP_RET_USER_NOTIF};
    unsigned half = 0;

    for (unsigned i = 0; i < cage_row_count; i++)
        if (strcmp(cage_rows[i].call, call) == 0 && is_denial(cage_rows[i].effect))
            way.otherwise = SECCOMP_RET_ALLOW;
    return is_list(call, &half) ? place_list(builder, call, half, way.otherwise) : place_way(builder, way);
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
        at = put_term(builder, &term, NULL, at, otherwise);
    }
    return at;
}

static unsigned place_call(struct builder *builder, const struct cage_call *call)
{
    const struct cage_wish *wish = builder->wish;
    bool denied = !call->condition && call->class != CAGE_CLASS_ALLOWED;

    if (denied || (wish->kept && !cage_numbers_has(wish->kept, call->nr)))
        return place_return(builder, SECCOMP_RET_USER_NOTIF);
    if (wish->noticed && cage_numbers_has(wish->noticed, call->nr))
        return wish->first_exec && strcmp(call->name, "execve") == 0 ? place_first_exec(builder)
                                                                     : place_return(builder, SECCOMP_RET_USER_NOTIF);
    return call->condition ? place_rows(builder, call->name) : place_return(builder, SECCOMP_RET_ALLOW);
}

/* --- the whole --- */

/* Behind the tables there is nothing, up to the numbers of x32. */
static void find_runs(struct builder *builder, struct line *line, const struct cage_call *calls, unsigned call_count)
{
    unsigned nr = 0;

    for (unsigned i = 0; i < call_count; i++) {
        if (calls[i].nr > nr)
            add_run(line, nr, place_return(builder, SECCOMP_RET_ERRNO | ENOSYS));
        add_run(line, calls[i].nr, place_call(builder, &calls[i]));
        nr = calls[i].nr + 1;
    }
    add_run(line, nr, place_return(builder, SECCOMP_RET_ERRNO | ENOSYS));
    add_run(line, CAGE_X32_BIT, place_return(builder, SECCOMP_RET_USER_NOTIF));
    end_line(line);
}

static void put_filter(struct builder *builder, const struct cage_call *calls, unsigned call_count)
{
    struct line line = {.run_count = 0};
    unsigned search, foreign;

    find_runs(builder, &line, calls, call_count);
    /* There are two stretches at least, as nothing and x32 are in no one: so a branch is what was put last. */
    (void)put_search(builder, &line, 0, line.stretch_count - 1);
    search = put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    foreign = place_return(builder, SECCOMP_RET_USER_NOTIF);
    (void)put_branch(builder, BPF_JEQ, CAGE_NATIVE_ARCH, search, foreign);
    (void)put(builder, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
}

int cage_compile(const struct cage_call *calls, unsigned call_count, const struct cage_wish *wish,
                 struct sock_filter ret_code[CAGE_FILTER_MAX])
{
    struct builder builder = {.wish = wish, .code = ret_code, .at = CAGE_FILTER_MAX};
    unsigned count;

    put_filter(&builder, calls, call_count);
    if (builder.full)
        return -E2BIG;
    count = CAGE_FILTER_MAX - builder.at;
    memmove(ret_code, ret_code + builder.at, count * sizeof(*ret_code));
    return (int)count;
}
