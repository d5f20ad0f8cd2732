/* expect_untrusted.c - read an expect.yaml
 *
 * Strict: a key, word or value that is not known is an error at its line and column, since an expectation that is
 * skipped silently is an attack that nobody judges.
 */
#include "base/cleanup.h"
#include "base/doc.h"
#include "base/near.h"
#include "cage/cage.h"
#include "drill/expect.h"
#include "warden/outcome.h"
#include <stdio.h>
#include <string.h>

struct parse {
    struct drill_expect *expect;
    const char *place;
    struct base_err *err;
};

/* One key of a map: @read fills the field at @offset of struct drill_expect. */
struct row {
    const char *key;
    int (*read)(const struct parse *parse, const struct base_doc *doc, void *field);
    size_t offset;
    bool required;
};

static int no_memory(const struct parse *parse)
{
    return base_err_set(parse->err, BASE_E_NOMEM, parse->place, "out of memory");
}

/* --- words --- */

/* Offers and lists the names that @name gives for 0, 1, ... up to the first NULL. */
static int unknown_word(const struct parse *parse, const struct base_doc *doc, const char *what,
                        const char *(*name)(unsigned index))
{
    struct base_near near = {.word = doc->text};
    char list[300] = "", guess[64];
    size_t used = 0;

    for (unsigned i = 0; name(i); i++) {
        base_near_offer(&near, name(i));
        if (used < sizeof(list))
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", name(i));
    }
    (void)base_doc_err(doc, parse->place, parse->err, "unknown %s \"%s\"", what, doc->text);
    (void)base_err_remedy(parse->err, "%sone of %s", base_near_text(&near, guess, sizeof(guess)), list);
    return BASE_E_INVALID;
}

static bool find_word(const char *text, const char *(*name)(unsigned index), unsigned *ret_index)
{
    for (unsigned i = 0; name(i); i++)
        if (strcmp(name(i), text) == 0) {
            *ret_index = i;
            return true;
        }
    return false;
}

static const char *group_name(unsigned index)
{
    return drill_group_name((enum drill_group)index);
}

static const char *outside_name(unsigned index)
{
    return drill_outside_name((enum drill_outside)index);
}

static const char *control_name(unsigned index)
{
    return drill_control_name((enum drill_control)index);
}

static const char *limit_key(unsigned index)
{
    return policy_limit_name((enum policy_limit_key)index);
}

static const char *limit_word(unsigned index)
{
    return warden_limit_name((enum warden_limit)(index + 1)); /* 0 is no limit */
}

/* What a row can prove: every promise of the cage, every limit, and two that are not the cage's. */
static const char *proof_name(unsigned index)
{
    static const char *const others[] = {"teardown", "supervisor", NULL};

    if (index < CAGE_STEP_MAX)
        return cage_step_name(index);
    index -= CAGE_STEP_MAX;
    if (index < POLICY_LIMIT_MAX)
        return limit_key(index);
    index -= POLICY_LIMIT_MAX;
    return index < ARRAY_COUNT(others) ? others[index] : NULL;
}

/* --- readers of one value --- */

static int need_scalar(const struct parse *parse, const struct base_doc *doc)
{
    if (doc->kind != BASE_DOC_SCALAR)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a single value",
                            doc->key ? doc->key : "an item");
    return 0;
}

static int read_text(const struct parse *parse, const struct base_doc *doc, void *field)
{
    char **text = field;
    int r = need_scalar(parse, doc);

    if (r < 0)
        return r;
    *text = strdup(doc->text);
    return *text ? 0 : no_memory(parse);
}

/* A text that says something. */
static int read_sentence(const struct parse *parse, const struct base_doc *doc, void *field)
{
    int r = need_scalar(parse, doc);

    if (r == 0 && doc->text[strspn(doc->text, " \t\n")] == '\0')
        r = base_doc_err(doc, parse->place, parse->err, "%s is empty", doc->key);
    return r < 0 ? r : read_text(parse, doc, field);
}

static int read_one_of(const struct parse *parse, const struct base_doc *doc, const char *(*name)(unsigned index),
                       unsigned *ret_index)
{
    int r = need_scalar(parse, doc);

    if (r < 0)
        return r;
    return find_word(doc->text, name, ret_index) ? 0 : unknown_word(parse, doc, doc->key, name);
}

static int read_group(const struct parse *parse, const struct base_doc *doc, void *field)
{
    unsigned index = 0;
    int r = read_one_of(parse, doc, group_name, &index);

    *(enum drill_group *)field = (enum drill_group)index;
    return r;
}

static int read_control(const struct parse *parse, const struct base_doc *doc, void *field)
{
    unsigned index = 0;
    int r = read_one_of(parse, doc, control_name, &index);

    *(enum drill_control *)field = (enum drill_control)index;
    return r;
}

static int read_bytes(const struct parse *parse, const struct base_doc *doc, void *field)
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

typedef int (*check_fn)(const struct parse *parse, const struct base_doc *item);

static int add_word(const struct parse *parse, const struct base_doc *item, struct drill_words *words, check_fn check)
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

static int read_list(const struct parse *parse, const struct base_doc *doc, struct drill_words *words, check_fn check)
{
    if (doc->kind != BASE_DOC_LIST)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a list", doc->key);
    for (const struct base_doc *item = doc->child; item; item = item->next) {
        int r = add_word(parse, item, words, check);
        if (r < 0)
            return r;
    }
    return 0;
}

static int check_proof(const struct parse *parse, const struct base_doc *item)
{
    unsigned index;

    return find_word(item->text, proof_name, &index) ? 0 : unknown_word(parse, item, "protection", proof_name);
}

static int check_limit_key(const struct parse *parse, const struct base_doc *item)
{
    unsigned index;

    return find_word(item->text, limit_key, &index) ? 0 : unknown_word(parse, item, "limit", limit_key);
}

static int check_denial(const struct parse *parse, const struct base_doc *item)
{
    size_t class_length = strcspn(item->text, " ");

    if (class_length == 0 || item->text[class_length] == '\0' || item->text[class_length + 1] == '\0')
        return base_doc_err(item, parse->place, parse->err, "a denial is spelled \"CLASS WHAT\", not \"%s\"",
                            item->text);
    return 0;
}

/* Braces that hold no name are text; a name must be known. */
static int check_argument(const struct parse *parse, const struct base_doc *item)
{
    for (const char *at = item->text; (at = strchr(at, '{')); at++) {
        size_t length = drill_placeholder_at(at);
        const struct drill_placeholder *known = drill_placeholders;

        if (length == 0)
            continue;
        while (known->name && (strlen(known->name) != length - 2 || memcmp(known->name, at + 1, length - 2) != 0))
            known++;
        if (!known->name)
            return base_doc_err(item, parse->place, parse->err, "unknown placeholder %.*s", (int)length, at);
        if (known->needs != DRILL_OUTSIDE_MAX && !(parse->expect->outside & DRILL_BIT(known->needs)))
            return base_doc_err(item, parse->place, parse->err, "%.*s needs %s in outside", (int)length, at,
                                drill_outside_name(known->needs));
    }
    return 0;
}

static int read_covers(const struct parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, NULL);
}

static int read_proves(const struct parse *parse, const struct base_doc *doc, void *field)
{
    int r = read_list(parse, doc, field, check_proof);

    if (r == 0 && parse->expect->proves.count == 0)
        return base_doc_err(doc, parse->place, parse->err, "proves is empty");
    return r;
}

static int read_args(const struct parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, check_argument);
}

static int read_control_args(const struct parse *parse, const struct base_doc *doc, void *field)
{
    parse->expect->has_control_args = true;
    return read_list(parse, doc, field, check_argument);
}

static int read_denials(const struct parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, check_denial);
}

static int read_hits(const struct parse *parse, const struct base_doc *doc, void *field)
{
    return read_list(parse, doc, field, check_limit_key);
}

static int read_outside(const struct parse *parse, const struct base_doc *doc, void *field)
{
    unsigned *bits = field;

    if (doc->kind != BASE_DOC_LIST)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a list", doc->key);
    for (const struct base_doc *item = doc->child; item; item = item->next) {
        unsigned index = 0;
        int r = need_scalar(parse, item);

        if (r < 0)
            return r;
        if (!find_word(item->text, outside_name, &index))
            return unknown_word(parse, item, "kind of staging", outside_name);
        *bits |= DRILL_BIT(index);
    }
    return 0;
}

/* --- endings --- */

enum ending_form { FORM_BARE, FORM_NUMBER, FORM_LIMIT };

static const struct {
    const char *word;
    enum ending_form form;
    unsigned from, to;
} endings[] = {
    {"exited", FORM_NUMBER, 0, 255}, {"signaled", FORM_NUMBER, 1, 64}, {"limit", FORM_LIMIT, 0, 0},
    {"denied", FORM_BARE, 0, 0},     {"setup-error", FORM_BARE, 0, 0}, {"refused", FORM_BARE, 0, 0},
    {"killed", FORM_BARE, 0, 0}, /* with kill-supervisor: there is no receipt */
};

static const char *ending_word(unsigned index)
{
    return index < ARRAY_COUNT(endings) ? endings[index].word : NULL;
}

static bool number_in(const char *text, unsigned from, unsigned to)
{
    unsigned value = 0;

    if (*text == '\0' || strlen(text) > 3 || (text[0] == '0' && text[1]))
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (unsigned)(*text - '0');
    }
    return value >= from && value <= to;
}

static int check_ending(const struct parse *parse, const struct base_doc *item)
{
    struct base_doc part = *item;
    char word[32];
    const char *rest = strchr(item->text, ' ');
    unsigned row, index;

    (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(item->text, " "), item->text);
    part.text = word;
    if (!find_word(word, ending_word, &row))
        return unknown_word(parse, &part, "ending", ending_word);
    rest = rest ? rest + 1 : "";
    if (endings[row].form == FORM_BARE && *rest)
        return base_doc_err(item, parse->place, parse->err, "nothing stands after %s", word);
    if (endings[row].form == FORM_NUMBER && !number_in(rest, endings[row].from, endings[row].to))
        return base_doc_err(item, parse->place, parse->err, "%s needs a number from %u to %u", word, endings[row].from,
                            endings[row].to);
    (void)snprintf(word, sizeof(word), "%s", rest);
    if (endings[row].form == FORM_LIMIT && !find_word(word, limit_word, &index))
        return unknown_word(parse, &part, "limit", limit_word);
    return 0;
}

static int read_ending(const struct parse *parse, const struct base_doc *doc, void *field)
{
    if (doc->kind == BASE_DOC_LIST)
        return read_list(parse, doc, field, check_ending);
    return add_word(parse, doc, field, check_ending);
}

/* --- policy and limits --- */

static int read_policy(const struct parse *parse, const struct base_doc *doc, void *field)
{
    if (doc->kind != BASE_DOC_MAP)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a map", doc->key);
    return policy_apply(doc, parse->place, field, parse->err);
}

/* As --limit KEY=VALUE. */
static int read_limit(const struct parse *parse, const struct base_doc *doc, struct policy *policy)
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

static int read_limits(const struct parse *parse, const struct base_doc *doc, void *field)
{
    if (doc->kind != BASE_DOC_MAP)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a map", doc->key);
    for (const struct base_doc *child = doc->child; child; child = child->next) {
        int r = read_limit(parse, child, field);
        if (r < 0)
            return r;
    }
    return 0;
}

/* --- maps --- */

static int unknown_key(const struct parse *parse, const struct base_doc *child, const struct row *rows)
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
static int read_map(const struct parse *parse, const struct base_doc *doc, const struct row *rows)
{
    if (doc->kind != BASE_DOC_MAP)
        return base_doc_err(doc, parse->place, parse->err, "%s must be a map", doc->key ? doc->key : "the document");
    for (const struct base_doc *child = doc->child; child; child = child->next) {
        const struct row *row = rows;
        while (row->key && strcmp(row->key, child->key) != 0)
            row++;
        if (!row->key)
            return unknown_key(parse, child, rows);
    }
    for (const struct row *row = rows; row->key; row++) {
        const struct base_doc *child = base_doc_get(doc, row->key);
        int r = child ? row->read(parse, child, (char *)parse->expect + row->offset) : 0;

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

static int read_expect(const struct parse *parse, const struct base_doc *doc, void *field)
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

static bool has_ending(const struct drill_expect *expect, const char *ending)
{
    for (size_t i = 0; i < expect->endings.count; i++)
        if (strcmp(expect->endings.items[i], ending) == 0)
            return true;
    return false;
}

static const char *misfit(const struct drill_expect *expect)
{
    bool killed = expect->outside & DRILL_BIT(DRILL_KILL_SUPERVISOR);

    if (expect->proves.count == 0 && !expect->residual)
        return "proves is missing";
    if (expect->control != DRILL_CONTROL_BARE && !expect->control_why)
        return "a control that is not bare needs control_why";
    if (expect->control != DRILL_CONTROL_BARE && (expect->has_control_args || expect->control_needs))
        return "control_args and control_needs are for a bare control";
    if (!expect->residual && has_ending(expect, "exited 10"))
        return "exited 10 means that the attack succeeded, which needs residual";
    if (killed != has_ending(expect, "killed") || (killed && expect->endings.count > 1))
        return "with kill-supervisor the ending is killed, and only then";
    if ((expect->outside & DRILL_BIT(DRILL_OPEN_FILE)) &&
        (~expect->outside & (DRILL_BIT(DRILL_SECRET_FILE) | DRILL_BIT(DRILL_GUARDED_DIR))))
        return "open-file needs secret-file and guarded-dir";
    return NULL;
}

/* What is not said of the ending: it is the plain one. */
static int complete(const struct parse *parse, const struct base_doc *doc)
{
    struct drill_expect *expect = parse->expect;
    const char *usual = expect->outside & DRILL_BIT(DRILL_KILL_SUPERVISOR) ? "killed" : "exited 0";
    const char *why;

    if (expect->endings.count == 0 && !drill_words_add(&expect->endings, usual))
        return no_memory(parse);
    if (expect->residual && !has_ending(expect, "exited 10") && !drill_words_add(&expect->endings, "exited 10"))
        return no_memory(parse);
    why = misfit(expect);
    return why ? base_doc_err(doc, parse->place, parse->err, "%s", why) : 0;
}

int drill_expect_parse(const char *bytes, size_t count, const char *place, const struct policy *base,
                       struct drill_expect *ret_expect, struct base_err *err)
{
    AUTO_DOC struct base_doc *doc = NULL;
    AUTO_EXPECT struct drill_expect expect = {.stdout_bytes = DRILL_ANY, .stderr_bytes = DRILL_ANY};
    const struct parse parse = {&expect, place, err};
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
