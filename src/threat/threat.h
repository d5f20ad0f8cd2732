/* threat.h - every threat, and what prevents, shows, mends and proves it
 *
 * Pure: the table, and what of its prevention a machine has. The words are those of receipts and policies; nothing here
 * knows how they are enforced.
 */
#pragma once

#include "cage/cage.h"
#include "policy/policy.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row of threats.def, which says what each column holds. Lists are words with single blanks between them. */
struct threat {
    const char *id, *attacker, *wants, *prevention, *detection, *recovery, *drill, *tests, *residual, *remark;
};

/* The table, in the order in which it is shown; a NULL id ends it. */
const struct threat *threat_table(void);

/* Who is meant: the threats of each stand together, in this order; a NULL word ends it. */
struct threat_attacker {
    const char *word, *text;
};
const struct threat_attacker *threat_attackers(void);

/* What one machine has of it. */
struct threat_here {
    uint64_t steps;   /* that a run puts up */
    int landlock_abi; /* by which that step is put up */
    bool own_ids;     /* each cage has an id on the host that nobody else has */
    struct {
        const char *by; /* who keeps it: a receipt's `enforced_by` */
        bool is_weaker; /* only for each process by itself, or not at all */
    } limits[POLICY_LIMIT_MAX];
};

/* As a run would be planned there with every limit set and none insisted on. */
int threat_look(const struct cage_host *host, struct threat_here *ret_here, struct base_err *err);

enum threat_wall { THREAT_WALL_STANDS, THREAT_WALL_WEAKER, THREAT_WALL_LOST, THREAT_WALL_UNKNOWN };

/* How a word of a prevention stands there. *@ret_by is who keeps it, or how it is weaker; NULL where there is nothing
 * to say. THREAT_WALL_UNKNOWN: the table has a word that nobody knows. */
enum threat_wall threat_wall(const struct threat_here *here, const char *word, const char **ret_by);
const char *threat_wall_name(enum threat_wall wall); /* "stands", "weaker", "lost" */

enum threat_state {
    THREAT_HELD,    /* all of its prevention stands */
    THREAT_WEAKER,  /* some of it is lost or weaker there */
    THREAT_OPEN,    /* nothing prevents it: a risk that remains */
    THREAT_UNBUILT, /* of a part of fumehood that is not in this version: nothing is claimed */
    THREAT_STATE_MAX
};
enum threat_state threat_state(const struct threat *threat, const struct threat_here *here);
const char *threat_state_name(enum threat_state state); /* "held", "weaker", "open", "unbuilt" */

/* Copy the next word of a list into @word and move *@at behind it. False at the end. Longer words are cut. */
#define THREAT_WORD_BYTES 64
bool threat_next_word(const char **at, char word[THREAT_WORD_BYTES]);

/* The risk that @word names; NULL when there is none. */
const struct cage_residual *threat_residual(const char *word);
