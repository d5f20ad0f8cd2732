/* report.c - one attack's row in the report */
#include "base/cleanup.h"
#include "base/json.h"
#include "drill/attack.h"
#include <string.h>

#define SAID_BYTES 4000

static json_t *text_json(const char *text)
{
    return text && *text ? base_json_text(text, strlen(text)) : json_null();
}

static json_t *words_json(const struct drill_words *words)
{
    json_t *list = json_array();

    for (size_t i = 0; i < words->count; i++)
        base_json_add(&list, base_json_text(words->items[i], strlen(words->items[i])));
    return list;
}

static json_t *outside_json(const struct drill_expect *expect)
{
    json_t *list = json_array();

    for (int kind = 0; kind < DRILL_OUTSIDE_MAX; kind++)
        if (expect->outside & DRILL_BIT(kind))
            base_json_add(&list, json_string(drill_outside_name((enum drill_outside)kind)));
    return list;
}

static json_t *expected_json(const struct drill_expect *expect)
{
    return json_pack("{s:o, s:o, s:o}", "ending", words_json(&expect->endings), "denials", words_json(&expect->denials),
                     "hits", words_json(&expect->hits));
}

/* Every denial of every run: "CLASS WHAT", with its count. */
static json_t *denials_json(const json_t *receipts)
{
    json_t *list = json_array(), *receipt, *row;
    size_t run, index;

    json_array_foreach((json_t *)receipts, run, receipt)
    {
        json_array_foreach(json_object_get(receipt, "denials"), index, row)
        {
            base_json_add(&list, json_pack("{s:O?, s:O?, s:O?}", "class", json_object_get(row, "class"), "what",
                                           json_object_get(row, "what"), "count", json_object_get(row, "count")));
        }
    }
    return list;
}

static json_t *seen_json(const struct drill_facts *facts, const json_t *receipts)
{
    size_t runs = facts->expect->outside & DRILL_BIT(DRILL_SECOND_RUN) ? 2 : 1;
    json_t *endings = json_array(), *details = json_array();
    char text[64];

    for (size_t i = 0; i < runs && !facts->unstaged[0]; i++) {
        base_json_add(&endings, json_string(drill_ending_text(facts, i, text, sizeof(text))));
        base_json_add(&details, text_json(drill_ending_detail(facts, i)));
    }
    return json_pack("{s:o, s:o, s:o}", "ending", endings, "detail", details, "denials", denials_json(receipts));
}

static json_t *control_json(const struct drill_facts *facts)
{
    const struct drill_trial *trial = &facts->control;

    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", drill_control_name(facts->expect->control), "why",
                     text_json(facts->expect->control_why), "worked",
                     trial->tried ? json_boolean(drill_trial_worked(trial)) : json_null(), "ending",
                     words_json(&trial->endings), "evidence", words_json(&trial->evidence));
}

/* Of the last run: what came before it is in its own receipt's place only where there are two. */
static json_t *part_json(const json_t *receipts, const char *key)
{
    size_t count = json_array_size(receipts);
    json_t *part = count ? json_object_get(json_array_get(receipts, count - 1), key) : NULL;

    return part ? json_incref(part) : json_null();
}

/* Of a killed supervisor there is no receipt: what the drill has measured. */
static json_t *cleanup_json(const struct drill_facts *facts, const json_t *receipts)
{
    AUTO_JSON json_t *teardown = part_json(receipts, "teardown");
    json_t *us = json_object_get(teardown, "us");

    if (facts->killed)
        return json_integer((json_int_t)facts->cleared_us);
    return us ? json_incref(us) : json_null();
}

static json_t *descriptors_json(const json_t *answer)
{
    const json_t *before = json_object_get(answer, "fds_before"), *after = json_object_get(answer, "fds_after");

    return json_is_integer(before) && json_is_integer(after)
               ? json_integer(json_integer_value(after) - json_integer_value(before))
               : json_null();
}

/* As it was seen from outside, whatever the receipt says. */
static json_t *residue_json(const struct drill_facts *facts)
{
    const struct drill_residue *residue = &facts->residue;

    if (facts->unstaged[0])
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "processes", (json_int_t)residue->processes, "cgroups",
                     (json_int_t)residue->cgroups, "mounts", (json_int_t)residue->mounts, "files",
                     (json_int_t)facts->files, "supervisor_descriptors", descriptors_json(facts->answer), "what",
                     words_json(&residue->faults));
}

static json_t *canary_json(const struct drill_facts *facts)
{
    bool intact = facts->outside.count == 0;

    return facts->staged || !intact ? json_boolean(intact) : json_null();
}

/* Where a row is not as it should be, what the program had to say of it: of the last run, and of the control. */
static void add_said(json_t **row, const struct drill_facts *facts, const json_t *receipts)
{
    size_t count = json_array_size(receipts);
    const json_t *text =
        json_object_get(json_object_get(json_array_get(receipts, count ? count - 1 : 0), "stdout"), "text");
    const char *bytes = json_string_value(text);
    size_t length = json_string_length(text);

    base_json_put(row, "said", bytes ? base_json_text(bytes, length < SAID_BYTES ? length : SAID_BYTES) : json_null());
    base_json_put(row, "control_said", text_json(facts->control.last_line));
}

/* Of the last attack's slot: what became of it, how many runs it had served before, and whether the attack was a fork
 * of what stood ready in it. */
static json_t *slot_json(const struct drill_facts *facts, const json_t *receipts)
{
    AUTO_JSON json_t *teardown = part_json(receipts, "teardown"), *zygote = part_json(receipts, "zygote");
    const json_t *slot = json_object_get(teardown, "slot");
    json_int_t runs = 0;
    size_t index;
    json_t *run;

    json_array_foreach(json_object_get(facts->answer, "runs"), index, run)
    {
        if (!json_is_true(json_object_get(run, "honest")))
            runs = json_integer_value(json_object_get(run, "run"));
    }
    if (!slot || runs == 0)
        return json_null();
    return json_pack("{s:O?, s:O?, s:I, s:b}", "state", json_object_get(slot, "state"), "why",
                     json_object_get(slot, "why"), "runs_before", runs - 1, "zygote",
                     json_is_true(json_object_get(zygote, "used")));
}

json_t *drill_row_json(const struct drill_attack *attack, const struct drill_facts *facts,
                       const struct drill_verdict *verdict)
{
    const struct drill_expect *expect = &attack->expect;
    const json_t *receipts = json_object_get(facts->answer, "receipts");
    json_t *row;

    row = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                    attack->name, "group", drill_group_name(expect->group), "what", text_json(expect->what), "covers",
                    words_json(&expect->covers), "proves", words_json(&expect->proves), "outside", outside_json(expect),
                    "result", drill_result_name(verdict->result), "reasons", words_json(&verdict->reasons), "expected",
                    expected_json(expect), "seen", seen_json(facts, receipts), "control", control_json(facts), "usage",
                    part_json(receipts, "usage"), "teardown", part_json(receipts, "teardown"), "slot",
                    slot_json(facts, receipts), "cleanup_us", cleanup_json(facts, receipts), "residue",
                    residue_json(facts), "canary_intact", canary_json(facts));
    if (row && verdict->result == DRILL_RED)
        add_said(&row, facts, receipts);
    return row;
}
