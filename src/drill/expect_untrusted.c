/* expect_untrusted.c - read an expect.yaml
 *
 * Strict: a key, word or value that is not known is an error at its line and column, since an expectation that is
 * skipped silently is an attack that nobody judges.
 */
#include "base/cleanup.h"
#include "base/doc.h"
#include "base/near.h"
#include "drill/parse.h"
#include <stdio.h>
#include <string.h>

/* One key of a map: @read fills the field at @offset of struct drill_expect. */
struct row {
    const char *key;
    int (*read)(const struct drill_parse *parse, const struct base_doc *doc, void *field);
    size_t offset;
    bool required;
};

/* --- readers of one value --- */

static int no_memory(const struct drill_parse *parse)
{
    return base_err_set(parse->err, BASE_E_NOMEM, parse->place, "out of memory");
}

static int need_scalar(const struct drill_parse *parse, const struct base_doc *doc)
{
    if (doc->kind != BASE_DOC_SCALAR)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a single value",
                            doc->key ? doc->key : "an item");
    return 0;
}

static int need_list(const struct drill_parse *parse, const struct base_doc *doc)
{
    return doc->kind == BASE_DOC_LIST ? 0 : base_doc_err(doc, parse->place, parse->err, "%s must be a list", doc->key);
}

static int need_map(const struct drill_parse *parse, const struct base_doc *doc)
{
    return doc->kind == BASE_DOC_MAP
               ? 0
               : base_doc_err(doc, parse->place, parse->err, "%s must be a map", doc->key ? doc->key : "the document");
}

static int read_text(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    char **text = field;
    int r = need_scalar(parse, doc);

    if (r < 0)
        return r;
    *text = strdup(doc->text);
    return *text ? 0 : no_memory(parse);
}

/* A text that says something. */
static int read_sentence(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    int r = need_scalar(parse, doc);

    if (r == 0 && doc->text[strspn(doc->text, " \t\n")] == '\0')
        r = base_doc_err(doc, parse->place, parse->err, "%s is empty", doc->key);
    return r < 0 ? r : read_text(parse, doc, field);
}

static int read_one_of(const struct drill_parse *parse, const struct base_doc *doc, drill_parse_name_fn name,
                       unsigned *ret_index)
{
    int r = need_scalar(parse, doc);

    if (r < 0)
        return r;
    return drill_parse_find(doc->text, name, ret_index) ? 0 : drill_parse_unknown(parse, doc, doc->key, name);
}

static const char *group_name(unsigned index)
{
    return drill_group_name((enum drill_group)index);
}

static const char *control_name(unsigned index)
{
    return drill_control_name((enum drill_control)index);
}

static int read_group(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    unsigned index = 0;
    int r = read_one_of(parse, doc, group_name, &index);

    *(enum drill_group *)field = (enum drill_group)index;
    return r;
}

static int read_control(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    unsigned index = 0;
    int r = read_one_of(parse, doc, control_name, &index);

    *(enum drill_control *)field = (enum drill_control)index;
    return r;
}

static int read_bytes(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    uint64_t *bytes = field;
    const char *why;
    bool unlimited = false;
    int r = need_scalar(parse, doc);

    if (r < 0)
        return r;
    *bytes = 0;
    if (strcmp(doc->text, "0") == 0)
        return 0;
    if (base_units_parse(doc->text, BASE_UNIT_BYTES, bytes, &unlimited, &why) < 0)
        return base_doc_err(doc, parse->place, parse->err, "%s %s", doc->key, why);
    if (unlimited)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a number", doc->key);
    return 0;
}

/* --- readers of lists --- */

static int add_word(const struct drill_parse *parse, const struct base_doc *item, struct drill_words *words,
                    drill_parse_item_fn check)
{
    int r = need_scalar(parse, item);

    if (r == 0 && check)
        r = check(parse, item);
    if (r < 0)
        return r;
    if (words->count == DRILL_WORDS_MAX)
        return base_doc_err(item, parse->place, parse->err, "more than %d items", DRILL_WORDS_MAX);
    return drill_words_add(words, item->text) ? 0 : no_memory(parse);
}

static int read_list(const struct drill_parse *parse, const struct base_doc *doc, struct drill_words *words,
                     drill_parse_item_fn check)
{
    int r = need_list(parse, doc);

    for (const struct base_doc *item = doc->child; item && r == 0; item = item->next)
        r = add_word(parse, item, words, check);
    return r;
}

static int read_covers(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, NULL);
}

static int read_proves(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    int r = read_list(parse, doc, field, drill_parse_proof);

    if (r == 0 && parse->expect->proves.count == 0)
        return base_doc_err(doc, parse->place, parse->err, "proves is empty");
    return r;
}

static int read_args(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, drill_parse_argument);
}

static int read_control_args(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    parse->expect->has_control_args = true;
    return read_list(parse, doc, field, drill_parse_argument);
}

static int read_denials(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, drill_parse_denial);
}

static int read_hits(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, drill_parse_limit_key);
}

static const char *outside_name(unsigned index)
{
    return drill_outside_name((enum drill_outside)index);
}

static int read_outside(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    unsigned *bits = field;
    int r = need_list(parse, doc);

    for (const struct base_doc *item = doc->child; item && r == 0; item = item->next) {
        unsigned index = 0;
        r = need_scalar(parse, item);
        if (r == 0 && !drill_parse_find(item->text, outside_name, &index))
            r = drill_parse_unknown(parse, item, "kind of staging", outside_name);
        *bits |= DRILL_BIT(index);
    }
    return r;
}

/* --- endings, policy and limits --- */

static int read_ending(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    if (doc->kind == BASE_DOC_LIST)
        return read_list(parse, doc, field, drill_parse_ending);
    return add_word(parse, doc, field, drill_parse_ending);
}

static int read_policy(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    int r = need_map(parse, doc);

    return r < 0 ? r : policy_apply(doc, parse->place, field, parse->err);
}

/* As --limit KEY=VALUE. */
static int read_limit(const struct drill_parse *parse, const struct base_doc *doc, struct policy *policy)
{
    char assignment[128];
    struct base_err err;
    int r = need_scalar(parse, doc);

    if (r < 0)
        return r;
    if (snprintf(assignment, sizeof(assignment), "%s=%s", doc->key, doc->text) >= (int)sizeof(assignment))
        return base_doc_err(doc, parse->place, parse->err, "the limit %.32s is too long", doc->key);
    if (policy_set_limit(policy, assignment, &err) < 0) {
        (void)base_doc_err(doc, parse->place, parse->err, "%s", err.what);
        return base_err_remedy(parse->err, "%s", err.remedy);
    }
    return 0;
}

static int read_limits(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    int r = need_map(parse, doc);

    for (const struct base_doc *child = doc->child; child && r == 0; child = child->next)
        r = read_limit(parse, child, field);
    return r;
}

/* --- maps --- */

static int unknown_key(const struct drill_parse *parse, const struct base_doc *child, const struct row *rows)
{
    const struct base_doc at_key = {.line = child->key_line, .column = child->key_column};
    struct base_near near = {.word = child->key};
    char guess[64];

    for (const struct row *row = rows; row->key; row++)
        base_near_offer(&near, row->key);
    (void)base_doc_err(&at_key, parse->place, parse->err, "unknown key \"%s\"", child->key);
    if (near.best)
        (void)base_err_remedy(parse->err, "%s", base_near_text(&near, guess, sizeof(guess)));
    return BASE_E_INVALID;
}

/* In the order of the table, not of the text: args are checked against outside. */
static int read_map(const struct drill_parse *parse, const struct base_doc *doc, const struct row *rows)
{
    int r = need_map(parse, doc);

    if (r < 0)
        return r;
    for (const struct base_doc *child = doc->child; child; child = child->next) {
        const struct row *row = rows;
        while (row->key && strcmp(row->key, child->key) != 0)
            row++;
        if (!row->key)
            return unknown_key(parse, child, rows);
    }
    for (const struct row *row = rows; row->key; row++) {
        const struct base_doc *child = base_doc_get(doc, row->key);
        r = child ? row->read(parse, child, (char *)parse->expect + row->offset) : 0;
        if (!child && row->required)
            r = base_doc_err(doc, parse->place, parse->err, "%s is missing", row->key);
        if (r < 0)
            return r;
    }
    return 0;
}

#define AT(field) offsetof(struct drill_expect, field)

static const struct row expect_rows[] = {
    {"ending", read_ending, AT(endings), false},
    {"denials", read_denials, AT(denials), false},
    {"hits", read_hits, AT(hits), false},
    {"stdout", read_text, AT(stdout_text), false},
    {"stdout_bytes", read_bytes, AT(stdout_bytes), false},
    {"stderr_bytes", read_bytes, AT(stderr_bytes), false},
    {NULL},
};

static int read_expect(const struct drill_parse *parse, const struct base_doc *doc, void *field)
{
    (void)field;
    return read_map(parse, doc, expect_rows);
}

static const struct row rows[] = {
    {"group", read_group, AT(group), true},
    {"what", read_sentence, AT(what), true},
    {"covers", read_covers, AT(covers), false},
    {"proves", read_proves, AT(proves), false},
    {"outside", read_outside, AT(outside), false},
    {"args", read_args, AT(args), false},
    {"stdin", read_text, AT(stdin_text), false},
    {"policy", read_policy, AT(policy), false},
    {"limits", read_limits, AT(policy), false},
    {"expect", read_expect, 0, false},
    {"control", read_control, AT(control), true},
    {"control_args", read_control_args, AT(control_args), false},
    {"control_needs", read_sentence, AT(control_needs), false},
    {"control_why", read_sentence, AT(control_why), false},
    {"residual", read_sentence, AT(residual), false},
    {NULL},
};

/* --- what must fit together --- */

static const char *misfit(const struct drill_expect *expect)
{
    bool killed = expect->outside & DRILL_BIT(DRILL_KILL_SUPERVISOR);

    if (expect->proves.count == 0 && !expect->residual)
        return "proves is missing";
    if (expect->control != DRILL_CONTROL_BARE && !expect->control_why)
        return "a control that is not bare needs control_why";
    if (expect->control != DRILL_CONTROL_BARE && (expect->has_control_args || expect->control_needs))
        return "control_args and control_needs are for a bare control";
    if (!expect->residual && drill_words_has(&expect->endings, "exited 10"))
        return "exited 10 means that the attack succeeded, which needs residual";
    if (killed != drill_words_has(&expect->endings, "killed") || (killed && expect->endings.count > 1))
        return "with kill-supervisor the ending is killed, and only then";
    if ((expect->outside & DRILL_BIT(DRILL_OPEN_FILE)) &&
        (~expect->outside & (DRILL_BIT(DRILL_SECRET_FILE) | DRILL_BIT(DRILL_GUARDED_DIR))))
        return "open-file needs secret-file and guarded-dir";
    return NULL;
}

/* What is not said of the ending: it is the plain one. */
static int complete(const struct drill_parse *parse, const struct base_doc *doc)
{
    struct drill_expect *expect = parse->expect;
    const char *usual = expect->outside & DRILL_BIT(DRILL_KILL_SUPERVISOR) ? "killed" : "exited 0";
    const char *why;

    if (expect->endings.count == 0 && !drill_words_add(&expect->endings, usual))
        return no_memory(parse);
    if (expect->residual && !drill_words_has(&expect->endings, "exited 10") &&
        !drill_words_add(&expect->endings, "exited 10"))
        return no_memory(parse);
    why = misfit(expect);
    return why ? base_doc_err(doc, parse->place, parse->err, "%s", why) : 0;
}

int drill_expect_parse(const char *bytes, size_t count, const char *place, const struct policy *base,
                       struct drill_expect *ret_expect, struct base_err *err)
{
    AUTO_DOC struct base_doc *doc = NULL;
    AUTO_EXPECT struct drill_expect expect = {.stdout_bytes = DRILL_ANY, .stderr_bytes = DRILL_ANY, .pace = 1};
    const struct drill_parse parse = {&expect, place, err};
    int r = base_doc_parse(bytes, count, place, &doc, err);

    if (r == 0)
        r = drill_policy_copy(base, &expect.policy, err);
    if (r == 0)
        r = read_map(&parse, doc, rows);
    if (r == 0)
        r = complete(&parse, doc);
    if (r < 0)
        return r;
    *ret_expect = expect;
    expect = (struct drill_expect){0}; /* given away */
    return 0;
}
