/* berth.h - inside the room: a slot, and what stands ready in it */
#pragma once

#include "cage/cage.h"
#include "stage/stage.h"

/* The zygote that a run could be a fork of. */
struct run_zygote {
    const struct stage_runtime *runtime; /* NULL: none */
    char *const *envp;                   /* of the run */
};

struct run_berth {
    bool is_taken; /* the slot is ours */
    struct cage_slot slot;
    unsigned groups_left;                /* that could not be removed */
    struct cage_keeper keeper;           /* where runs in slots have been */
    struct cage next;                    /* for the next run, being made */
    const struct stage_runtime *runtime; /* of the keeper's zygote; NULL: it has none */
    struct base_buf environment;         /* and the texts of its environment */
    char no_zygote[96];                  /* why none is made any more; empty: none has failed */
    unsigned without_runs;               /* for how many runs that holds; 0: for good */
    int zygote_worth;                    /* what forks have saved, less what zygotes have cost; in forks */
};
#define RUN_BERTH_NONE                                                                                                 \
    {                                                                                                                  \
        .slot = {.lock_fd = -1}, .keeper = CAGE_KEEPER_NONE, .next = CAGE_NONE                                         \
    }

/* Take a slot, where it has none. */
int run_berth_take(struct run_berth *berth, const struct cage_host *host, struct base_err *err);

/* Have a keeper there for runs under @plan, with @zygote where it names one that works here, and a cage that is being
 * made. */
int run_berth_ready(struct run_berth *berth, const struct cage_host *host, const struct cage_plan *plan, bool learn,
                    const struct run_zygote *zygote, struct base_err *err);

/* The same again after a run, for any like it. What fails here fails again with the next run. */
void run_berth_again(struct run_berth *berth, const struct cage_host *host);

/* End what is there; what stays is cleared by the next start. The slot is kept. */
void run_berth_empty(struct run_berth *berth);

/* At the end: empty it, and give up its slot. */
void run_berth_retire(struct run_berth *berth);

/* In a fork: let go of what is a parent's. */
void run_berth_forget(struct run_berth *berth);
