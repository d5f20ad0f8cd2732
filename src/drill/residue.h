/* residue.h - inside the room: what a run leaves on the machine
 *
 * All that a run starts descends from the drill, which is the reaper of what loses its parent: nothing gets out of that
 * tree.
 */
#pragma once

#include "base/buf.h"
#include "drill/expect.h"
#include <sys/types.h>

struct cage_host;

#define DRILL_PIDS_MAX 4096
struct drill_pids {
    pid_t items[DRILL_PIDS_MAX];
    size_t count;
};

/* Become the reaper of what loses its parent below us; as root, with mounts of our own. */
int drill_residue_begin(struct base_err *err);

/* The letter of a process's state as /proc has it, and its parent; 0 where there is no such process. */
char drill_process_state(pid_t pid, pid_t *ret_parent);

/* Living processes below @root, without @except (0: none) and what is below that. Ours that have died are reaped. */
void drill_pids_below(pid_t root, pid_t except, struct drill_pids *ret_pids);

/* Kill everything below us but @except, until nothing is left. False when something stays. */
bool drill_kill_below(pid_t except);

/* What the machine looks like before a run. */
struct drill_before {
    struct base_buf mounts;
    struct drill_words cgroups;
};
int drill_before_take(const struct cage_host *host, struct drill_before *ret_before, struct base_err *err);
void drill_before_release(struct drill_before *before);

/* What is there now and should not be. */
struct drill_residue {
    size_t processes, cgroups, mounts; /* a mount that is gone counts too */
    struct drill_words faults;         /* a clause each */
};
void drill_residue_release(struct drill_residue *residue);

/* A second, in which what is on its way out may go: as many as this machine is times slower than usual. */
#define DRILL_PATIENCE_US 1000000

/* Processes below us, but @except, which have so long to end. */
void drill_residue_processes(pid_t except, uint64_t patience_us, struct drill_residue *residue);

/* Those, at once, and what was not there before. A control group has so long to go away. */
void drill_residue_look(const struct cage_host *host, const struct drill_before *before, pid_t except,
                        uint64_t patience_us, struct drill_residue *residue);
