/* cage.h - the cage: what is promised (plan), what this machine can do (host), how it is built (make) and used (start)
 *
 * Life of a cage: cage_host_probe() once, cage_slot_acquire() once for a process, then for each run cage_make(), which
 * needs no policy yet, cage_plan_make(), cage_start(), watching by the warden, cage_drop().
 */
#pragma once

#include "base/err.h"
#include "base/processors.h"
#include "cage/filter.h"
#include "policy/policy.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --- steps: the promises --- */

enum cage_step {
#define STEP(name, word, where, text) CAGE_STEP_##name,
#include "cage/steps.def"
#undef STEP
    CAGE_STEP_MAX
};
#define CAGE_BIT(step) (UINT64_C(1) << CAGE_STEP_##step)

/* Where setting up can fail without being a promise of its own. */
enum { CAGE_AT_START = CAGE_STEP_MAX, CAGE_AT_INPUTS, CAGE_AT_PROOF, CAGE_AT_EXEC, CAGE_AT_OBSERVE, CAGE_AT_MAX };

const char *cage_step_name(unsigned step); /* also for CAGE_AT_*; never NULL */
const char *cage_step_text(unsigned step); /* what it means, for people */

/* What no step prevents: a risk of every run in a cage of this tier. A NULL word ends the list. */
struct cage_residual {
    const char *word, *text;
    enum policy_tier helps; /* the weakest tier that does better; POLICY_TIER_MAX: none */
};
const struct cage_residual *cage_residuals(void);

/* --- Landlock: what each of its ABIs adds (landlock.def) --- */

enum cage_landlock {
#define LANDLOCK(name, word, abi, since, adds, before) CAGE_LANDLOCK_##name = (abi),
#include "cage/landlock.def"
#undef LANDLOCK
    CAGE_LANDLOCK_END, /* the first ABI that is not known here */
    CAGE_LANDLOCK_KNOWN = CAGE_LANDLOCK_END - 1
};
struct cage_landlock_row {
    int abi;
    const char *name;                                /* "ABI 1" */
    const char *word, *since, *from, *adds, *before; /* @from: "from Linux 5.13 on" */
};

/* All of them, from ABI 1 on; an ABI of 0 ends the list. */
const struct cage_landlock_row *cage_landlock_rows(void);

/* Whether the wall has the row's part on a kernel with @abi, for a policy with @network: TCP is closed only where no
 * network is granted. */
bool cage_landlock_has(const struct cage_landlock_row *row, int abi, enum policy_network network);

/* "files, moves from folder to folder": what it has, into @text. */
void cage_landlock_text(int abi, enum policy_network network, char *text, size_t text_bytes);

/* "truncation (Linux 6.2), ...": what the wall would have on a later kernel; empty where it has all that is known. */
void cage_landlock_lacks(int abi, char *text, size_t text_bytes);

/* --- kernels: what not every one has (kernels.def) --- */

enum cage_kernel {
#define FEATURE(name, word, since, purpose, before) CAGE_KERNEL_##name,
#include "cage/kernels.def"
#undef FEATURE
    CAGE_KERNEL_MAX
};
struct cage_kernel_row {
    const char *word, *since, *purpose, *before; /* @before: what there is in its place; empty: it is needed */
};
const struct cage_kernel_row *cage_kernel_rows(void); /* a NULL word ends them */

/* Whether a kernel has it by @release, as uname tells it. */
bool cage_kernel_has(const char *release, enum cage_kernel feature);

/* "memory.peak (5.19), ...": what it has not, into @text; empty where that is nothing. */
void cage_kernel_lacks(const char *release, char *text, size_t text_bytes);

/* The newest that it has not and no cage is made without; NULL: none. */
const struct cage_kernel_row *cage_kernel_needs(const char *release);

/* --- host: what this machine can do --- */

enum cage_manager { CAGE_MANAGER_NONE, CAGE_MANAGER_V1, CAGE_MANAGER_V2 };
enum cage_controller { CAGE_PIDS, CAGE_MEMORY, CAGE_CPU, CAGE_CPUACCT, CAGE_CONTROLLER_MAX };
enum cage_counter {
    CAGE_COUNTER_CPU,
    CAGE_COUNTER_MEMORY_PEAK,
    CAGE_COUNTER_OOM_KILLS,
    CAGE_COUNTER_OOM_EVENTS, /* v2: at the group's own limit */
    CAGE_COUNTER_PROCESSES_PEAK,
    CAGE_COUNTER_PROCESS_REFUSALS,
    CAGE_COUNTER_OF_RUN_MAX, /* the rest is looked at between runs */
    CAGE_COUNTER_PROCESSES = CAGE_COUNTER_OF_RUN_MAX,
    CAGE_COUNTER_CHARGE,
    CAGE_COUNTER_SWAP_PEAK, /* v1: of memory and swap together, to be set back */
    CAGE_COUNTER_MAX
};

/* Why a guest stays in the further groups of its starter. */
enum cage_stay {
    CAGE_STAY_NOT, /* it does not: there are none, or they are dropped */
    CAGE_STAY_ROOT,
    CAGE_STAY_NO_PROGRAM,
    CAGE_STAY_NO_RIGHTS,
    CAGE_STAY_NO_NEW_PRIVS,
    CAGE_STAY_NO_RANGE,
    CAGE_STAY_SMALL,
    CAGE_STAY_ELSEWHERE,
    CAGE_STAY_OTHER_GROUP,
    CAGE_STAY_HIDDEN,
    CAGE_STAY_DENIED,
    CAGE_STAY_MAX
};
struct cage_stay_words {
    const char *why, *remedy;
};
const struct cage_stay_words *cage_stay_words(enum cage_stay stay);

/* Where on cgroup v2 the groups of cages are, and on v1. */
enum cage_base {
    CAGE_BASE_NONE,
    CAGE_BASE_OWN,       /* v1: below our own group, in each hierarchy */
    CAGE_BASE_DELEGATED, /* below a group that was given to us, or to our unit or container: its limits hold */
    CAGE_BASE_SCOPE,     /* in a scope that we asked systemd for */
    CAGE_BASE_TOP,       /* below the machine's topmost group */
    CAGE_BASE_MAX
};
const char *cage_base_name(enum cage_base base); /* "none", "own-group", "delegated", "scope", "top" */

/* Room for "/sys/fs/cgroup/..." paths, and for names of units of systemd. */
#define CAGE_PATH_BYTES 512
#define CAGE_UNIT_BYTES 128

struct cage_host {
    bool is_root;     /* started by root, be it only that of a container */
    bool privileged;  /* started by root, with the rights to give each cage its own ids */
    bool has_own_ids; /* each cage has ids of its own: by root, or by an ordinary user's newuidmap and newgidmap */
    /* Where cages have their own: slot k's are base + 2k (init) and base + 2k + 1 (guest) if privileged, else base + k
     * (guest), and its init has the starter's. */
    uid_t uid_base;
    gid_t gid_base;
    unsigned uid_slots;         /* how many slots the ranges have */
    enum cage_stay groups_stay; /* why nobody takes its starter's further groups from a guest; 0: it has none */
    int landlock_abi;           /* the one that is used, at most CAGE_LANDLOCK_KNOWN; 0: none */
    uint64_t hard_open_files, hard_file_bytes, hard_processes, hard_cpu_s; /* inherited; UINT64_MAX: none */
    uint64_t hard_address_space, hard_data_bytes, hard_stack_bytes;
    uint64_t soft_processes; /* of an ordinary user: no user namespace has more than this */
    uint64_t hard_core;
    bool core_is_piped;                /* crashes are given to a handler: it is left out at a core limit of exactly 1 */
    bool denies_code;                  /* no process of ours may execute memory that it wrote, for good */
    bool has_outer_filter;             /* of system calls, before ours: what it answers by itself we never see */
    char refused_calls[256];           /* which it refuses in such a way that no cage can be; empty: none is known */
    bool is_bound;                     /* this process keeps to one processor, and its guests do not: */
    struct base_processors processors; /* as it was when we looked */
    bool cgroup_v2;                    /* this machine has cgroup v2, usable here or not */
    enum cage_manager manager;
    bool controllers[CAGE_CONTROLLER_MAX];                     /* v2: CPUACCT comes with every group */
    char cgroup_parents[CAGE_CONTROLLER_MAX][CAGE_PATH_BYTES]; /* where our groups go; v2: [CAGE_PIDS] only */
    enum cage_base base;
    char cgroup_unit[CAGE_UNIT_BYTES]; /* v2: systemd's name of what we are in; empty: nothing of its */
    char cgroup_why[160];              /* NONE: why there is none, for remedies */
    char cgroup_remedy[192];           /* NONE: the one thing to do about it; empty: not known */
    bool shows_machine;                /* what /proc of the next cage is to show; see policy_proc */
};

/* All that a container, or a unit of systemd, must open for a cage, at once: for faults that come of either. */
const char *cage_engine_remedy(void);

/* What root without the capabilities to map ids needs. */
const char *cage_root_remedy(void);

/* Look at the machine; never fails: what is not there is absent. Makes nothing: on cgroup v2 there is no group yet. */
void cage_host_probe(struct cage_host *ret_host);

/* On cgroup v2, after the probe: take the base of control groups for this process and all that it starts, or find the
 * one that its starter took; on v1 nothing is to be done. It may move this process, and others of its group, aside, or
 * ask systemd for a scope. Where there is none, @host says why. A second time it looks at nothing. */
void cage_base_take(struct cage_host *host);

/* Before the process ends: take the base away, if nobody else is in it. */
void cage_base_leave(void);

/* "no" in this variable: systemd is asked for no scope. */
#define CAGE_SCOPE_VARIABLE "FUMEHOOD_SCOPE"

/* The smallest limit of memory (bytes) or processes on the base and above it, which bounds all cages together; false:
 * there is none. */
struct cage_bound {
    uint64_t value;
    char path[CAGE_PATH_BYTES];
};
bool cage_base_bound(const struct cage_host *host, enum cage_controller controller, struct cage_bound *ret_bound);

/* Whether control groups v2 alone are mounted where they belong; cheap. */
bool cage_host_is_unified(void);

/* The name of the service of systemd that this process is in; false: it is in none, or cannot tell. @groups is the text
 * of /proc/self/cgroup. */
bool cage_unit_name(char name[CAGE_UNIT_BYTES]);
bool cage_unit_find(const char *groups, char name[CAGE_UNIT_BYTES]);

/* The folder of this user's sessions that XDG_RUNTIME_DIR names. NULL: none, or another user's, as `su` leaves it. */
const char *cage_runtime_folder(void);

/* "mount_setattr sethostname": the calls that a cage needs and a filter that was here first refuses or ends a process
 * for. Makes each in a fork, so it is for when something has failed. Where there is no filter, what is refused is the
 * kernel's doing. */
void cage_filter_refuses(char *text, size_t text_bytes);

/* Whether such a filter lets the ABI of Landlock be asked for: 0, or negative where it would end this process. */
int cage_filter_landlock(void);

/* What of the machine's settings keeps this process from namespaces, or from rights in them: into @err, and true. Only
 * for when it has been kept from them. */
bool cage_namespaces_blame(struct base_err *err);

/* That the running kernel is too old for any cage: into @err, and true. It is asked, and not only its version. */
bool cage_kernel_blame(struct base_err *err);

/* How to mend what a filter, or another setting of the unit or container that this process is in, forbids: by @setting
 * of a unit, or by the calls that are refused where that is NULL. */
int cage_outer_remedy(const char *setting, struct base_err *err);

/* Add to @err, which says that @step failed with @sys_errno, what is around this process that may be why. What the
 * machine's settings say goes before what a filter does. */
void cage_outer_blame(unsigned step, int sys_errno, struct base_err *err);

/* Whether somebody's filter of system calls was here before ours: what it answers by itself is in no receipt; cheap. */
bool cage_host_is_filtered(void);

/* --- plan: policy -> promises, pure --- */

#define CAGE_STACK_BYTES (8u << 20) /* of a guest's first thread */

struct cage_plan {
    const struct policy *policy; /* borrowed */
    uint64_t requested;          /* bits of the steps that must be achieved */
    int landlock_abi;            /* by which the second wall is put up; 0: there is none */
    uint64_t missing; /* bits given up with leave of the policy, or that this kernel or starter cannot have */
    bool uses_cgroup[CAGE_CONTROLLER_MAX];
    struct {
        const char *enforced_by; /* static word for the receipt */
        bool is_weaker;          /* no control group does it: "rlimit" bounds each process by itself, "none" nothing */
        uint64_t in_force;       /* what our starter was limited to, where that is less; 0: it is not */
    } limits[POLICY_LIMIT_MAX];
};

/* BASE_E_REFUSED where a limit cannot be enforced on this host and the policy does not spell it _if_available, and
 * where what our starter left us would narrow a guest, or hide what the policy wants to be counted. */
int cage_plan_make(const struct policy *policy, const struct cage_host *host, struct cage_plan *ret_plan,
                   struct base_err *err);

/* One mount of the cage, for receipts and people. NULL `at` ends the list. */
struct cage_mount {
    const char *at, *kind, *mode;
};
const struct cage_mount *cage_mounts(void);
const char *cage_mount_mode(const struct cage_mount *mount, const struct policy *policy); /* under this policy */

/* Settings of runtimes and libraries that are shown as they are on this machine (settings.def). */
#define CAGE_SETTINGS_MAX 64
struct cage_setting {
    unsigned row; /* of settings.def */
    bool is_folder;
    int fd;      /* what it is, links followed: O_PATH, or a mount of it that is attached nowhere */
    char at[64]; /* where the guest finds it */
};

/* Owns @setting->fd from then on. 0; -EMFILE stops the walk, as a lack of descriptors in the walk itself does. */
typedef int cage_setting_take(const struct cage_setting *setting, void *argument);

/* Hand over, row for row from @first on, what is there and may be shown now; @clones: as mounts. Returns the row where
 * it stopped; where cage_settings_path() has no more, at the end. */
unsigned cage_settings_look(unsigned first, bool clones, cage_setting_take *take, void *argument);

/* Path of a row, "/etc/R", which may have a star for any name; NULL past the end. Their kind and mode for receipts. */
const char *cage_settings_path(unsigned row);
#define CAGE_SETTINGS_KIND "host-settings"
#define CAGE_SETTINGS_MODE "ro,nosuid,nodev,noexec"

/* Of /proc, where the policy has it show the machine. */
#define CAGE_PROC_MACHINE "own processes, processors, memory and load of the machine,nosuid,nodev,noexec"

/* How many terminals a guest may have at once. */
#define CAGE_TERMINALS_MAX "16"

/* The environment that every guest gets; NULL-terminated "NAME=VALUE". */
const char *const *cage_environment(void);

/* --- slot: a number that nobody else on this machine has now --- */

struct cage_slot {
    int lock_fd; /* -1: none needed */
    unsigned number;
    unsigned home; /* of the folder of locks: systems with folders of their own may share control groups */
    unsigned ids;  /* which of the machine's ids, where it has own ones: each folder's are counted from elsewhere */
    dev_t dev;     /* that folder */
    ino_t ino;
};

/* Takes the lowest free slot; cage_cgroup_reconcile() then clears away what killed owners left behind. */
int cage_slot_acquire(const struct cage_host *host, struct cage_slot *ret_slot, struct base_err *err);
void cage_slot_release(struct cage_slot *slot);

/* The same at the end of its owner, when nothing is left in it. A fork's copy is released. */
void cage_slot_retire(struct cage_slot *slot);

/* --- cgroup: one interface for v1, v2 and none --- */

/* A limit that is in force: what its file must say when the run is over. */
struct cage_held {
    int fd; /* -1: there is none */
    uint64_t value;
    char text[40];
};

struct cage_cgroup {
    const struct cage_host *host;     /* NULL: there are no groups */
    struct cage_slot slot;            /* its lock is borrowed, and notes where the groups are */
    int slot_fd;                      /* v2: the group that holds those below; else -1 */
    int dir_fds[CAGE_CONTROLLER_MAX]; /* -1: not used; v2: [CAGE_PIDS] only, the run's */
    int counter_fds[CAGE_COUNTER_MAX];
    struct cage_held held[CAGE_CONTROLLER_MAX];
    unsigned own;                       /* processes of ours in it, which are no guest's */
    bool is_kept;                       /* a keeper's: they serve many runs */
    bool is_second;                     /* v1: of processes, it is the other of the two that take turns */
    bool is_hurried;                    /* its limit on processors is lifted */
    uint64_t counted[CAGE_COUNTER_MAX]; /* before this run, of what only grows */
};
#define CAGE_CGROUP_NONE                                                                                               \
    {                                                                                                                  \
        .slot = {.lock_fd = -1}, .slot_fd = -1, .dir_fds = {-1, -1, -1, -1},                                           \
        .counter_fds = {-1, -1, -1, -1, -1, -1, -1, -1, -1}, .held = {                                                 \
            {.fd = -1},                                                                                                \
            {.fd = -1},                                                                                                \
            {.fd = -1},                                                                                                \
            {.fd = -1}                                                                                                 \
        }                                                                                                              \
    }

/* What the kernel has refused a run. UINT64_MAX: unknown. */
struct cage_refusals {
    uint64_t oom_kills, processes; /* at the run's own limits */
    bool is_outer_memory;          /* somebody in it was killed because the memory of what is around it ran out */
    bool is_outer_processes;       /* it was refused processes within its own limit, as far as that can be seen */
};

struct cage_counters {
    uint64_t cpu_us, memory_peak_bytes, processes_peak; /* UINT64_MAX: unknown */
    struct cage_refusals refusals;
};

/* What the kernel has counted for the whole tree so far. */
void cage_cgroup_read(const struct cage_cgroup *cgroup, struct cage_counters *ret_counters);

/* What is looked at while the guest runs; cheap. */
uint64_t cage_cgroup_cpu_us(const struct cage_cgroup *cgroup);
struct cage_refusals cage_cgroup_refusals(const struct cage_cgroup *cgroup);

/* Whose limit does not hold any more: it was taken away or changed. CAGE_CONTROLLER_MAX: all do. */
enum cage_controller cage_cgroup_taken(const struct cage_cgroup *cgroup);

/* Take the limit on processors away, once: dying takes time, and what is over its share would have to wait for it. */
void cage_cgroup_hurry(struct cage_cgroup *cgroup);

/* Remove the groups; they must be empty or dying. Returns how many could not be removed. Does nothing when there are
 * none any more. */
unsigned cage_cgroup_remove(struct cage_cgroup *cgroup);

/* Remove the groups of every slot whose lock nobody holds, wherever they are. What does not go at once is waited for,
 * up to two seconds each, only if @patient. Returns how many slots were not cleared. */
unsigned cage_cgroup_reconcile(bool patient);

/* --- report: what the cage's first process tells its supervisor --- */

/* Room for every call of the table, where arguments tell attempts apart as often as they do (notify_child.c): a narrow
 * profile denies nearly all of them, and a guest must not hide one attempt behind others. */
#define CAGE_DENIALS_MAX 1024

/* In the place of a number or an argument: any other. A guest that tries them all fills no more than its share. */
#define CAGE_DENIAL_OTHER_CALL     UINT32_MAX
#define CAGE_DENIAL_OTHER_ARGUMENT UINT64_MAX

struct cage_denial {
    uint32_t nr;
    uint32_t foreign;  /* called by another ABI: 1 32-bit, 2 x32 */
    uint64_t argument; /* what tells attempts apart, such as the address family */
    uint64_t count;
    uint64_t first_us; /* since the guest's start */
};

/* Shared between both. The first process of the cage writes; the guest cannot reach it. The supervisor treats
 * it as data all the same. */
struct cage_report {
    _Atomic uint64_t achieved;    /* bits by CAGE_STEP_* */
    _Atomic uint32_t started;     /* the guest's exec succeeded */
    _Atomic uint32_t ended;       /* the guest's first process ended; wait_status is set */
    _Atomic uint32_t denied_end;  /* ended by the last denied call that the policy bears */
    _Atomic uint32_t overdue;     /* ended by our own clock: the supervisor did not end it in time */
    _Atomic uint32_t alone;       /* with the guest's first process ended, nothing but the cage's own is left */
    _Atomic uint32_t zygote_died; /* before the guest that it had forked, or with it */
    char zygote_why[64];          /* why it cannot begin; empty: it can, or did not say */
    int32_t kept_status; /* of the first process that a keeper has reaped, and the processor time of its tree */
    uint64_t kept_cpu_us;
    uint64_t fork_cpu_us; /* of a guest that a zygote has forked, and of what that has waited for */
    int32_t wait_status;
    int32_t failed_step; /* -1: none */
    int32_t failed_errno;
    _Atomic uint64_t start_us; /* CLOCK_MONOTONIC, just before the guest's exec; 0: not yet */
    uint64_t end_us;
    _Atomic uint64_t scratch_bytes, scratch_inodes; /* used now, without what was staged */
    _Atomic uint64_t scratch_peak_bytes;            /* highest seen */
    _Atomic uint32_t scratch_full;                  /* bytes (1) or inodes (2) were seen exhausted */
    _Atomic uint64_t denied_calls;                  /* all of them */
    _Atomic uint32_t denial_count;                  /* their kinds, in the table */
    _Atomic uint64_t denials_unlisted;
    struct cage_denial denials[CAGE_DENIALS_MAX];
    struct cage_numbers learned; /* what was called, under learn */
    _Atomic uint64_t settings;   /* rows of settings.def that are in the root: of all runs that have this one */
    _Atomic uint64_t root;       /* hash of the root that should stand ready; 0: nobody has looked */
    _Atomic uint32_t root_stood; /* and it did */
};

/* What the guest was after, under `observe`: its own claims, for people. Beside the report, and treated like it. */
enum cage_seen {
    CAGE_SEEN_TRIED,   /* nothing more is known */
    CAGE_SEEN_MISSING, /* it was not there */
    CAGE_SEEN_REFUSED, /* it was there, and not for the guest */
};
#define CAGE_OBSERVED_MAX   64
#define CAGE_OBSERVED_BYTES 256
struct cage_sight {
    uint64_t count;
    uint32_t seen;
    bool is_cut; /* the path was longer */
    char path[CAGE_OBSERVED_BYTES + 1];
};
struct cage_sights {
    _Atomic uint32_t count;
    uint64_t unlisted; /* attempts beyond the table */
    uint64_t unread;   /* attempts whose path could not be read */
    struct cage_sight rows[CAGE_OBSERVED_MAX];
};
struct cage_observed {
    struct cage_sights kinds[POLICY_OBSERVE_MAX];
};
const char *cage_seen_name(unsigned seen); /* "tried", "missing", "refused" */

/* BASE_E_REFUSED where the policy asks to observe and this machine does not let it be done. Asks the machine. */
int cage_observe_check(const struct policy *policy, struct base_err *err);

/* Add the calls that are in no learned set: they may happen behind the program's back, or are never noticed. */
void cage_learned_complete(struct cage_numbers *learned);

/* "socket(AF_INET)" and the class for a denial. */
void cage_denial_describe(const struct cage_denial *denial, char *what, size_t what_bytes, const char **ret_class);

/* --- the cage itself, as its supervisor holds it --- */

struct cage_keeper;

struct cage {
    pid_t pid;   /* of its first process; -1: there is no cage; 0: a keeper has not said yet */
    int pid_fd;  /* readable when the whole cage is dead */
    int line_fd; /* to the first process; the cage ends itself when the last copy of this is closed */
    struct cage_cgroup cgroup;
    struct cage_keeper *keeper; /* who made it, reaps it and owns the groups and what both see; NULL: it is fresh */
    struct cage_shared *shared; /* what both see */
    struct cage_report *report; /* part of it */
    const struct cage_observed *observed;
};
#define CAGE_NONE                                                                                                      \
    {                                                                                                                  \
        .pid = -1, .pid_fd = -1, .line_fd = -1, .cgroup = CAGE_CGROUP_NONE                                             \
    }

/* Begin to build a cage before anything is known of what will run in it: its first process makes namespaces by itself.
 * Leaves CAGE_NONE, and returns 0, where control groups v2 are in use: there it must be born in its group, and
 * cage_make() does everything. The caller must be single-threaded. */
int cage_begin(struct cage *ret_cage, struct base_err *err);

/* Whether one can be begun here at all: it is, and is dropped. For when something else is refused. */
int cage_try(struct base_err *err);

/* The same before the C library has started, for cage_begin() to find. Uses nothing of the library, reports nothing. */
void cage_begin_early(char **environment);

/* Drop what cage_begin_early() has begun, where nobody took it. */
void cage_begin_never(void);

/* Give *@cage, which is begun or CAGE_NONE, its slot: ids, and control groups without limits. It then completes its
 * file system and waits for cage_start(). What fails in there comes through the report (failed_step) and the end of the
 * cage; what fails here leaves CAGE_NONE. @host is copied. The caller must be single-threaded. */
int cage_make(const struct cage_host *host, const struct cage_slot *slot, struct cage *cage, struct base_err *err);

struct cage_file {
    const char *path; /* below /work */
    const void *bytes;
    size_t count;
    uint32_t mode;
};

struct cage_guest {
    const struct cage_plan *plan;
    const struct cage_file *files;
    size_t file_count;
    char *const *argv; /* argv[0] is the path to execute, inside the cage */
    char *const *envp;
    bool learn;       /* note every call that is let pass; see cage_report.learned */
    bool from_zygote; /* forked by the keeper's zygote, whose command argv begins with; see cage_zygote_serves() */
    int stdin_fd, stdout_fd, stderr_fd, mark_fd; /* the guest's ends; mark_fd may be -1 */
};

/* Put the plan's limits in force and let the guest into the cage, once. Everything is copied; the caller may close its
 * descriptors. A cage that died while it was built is no failure here: the report tells. */
int cage_start(struct cage *cage, const struct cage_guest *guest, struct base_err *err);

/* Send the guest's first process SIGINT, when it has started, and its process group where the kernel can. False where
 * that cannot be done at once. */
bool cage_interrupt(const struct cage *cage);

/* Where the cage has a share of the processors of its own, let its first process come first in there: a guest may have
 * any number of others spinning beside it. Only when the guest has started: it is the first process's fork, and is to
 * have what its launcher had. A right of root's; without it, nothing happens (init_child.c asks for short turns). */
void cage_put_first(const struct cage *cage);

/* Kill the cage if it lives, reap it if nobody has, remove its groups, free everything. Returns how many groups could
 * not be removed. Does nothing to a CAGE_NONE, and leaves one. */
unsigned cage_drop(struct cage *cage);

/* In a fork: let go of a cage that belongs to the parent, and leave it alive. */
void cage_forget(struct cage *cage);

/* --- keeper: what of a cage need not be new for each run, and a process that makes the rest --- */

/* What of a guest stands ready before it is known what will run, on the terms of the run before. */
enum cage_ahead {
    CAGE_AHEAD_NONE,
    CAGE_AHEAD_EXEC, /* a process with everything done but its streams and its exec */
    CAGE_AHEAD_FORK, /* the same, forked by the zygote: but its streams and its program */
};

struct cage_keeper {
    struct cage cage; /* its process, the groups, what all its cages see; CAGE_NONE: there is no keeper */
    unsigned slot;    /* its number */
    unsigned ids;     /* as in struct cage_slot */
    unsigned runs;    /* that it has served */
    bool has_zygote;
    bool is_silent;  /* it did not answer: it is dead, or will be */
    bool is_dirty;   /* it must not serve again */
    bool is_limited; /* the groups have these limits: */
    bool uses_cgroup[CAGE_CONTROLLER_MAX];
    struct policy_limit limits[POLICY_LIMIT_MAX];
    enum policy_network network; /* of the first run, which all must share */
    uint64_t requested, denied_calls;
    struct policy_set allowed;
    unsigned observe;
    bool learn;
    enum cage_ahead ahead; /* of the next guest, which is likely to be as the last */
    bool has_run;
    int sockets_fd, keys_fd; /* what the kernel counts of its network, of all users; -1: not there */
    uint64_t charge_bytes;   /* memory of the groups when nothing had run */
};
#define CAGE_KEEPER_NONE                                                                                               \
    {                                                                                                                  \
        .cage = CAGE_NONE, .sockets_fd = -1, .keys_fd = -1                                                             \
    }

/* An interpreter that has started and stands before its program; guests that it could run are forks of it. */
struct cage_zygote {
    char *const *argv; /* command of a program that is not there, as argv of a run */
    char *const *envp; /* environment of its runs, with what cage_zygote_environment() says */
};

/* What must be in the environment of a zygote of Python that preloads @modules (with blanks between them) and stands
 * before @path: its texts at @ret_texts, in @text. BASE_E_TOO_LARGE. */
#define CAGE_ZYGOTE_TEXTS 4
#define CAGE_ZYGOTE_BYTES 2048
int cage_zygote_environment(const char *path, const char *modules, char text[CAGE_ZYGOTE_BYTES],
                            char *ret_texts[CAGE_ZYGOTE_TEXTS], struct base_err *err);

/* Why a guest of @argv must not be a fork of a zygote, or NULL. */
#define CAGE_ZYGOTE_MEMORY_BYTES (16u << 20)
const char *cage_zygote_refuses(const struct cage_plan *plan, char *const *argv);

/* Whether a keeper and its zygote are in none of the groups of their runs. */
bool cage_keeper_is_apart(const struct cage_keeper *keeper);

/* Whether what a keeper and its zygote have charged to their groups is little beside the memory of @plan. */
bool cage_keeper_leaves_room(const struct cage_keeper *keeper, const struct cage_plan *plan);

/* Have a keeper on @slot, with @zygote (NULL: none). @host is copied. The caller must be single-threaded. On failure
 * there is none. */
int cage_keep(const struct cage_host *host, const struct cage_slot *slot, const struct cage_zygote *zygote,
              struct cage_keeper *ret_keeper, struct base_err *err);

/* Ask for a cage, which is made while the caller goes on: cage_start() waits for it. One at a time, and only when the
 * one before is dead. @keeper must stay where it is. */
int cage_next(struct cage_keeper *keeper, struct cage *ret_cage, struct base_err *err);

/* Wait until a cage of a keeper is made. cage_start() does so too. Does nothing for others. */
int cage_wait(struct cage *cage, struct base_err *err);

/* Whether a run under @plan may have a cage of this keeper, after those that it has had. */
bool cage_keeper_fits(const struct cage_keeper *keeper, const struct cage_plan *plan);

/* Whether what a cage that is begun or made shows in /proc is what the policy wants. */
bool cage_shows_as(const struct cage *cage, const struct policy *policy);

/* Whether @cage, which such a keeper makes, may have it: one that stands ready does so on the former run's terms, and
 * in its way (@from_zygote). */
bool cage_next_fits(const struct cage *cage, const struct cage_plan *plan, bool learn, bool from_zygote);

/* Have the last cage reaped, which is dead: its first process's status as of wait(), and the processor time of all in
 * it. False where that cannot be. */
bool cage_keeper_reap(struct cage_keeper *keeper, int *ret_status, uint64_t *ret_cpu_us);

/* Now that the last cage is dead (its pid_fd is readable), prove that nothing of it stayed: no process, no socket, no
 * key, no network that was used, no file or memory above CAGE_CHARGE_FLOOR_BYTES; and set the counters of peaks back.
 * False where that cannot be shown, with the reason as a clause (static): then the keeper must be dropped, and is_dirty
 * says so. */
#define CAGE_CHARGE_FLOOR_BYTES (1u << 20)
bool cage_keeper_clean(struct cage_keeper *keeper, const char **ret_why);

/* End it and all that it made, remove its groups, free everything. Returns how many groups could not be removed. */
unsigned cage_keeper_drop(struct cage_keeper *keeper);

/* In a fork: let go of a keeper that belongs to the parent, and leave it alive. */
void cage_keeper_forget(struct cage_keeper *keeper);
