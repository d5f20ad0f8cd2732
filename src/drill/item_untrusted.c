/* item_untrusted.c - one word of an expect.yaml: is it one that is known? */
#include "base/cleanup.h"
#include "base/near.h"
#include "cage/cage.h"
#include "drill/parse.h"
#include "warden/outcome.h"
#include <stdio.h>
#include <string.h>

/* Offers and lists the names that @name gives for 0, 1, ... up to the first NULL. */
int drill_parse_unknown(const struct drill_parse *parse, const struct base_doc *doc, const char *what,
                        drill_parse_name_fn name)
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

bool drill_parse_find(const char *text, drill_parse_name_fn name, unsigned *ret_index)
{
    for (unsigned i = 0; name(i); i++)
        if (strcmp(name(i), text) == 0) {
            *ret_index = i;
            return true;
        }
    return false;
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

int drill_parse_proof(const struct drill_parse *parse, const struct base_doc *item)
{
    unsigned index;

    return drill_parse_find(item->text, proof_name, &index)
               ? 0
               : drill_parse_unknown(parse, item, "protection", proof_name);
}

int drill_parse_limit_key(const struct drill_parse *parse, const struct base_doc *item)
{
    unsigned index;

    return drill_parse_find(item->text, limit_key, &index) ? 0 : drill_parse_unknown(parse, item, "limit", limit_key);
}

int drill_parse_denial(const struct drill_parse *parse, const struct base_doc *item)
{
    size_t class_length = strcspn(item->text, " ");

    if (class_length == 0 || item->text[class_length] == '\0' || item->text[class_length + 1] == '\0')
        return base_doc_err(item, parse->place, parse->err, "a denial is spelled \"CLASS WHAT\", not \"%s\"",
                            item->text);
    return 0;
}

/* Braces that hold no name are text; a name must be known. */
int drill_parse_argument(const struct drill_parse *parse, const struct base_doc *item)
{
    for (const char *at = item->text; (at = strchr(at, '{')); at++) {
        size_t length = drill_placeholder_at(at);
        const struct drill_placeholder *known;

        if (length == 0)
            continue;
        known = drill_placeholder_find(at + 1, length - 2);
        if (!known)
            return base_doc_err(item, parse->place, parse->err, "unknown placeholder %.*s", (int)length, at);
        if (known->needs != DRILL_OUTSIDE_MAX && !(parse->expect->outside & DRILL_BIT(known->needs)))
            return base_doc_err(item, parse->place, parse->err, "%.*s needs %s in outside", (int)length, at,
                                drill_outside_name(known->needs));
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

int drill_parse_ending(const struct drill_parse *parse, const struct base_doc *item)
{
    struct base_doc part = *item;
    char word[32];
    const char *rest = strchr(item->text, ' ');
    unsigned row, index;

    (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(item->text, " "), item->text);
    part.text = word;
    if (!drill_parse_find(word, ending_word, &row))
        return drill_parse_unknown(parse, &part, "ending", ending_word);
    rest = rest ? rest + 1 : "";
    if (endings[row].form == FORM_BARE && *rest)
        return base_doc_err(item, parse->place, parse->err, "nothing stands after %s", word);
    if (endings[row].form == FORM_NUMBER && !number_in(rest, endings[row].from, endings[row].to))
        return base_doc_err(item, parse->place, parse->err, "%s needs a number from %u to %u", word, endings[row].from,
                            endings[row].to);
    (void)snprintf(word, sizeof(word), "%s", rest);
    if (endings[row].form == FORM_LIMIT && !drill_parse_find(word, limit_word, &index))
        return drill_parse_unknown(parse, &part, "limit", limit_word);
    return 0;
}
