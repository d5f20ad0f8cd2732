/* ids.h - inside the room: which ids cages have on this machine, and how they get them */
#pragma once

#include "cage/cage.h"

/* Outside, what a cage's first process and its guest are. */
struct cage_ids {
    uint32_t first_user, first_group, guest_user, guest_group;
};

/* ids.c: find out, and fill in what @host has of it. */
void cage_ids_probe(struct cage_host *host);

/* ids.c: those of the cages in a slot, where they have their own; @at is the slot's `ids`. */
struct cage_ids cage_ids_of(const struct cage_host *host, unsigned at);

/* ids_priv.c: map them into the user namespace of @pid, a child of ours that has none yet. */
int cage_ids_map(const struct cage_host *host, unsigned at, pid_t pid, struct base_err *err);

/* ids.c: the programs that map what their user may give away; NULL where one is not there. */
enum cage_ids_program { CAGE_IDS_USERS, CAGE_IDS_GROUPS, CAGE_IDS_PROGRAM_MAX };
const char *cage_ids_program(enum cage_ids_program which);

/* ids_child.c: exec the NULL-terminated words of @argument with nothing of ours. Does not return. */
int cage_ids_exec(void *argument);
