/* role.h - inside the room: what this program is besides the drill itself
 *
 * The processes around an attack are this program again, after a real exec: they have an environment, descriptors,
 * signals and a terminal as a user's shell would hand them over.
 */
#pragma once

#include "drill/launch.h"

enum drill_role {
    DRILL_ROLE_SUPERVISOR, /* does what the order in a folder of notes says, and leaves an answer there */
    DRILL_ROLE_VICTIM,     /* lives, and shows it, until it is killed */
    DRILL_ROLE_NOBODY,     /* ends at once */
};

/* Start this program as @role with @argument; path and argv of @launch are filled here. */
int drill_role_launch(enum drill_role role, const char *argument, struct drill_launch *launch, pid_t *ret_pid,
                      struct base_err *err);

/* Names in the folder of notes. */
#define DRILL_ORDER_FILE  "order.json"
#define DRILL_ANSWER_FILE "answer.json"
#define DRILL_SAID_FILE   "said"  /* what a bare program printed */
#define DRILL_BEGUN_FILE  "begun" /* in slots: the honest runs are over that come before */

/* In slots, the processes that stand ready: two keepers, the first process of each, and its guest; and with zygotes,
 * these.
 */
#define DRILL_READY       6
#define DRILL_READY_FORKS 2

/* The order: {"program", "args": [...], "stdin": text or null, "policy": {...}, "bare": bool, "twice": bool,
 * "pace": how many times its time, "terminal": bool, "work": folder for a bare program, "cage": its name, "honest":
 * path or null, of a program for the same slots before and after, "honest_policy": {...}}. The answer of a caged one:
 * {"refused": text or null, "error": text or null, "receipts": [...], "fds_before", "fds_after", "runs": null or, in
 * slots, in their order, [{"honest": bool, "slot": its number, "keeper": process, "run": how many cages that had then
 * made, "receipt": of an honest one}], "processes": those in the slots at the end that do not belong there}, of a bare
 * one {"error", "endings": ["exited 10", ...]}.
 */
int drill_supervise(const char *folder, struct base_err *err);
int drill_be_victim(struct base_err *err);
