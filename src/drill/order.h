/* order.h - inside the room: have one order done by a supervisor process, and see it to its end */
#pragma once

#include "drill/residue.h"
#include "drill/scene.h"
#include <jansson.h>

struct drill_order {
    const char *program;            /* path */
    const struct drill_words *args; /* with placeholders */
    const char *stdin_text;         /* NULL: nothing */
    const struct policy *policy;
    bool bare;
    bool plain; /* not the attack: nothing that the scene does to its supervisor */
    bool twice;
    const char *cage;   /* as run_cage_name() spells it */
    const char *honest; /* path of a program that runs in the same slots before and after; NULL: none */
    const struct policy *honest_policy;
    const char *notes; /* the name of the folder of notes */
};

/* How it went. */
struct drill_done {
    json_t *answer; /* NULL: none came */
    bool hung;      /* it was ended at the deadline */
    bool crowded;   /* bare: it was ended, with too many processes */
    bool killed;    /* kill-supervisor was done */
    int status;     /* how the supervisor ended, as from wait; -1: it was reaped elsewhere */
};
void drill_done_release(struct drill_done *done);
#define AUTO_DONE CLEANUP(drill_done_release)

/* Start the supervisor. The notes of earlier orders in that folder are gone. */
int drill_order_start(const struct drill_order *order, const struct drill_scene *scene, pid_t *ret_pid,
                      struct base_err *err);

/* Wait until @deadline_us. Kills what is still alive after that: everything below us, but not the scene's victim. */
void drill_order_wait(const struct drill_order *order, struct drill_scene *scene, pid_t pid, uint64_t deadline_us,
                      struct drill_done *ret_done);
