/* judge_slot.c - of an attack in a slot: whether the runs that the slot served afterwards see anything of it
 *
 * Runs before it in the same slots are the measure. A slot either proves itself clean and serves again, or is dropped
 * with a reason and does not.
 */
#include "base/cleanup.h"
#include "drill/judge.h"
#include "drill/pace.h"
#include "drill/scene.h"
#include <string.h>

/* What a run may use more than the one before the attack: some of it depends on what else the machine does, and how
 * fast it is. */
static const struct {
    const char *key;
    json_int_t more;
    bool is_time;
} noise[] = {{"cpu_us", 300000, true},
             {"memory_peak_bytes", 8 << 20, false},
             {"processes_peak", 2, false},
             {"scratch_peak_bytes", 64 << 10, false}};

struct slots {
    const json_t *runs;
    unsigned pace;
    struct drill_words *breaches, *skips;
};

static const json_t *run_at(const struct slots *slots, size_t index)
{
    return json_array_get(slots->runs, index);
}

static json_int_t number(const json_t *run, const char *key)
{
    return json_integer_value(json_object_get(run, key));
}

static bool is_honest(const json_t *run)
{
    return json_is_true(json_object_get(run, "honest"));
}

/* The next run after @index that the same keeper served, NULL. */
static const json_t *next_of(const struct slots *slots, size_t index)
{
    json_int_t keeper = number(run_at(slots, index), "keeper");

    for (size_t i = index + 1; i < json_array_size(slots->runs); i++)
        if (number(run_at(slots, i), "keeper") == keeper)
            return run_at(slots, i);
    return NULL;
}

static const json_t *receipt_of(const json_t *run)
{
    return json_object_get(run, "receipt");
}

static const json_t *slot_state(const json_t *receipt)
{
    return json_object_get(json_object_get(receipt, "teardown"), "slot");
}

static bool is_clean(const json_t *receipt)
{
    const char *state = json_string_value(json_object_get(slot_state(receipt), "state"));

    return state && strcmp(state, "clean") == 0;
}

/* --- the slot --- */

static void judge_state(const struct slots *slots, const json_t *receipt, const char *whose)
{
    const char *why = json_string_value(json_object_get(slot_state(receipt), "why"));

    if (!is_clean(receipt) && !(why && *why))
        drill_fault(slots->breaches, "the slot of %s is neither clean nor dropped with a reason", whose);
}

/* A slot serves again exactly where it was proved clean. One that cannot be, after whatever run, is new for each: then
 * the attack came first in it, which its row says. */
static void judge_turn(const struct slots *slots, size_t index, const json_t *receipt)
{
    const json_t *next = next_of(slots, index);

    judge_state(slots, receipt, "the attack");
    if (next && !is_clean(receipt))
        drill_fault(slots->breaches, "its slot was dropped, and served again");
    else if (is_clean(receipt) && (!next || number(next, "run") != number(run_at(slots, index), "run") + 1))
        drill_fault(slots->breaches, "its slot was proved clean, and did not serve again");
}

/* --- what an honest run sees --- */

static bool has_line(const char *text, const char *line, size_t length)
{
    for (; *text; text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n'))
        if (strcspn(text, "\n") == length && memcmp(text, line, length) == 0)
            return true;
    return false;
}

/* Without a group, the limit on processes makes room for ours, and a slot has a zygote or none. */
#define WITH_OURS "limit Max processes "

static bool tell_line(const struct slots *slots, const char *from, const char *to, const char *what, bool by_rlimit)
{
    for (; *from; from += strcspn(from, "\n") + (from[strcspn(from, "\n")] == '\n')) {
        size_t length = strcspn(from, "\n");
        if (has_line(to, from, length) || (by_rlimit && strncmp(from, WITH_OURS, strlen(WITH_OURS)) == 0))
            continue;
        drill_fault(slots->breaches, "the honest run after it %s \"%.*s\", unlike the one before", what,
                    length < 200 ? (int)length : 200, from);
        return true;
    }
    return false;
}

static const char *text_of(const json_t *receipt)
{
    const char *text = json_string_value(json_object_get(json_object_get(receipt, "stdout"), "text"));

    return text ? text : "";
}

static bool is_by_rlimit(const json_t *receipt)
{
    const json_t *processes = json_object_get(json_object_get(receipt, "limits"), "processes");
    const char *enforcer = json_string_value(json_object_get(processes, "enforced_by"));

    return enforcer && strcmp(enforcer, "rlimit") == 0;
}

static void compare_views(const struct slots *slots, const json_t *first, const json_t *later)
{
    const char *before = text_of(first), *after = text_of(later);
    bool by_rlimit = is_by_rlimit(first);

    if (strcmp(before, after) == 0)
        return;
    if (!tell_line(slots, after, before, "sees", by_rlimit) && !tell_line(slots, before, after, "misses", by_rlimit) &&
        !by_rlimit)
        drill_fault(slots->breaches, "the honest run after it sees another order of things");
}

/* Limits with their counts of hits, protections, system calls: exactly the same. */
static void compare_fields(const struct slots *slots, const json_t *first, const json_t *later)
{
    static const char *const same[] = {"limits", "protections", "syscalls",         "mounts",
                                       "policy", "denials",     "denials_unlisted", "stderr"};

    for (size_t i = 0; i < ARRAY_COUNT(same); i++) {
        const json_t *before = json_object_get(first, same[i]), *after = json_object_get(later, same[i]);
        if (before != after && !json_equal(before, after))
            drill_fault(slots->breaches, "the honest run after it has other %s in its receipt", same[i]);
    }
}

static void compare_usage(const struct slots *slots, const json_t *first, const json_t *later)
{
    const json_t *before = json_object_get(first, "usage"), *after = json_object_get(later, "usage");

    for (size_t i = 0; i < ARRAY_COUNT(noise); i++) {
        json_int_t more = noise[i].more * (noise[i].is_time ? (json_int_t)slots->pace : 1);
        if (number(after, noise[i].key) > number(before, noise[i].key) + more)
            drill_fault(slots->breaches, "the honest run after it is charged %lld %s, the one before %lld",
                        (long long)number(after, noise[i].key), noise[i].key, (long long)number(before, noise[i].key));
    }
}

static void judge_later(const struct slots *slots, const json_t *first, const json_t *later)
{
    char ending[64];

    if (strcmp(drill_receipt_ending(later, ending, sizeof(ending)), "exited 0") != 0) {
        bool is_late = drill_ending_is_late(ending) || strcmp(ending, "limit idle") == 0;
        bool is_slow = slots->pace >= DRILL_PACE_SLOW && is_late;
        drill_fault(is_slow ? slots->skips : slots->breaches, "the honest run after it ended: %s", ending);
        return;
    }
    compare_views(slots, first, later);
    compare_fields(slots, first, later);
    compare_usage(slots, first, later);
}

/* --- all --- */

/* The first honest run of that slot: nothing hostile had run in it. */
static const json_t *first_receipt(const struct slots *slots, json_int_t slot)
{
    for (size_t i = 0; i < json_array_size(slots->runs); i++)
        if (is_honest(run_at(slots, i)) && number(run_at(slots, i), "slot") == slot)
            return receipt_of(run_at(slots, i));
    return NULL;
}

/* Where the attack's limits leave no room for an honest run, there is nothing to compare. A cage that cannot be built,
 * or is lost, is nobody's limit. */
static bool is_measure(const struct slots *slots, const json_t *first)
{
    char ending[64];

    if (strcmp(drill_receipt_ending(first, ending, sizeof(ending)), "exited 0") == 0 &&
        json_array_size(json_object_get(first, "denials")) == 0)
        return true;
    bool is_ours = strcmp(ending, "setup-error") == 0 || strcmp(ending, "lost") == 0;

    drill_fault(is_ours ? slots->breaches : slots->skips, "an honest run under its limits ends before it already: %s",
                ending);
    return false;
}

static void judge_honest(const struct slots *slots, const json_t *run)
{
    const json_t *first = first_receipt(slots, number(run, "slot")), *receipt = receipt_of(run);

    judge_state(slots, receipt, "an honest run");
    if (first == receipt)
        (void)is_measure(slots, first);
    else if (is_measure(slots, first))
        judge_later(slots, first, receipt);
}

void drill_judge_slots(const json_t *answer, unsigned pace, struct drill_words *breaches, struct drill_words *skips)
{
    const struct slots slots = {json_object_get(answer, "runs"), pace, breaches, skips};
    json_int_t processes = number(answer, "processes");
    size_t attack = 0;

    if (!json_is_array(slots.runs))
        return;
    for (size_t i = 0; i < json_array_size(slots.runs); i++) {
        if (is_honest(run_at(&slots, i)))
            judge_honest(&slots, run_at(&slots, i));
        else
            judge_turn(&slots, i, json_array_get(json_object_get(answer, "receipts"), attack++));
    }
    if (processes > 0)
        drill_fault(breaches, "%lld process%s in the slots when all is over %s not belong there", (long long)processes,
                    processes == 1 ? "" : "es", processes == 1 ? "does" : "do");
}
