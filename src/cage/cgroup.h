/* cgroup.h - inside the room: how the groups of a slot are laid out
 *
 * v1: one group for each controller, in a hierarchy of its own, with everything in it. That of processes has two names:
 * after a run with several processes, whose peak stays in its counter, all move from the one to the other.
 * v2: the slot's group holds no process and no limit, and hands the controllers out to those below it: one for its
 * keeper (where there is one), and one for the run, which alone has limits and counters.
 */
#pragma once

#include "cage/child.h"

#define CAGE_GROUP_PREFIX "fumehood-"
#define CAGE_GROUP_RUN    "run"
#define CAGE_GROUP_KEEPER "keeper"
#define CAGE_GROUP_SECOND "-b"
#define CAGE_GROUP_BYTES  (CAGE_PATH_BYTES + 32)

/* How long a group may take to become empty when all in it are dead, or dying. */
#define CAGE_GROUP_PATIENCE_MS 2000

static inline bool cage_cgroup_is_v2(const struct cage_cgroup *cgroup)
{
    return cgroup->host && cgroup->host->manager == CAGE_MANAGER_V2;
}

/* Whether @controller has a folder of its own; v2 has one hierarchy for everything, which stands under PIDS. */
static inline bool cage_cgroup_stands_alone(const struct cage_host *host, int controller)
{
    return host->controllers[controller] && (host->manager == CAGE_MANAGER_V1 || controller == CAGE_PIDS);
}

/* host.c: whether @word is one of those in @list, between any of @separators. */
bool cage_list_has(const char *list, const char *word, const char *separators);

/* outer.c: whether a name or a path ends so, and is longer. */
bool cage_unit_ends(const char *text, const char *end);

/* outer.c: the innermost unit of systemd in a path of groups, a service or a scope; empty where there is none. Returns
 * how much of @own leads to it. */
size_t cage_unit_innermost(const char *own, char name[CAGE_UNIT_BYTES]);

/* cgroup_priv.c: write @value to a file of a group. 0 or -errno. */
int cage_cgroup_write(int dir_fd, const char *file, const char *value);

/* cgroup_left_priv.c: the path of a slot's group; of the second of two. False where it is too long. */
bool cage_cgroup_path(const struct cage_host *host, int controller, const struct cage_slot *slot, bool is_second,
                      char path[CAGE_GROUP_BYTES]);

/* cgroup_left_priv.c: remove a group, and of those below it the ones that are ours by name; what lives in there is
 * killed only if @kill_first. 0 or -errno: -EBUSY after @patience_ms. Does nothing to a group without our prefix. */
int cage_cgroup_clear(const char *group, bool kill_first, unsigned patience_ms);

/* cgroup_left_priv.c: remove the group @name below that of @dir_fd, as soon as nobody is in it. */
int cage_cgroup_clear_below(int dir_fd, const char *name, unsigned patience_ms);

/* cgroup_left_priv.c: note in the slot's lock where its groups will be; clears those that an older note names. 0 or
 * -errno. */
int cage_cgroup_note(const struct cage_host *host, const struct cage_slot *slot);
