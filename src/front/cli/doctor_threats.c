/* doctor_threats.c - the matrix of threats: what stands against each on this machine, what is lost, what remains */
#include "front/cli/doctor_threats.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "front/cli/say.h"
#include <string.h>

#define STATE_WIDTH  8
#define WANTS_COLUMN 25
#define TEXT_COLUMN  14

static bool is_unbuilt(const struct threat *threat, const struct threat_here *here)
{
    return threat_state(threat, here) == THREAT_UNBUILT;
}

/* Its words; none where nothing is claimed. */
static const char *prevention_of(const struct threat *threat, const struct threat_here *here)
{
    return is_unbuilt(threat, here) ? "" : threat->prevention;
}

/* "a, b (why)": the words of a prevention that stand, or those that do not. */
static void walls_text(const struct threat *threat, const struct threat_here *here, bool standing,
                       struct base_buf *text)
{
    const char *at = prevention_of(threat, here), *by;
    char word[THREAT_WORD_BYTES];

    base_buf_clear(text);
    while (threat_next_word(&at, word)) {
        enum threat_wall wall = threat_wall(here, word, &by);
        if ((wall == THREAT_WALL_STANDS) != standing)
            continue;
        if (wall == THREAT_WALL_LOST && !by)
            by = "lost";
        if (base_buf_printf(text, "%s%s%s%s%s", text->count ? ", " : "", word, by ? " (" : "", by ? by : "",
                            by ? ")" : "") < 0)
            return; /* a word is lost without memory, nothing else */
    }
}

/* --- for people, short --- */

static void note(const char *label, const char *text)
{
    int column = printf("%*s%s: ", WANTS_COLUMN, "", label);

    cli_say_wrapped(text, (size_t)column, WANTS_COLUMN);
}

static void print_short(const struct threat *threat, const struct threat_here *here, struct base_buf *text)
{
    int column = printf("%-*s %-*s ", STATE_WIDTH - 1, threat_state_name(threat_state(threat, here)),
                        WANTS_COLUMN - STATE_WIDTH - 1, threat->id);

    cli_say_wrapped(threat->wants, (size_t)column, WANTS_COLUMN);
    walls_text(threat, here, false, text);
    if (is_unbuilt(threat, here))
        note("not built yet", threat->remark);
    else if (text->count)
        note("not here", text->bytes);
    if (*threat->residual)
        note("remains", threat->residual);
    else if (threat_state(threat, here) == THREAT_OPEN)
        note("note", threat->remark);
}

/* --- for people, all of it --- */

static void column(const char *name, const char *text)
{
    int width;

    if (!*text)
        return;
    width = printf("  %-*s", TEXT_COLUMN - 2, name);
    cli_say_wrapped(text, (size_t)width, TEXT_COLUMN);
}

static void print_remains(const struct threat *threat, struct base_buf *text)
{
    const char *at = threat->residual;
    char word[THREAT_WORD_BYTES];

    while (threat_next_word(&at, word)) {
        const struct cage_residual *residual = threat_residual(word);
        const char *helps = residual && residual->helps != POLICY_TIER_MAX ? policy_tier_name(residual->helps) : NULL;
        base_buf_clear(text);
        if (!residual ||
            base_buf_printf(text, "%s: %s%s%s%s", word, residual->text, helps ? "; a stronger tier (" : "",
                            helps ? helps : "", helps ? ") would help, and is not in this version" : "") < 0)
            continue;
        column("remains", text->bytes);
    }
}

static void print_full(const struct threat *threat, const struct threat_here *here, struct base_buf *text)
{
    printf("\n%s: ", threat->id);
    cli_say_wrapped(threat->wants, strlen(threat->id) + 2, 2);
    column("state", threat_state_name(threat_state(threat, here)));
    walls_text(threat, here, true, text);
    column("prevention", text->count ? text->bytes : "nothing");
    walls_text(threat, here, false, text);
    if (is_unbuilt(threat, here))
        column("not built", threat->remark);
    else if (text->count)
        column("not here", text->bytes);
    column("detection", *threat->detection ? threat->detection : "nothing");
    column("recovery", threat->recovery);
    column("drill", *threat->drill ? threat->drill : "nothing");
    column("tests", threat->tests);
    print_remains(threat, text);
    if (!is_unbuilt(threat, here))
        column("note", threat->remark);
}

static void print_of(const struct threat_attacker *attacker, bool full, const struct threat_here *here,
                     struct base_buf *text)
{
    printf("\n%s\n", attacker->text);
    for (const struct threat *threat = threat_table(); threat->id; threat++)
        if (strcmp(threat->attacker, attacker->word) == 0)
            (full ? print_full : print_short)(threat, here, text);
}

void cli_doctor_threats_print(const struct doctor_report *report, bool full)
{
    AUTO_BUF struct base_buf text = {0};

    if (!report->has_here)
        return;
    printf("What somebody may want, and what stands against it here (tier %s)%s\n",
           policy_tier_name(POLICY_TIER_CONTAINER), full ? "" : ";\nfumehood doctor --threats has more:");
    if (!report->run.policy)
        printf("No run is possible here, so nothing is let loose: this is what one would have.\n");
    for (const struct threat_attacker *attacker = threat_attackers(); attacker->word; attacker++)
        print_of(attacker, full, &report->here, &text);
}

/* --- for machines --- */

static json_t *words_json(const char *words)
{
    json_t *list = json_array();
    char word[THREAT_WORD_BYTES];

    while (threat_next_word(&words, word))
        base_json_add(&list, json_string(word));
    return list;
}

static json_t *prevention_json(const struct threat *threat, const struct threat_here *here)
{
    json_t *list = json_array();
    const char *at = prevention_of(threat, here), *by;
    char word[THREAT_WORD_BYTES];

    while (threat_next_word(&at, word)) {
        enum threat_wall wall = threat_wall(here, word, &by);
        base_json_add(&list, json_pack("{s:s, s:s, s:s?}", "word", word, "here", threat_wall_name(wall), "by", by));
    }
    return list;
}

static json_t *residual_json(const char *words)
{
    json_t *list = json_array();
    char word[THREAT_WORD_BYTES];

    while (threat_next_word(&words, word)) {
        const struct cage_residual *residual = threat_residual(word);
        if (residual)
            base_json_add(&list, json_pack("{s:s, s:s, s:s?}", "word", word, "text", residual->text, "helps",
                                           policy_tier_name(residual->helps)));
    }
    return list;
}

json_t *cli_doctor_threats_json(const struct doctor_report *report)
{
    const struct threat_here *here = &report->here;
    json_t *list = json_array();

    for (const struct threat *threat = threat_table(); report->has_here && threat->id; threat++)
        base_json_add(&list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:s}", "id", threat->id,
                                       "attacker", threat->attacker, "wants", threat->wants, "state",
                                       threat_state_name(threat_state(threat, here)), "prevention",
                                       prevention_json(threat, here), "detection", words_json(threat->detection),
                                       "recovery", threat->recovery, "drill", words_json(threat->drill), "tests",
                                       words_json(threat->tests), "residual", residual_json(threat->residual), "remark",
                                       threat->remark));
    return list;
}
