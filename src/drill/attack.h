/* attack.h - inside the room: one attack, from its folder to its row in the report */
#pragma once

#include "cage/cage.h"
#include "drill/judge.h"
#include "drill/residue.h"
#include "drill/scene.h"

struct drill_attack {
    char *name;
    char *program; /* path of its one attack.* */
    struct drill_expect expect;
};

/* Read @dir/@name; @base is the policy that its own is applied over. */
int drill_attack_load(const char *dir, const char *name, const struct policy *base, struct drill_attack *ret_attack,
                      struct base_err *err);
void drill_attack_release(struct drill_attack *attack);

/* What is the same for all attacks of a drill. */
struct drill_site {
    char top[DRILL_PATH_BYTES]; /* a folder of its own */
    struct cage_host host;
    struct policy policy; /* that attacks apply theirs over */
    const char *cage;     /* as run_cage_name() spells it */
    bool in_slot;
};

/* Stage, run, look, prove, judge. *@ret_row: its row, new reference; *@ret_result as in it. Fails only where the drill
 * itself does. */
int drill_attack_run(const struct drill_attack *attack, const struct drill_site *site, json_t **ret_row,
                     enum drill_result *ret_result, struct base_err *err);

/* Why this machine cannot show what the attack is about, as "" or a clause. */
void drill_attack_unmet(const struct drill_attack *attack, const struct cage_host *host, char *why, size_t why_bytes);

/* Run the bare control in @scene; fills @trial. */
void drill_control_run(const struct drill_attack *attack, struct drill_scene *scene, struct drill_trial *trial);

/* Why the bare control cannot be run here, as "" or a clause. */
void drill_control_unmet(const struct drill_attack *attack, char *why, size_t why_bytes);

/* The row of the report. New reference, NULL without memory. */
json_t *drill_row_json(const struct drill_attack *attack, const struct drill_facts *facts,
                       const struct drill_verdict *verdict);
