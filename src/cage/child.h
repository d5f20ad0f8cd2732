/* child.h - inside the room: what the cage's first process and the guest-to-be share
 *
 * Functions of the *_child.c files run after the fork: they return 0 or -errno, use system calls and plain memory only,
 * and never allocate, log or take a lock.
 */
#pragma once

#include "cage/cage.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define CAGE_GUEST_ID 1000u
#define CAGE_HOSTNAME "cage"

/* A keeper has a message queue of this number, which no cage of it must see. */
#define CAGE_KEEPER_QUEUE 0x66680001

/* "user:[4026531837]": a namespace as /proc names it. Reading the link is four times as cheap as looking behind it. */
#define CAGE_NS_NAME_BYTES 40
enum cage_ns {
    CAGE_NS_USER,
    CAGE_NS_PID,
    CAGE_NS_MOUNT,
    CAGE_NS_NETWORK,
    CAGE_NS_IPC,
    CAGE_NS_UTS,
    CAGE_NS_CGROUP,
    CAGE_NS_MAX
};

/* What the first process is told on the way. Lies in shared memory, which is at the same address on both sides, so
 * pointers hold; they lead into the rest of it. Only the supervisor writes. */

/* What a policy means for the cage: known with the order, or before, where a slot's former run had the same. */
struct cage_terms {
    uint64_t requested; /* bits of the steps that must be achieved */
    struct policy_limit limits[POLICY_LIMIT_MAX];
    bool uses_cgroup[CAGE_CONTROLLER_MAX];
    enum policy_network network;
    uint64_t denied_calls;            /* the denied call that ends the run; POLICY_NO_DENIED_CALL: none */
    const struct sock_filter *filter; /* what is loaded; NULL: the default's */
    unsigned filter_count;
    struct cage_numbers kept;        /* with a filter of its own: the calls that it has */
    const struct sock_filter *judge; /* what decides about a notified call; NULL: it is denied */
    unsigned judge_count;
    bool learn;       /* note what the judge lets pass */
    unsigned observe; /* bits of enum policy_observe */
};

struct cage_order {
    bool from_zygote; /* the guest is forked by the zygote; no exec */
    char **argv, **envp;
    struct cage_file *files; /* bytes NULL: they stand in CAGE_END_FILES, those of all such files one after the other */
    size_t file_count;
    bool has_mark, has_files; /* which of the descriptors come */
};

/* The descriptors of an order. */
enum cage_end { CAGE_END_STDIN, CAGE_END_STDOUT, CAGE_END_STDERR, CAGE_END_MARK, CAGE_END_FILES, CAGE_END_MAX };

/* Where a root may stand ready (ready_priv.c): the folder, as the supervisor has judged it. */
struct cage_ready {
    bool may;
    unsigned slot;
    char folder[32];
    dev_t dev;
    ino_t ino;
};

#define CAGE_ORDER_BYTES (4u << 20)
struct cage_shared {
    struct cage_report report;
    struct cage_observed observed;
    struct cage_host host;
    struct cage_ready ready;                       /* complete with the host */
    char host_ns[CAGE_NS_MAX][CAGE_NS_NAME_BYTES]; /* the supervisor's namespaces, complete with the host */
    struct {
        char **argv, **envp; /* in `room`; argv NULL: no zygote is wanted */
    } zygote;
    enum cage_ahead ahead;   /* other than NONE: the terms are complete, and a guest is to stand ready on them */
    struct cage_terms terms; /* complete with the order */
    struct sock_filter filters[2][CAGE_FILTER_MAX]; /* for what they point to */
    struct cage_order order;
    char room[CAGE_ORDER_BYTES]; /* for what the order points to */
};

/* Before a stack, or memory that was one, is used again: sanitizers have marked what the one before had on it, and it
 * did not return. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define CAGE_STACK_RENEW(stack) __asan_unpoison_memory_region(stack, sizeof(stack))
#else
#define CAGE_STACK_RENEW(stack) ((void)(stack))
#endif

struct cage_context {
    uint64_t start_us; /* the guest-to-be's own, for the report */
    struct cage_report *report;
    struct cage_observed *observed;
    const struct cage_host *host;              /* complete once cage_line_wait_ids() has returned 0 */
    const struct cage_terms *terms;            /* complete with the order, or ahead */
    const struct cage_order *order;            /* complete once cage_line_wait_order() has returned 0 */
    const char (*host_ns)[CAGE_NS_NAME_BYTES]; /* CAGE_NS_MAX of them; complete with the host */
    const struct cage_shared *shared;
    char **environment; /* the copy of the supervisor's, to be wiped */
    uint64_t without;   /* bits of steps that are claimed and not done (mutation.h) */
    bool keeps;         /* this is a keeper: no guest of its own */
    bool no_exec;       /* the guest-to-be is a fork of a zygote: what an exec would do is done by its steps */
    int line_fd;        /* to the supervisor; its end of file says that it gave up or died */
    /* filled by the child */
    int lock_fd;                 /* the slot's, held as long as we live; -1: none */
    int tasks_fds[CAGE_END_MAX]; /* v1: to join our control groups; -1: none more */
    int run_fd;                  /* v2: the group in which a keeper's first process, and its guest, are born; else -1 */
    int ends[CAGE_END_MAX];
    char own_ns[CAGE_NS_MAX][CAGE_NS_NAME_BYTES]; /* the cage's or its keeper's, read back when that is built */
    uint64_t keeper_root;                         /* number of the mount that is a keeper's root; 0: there is none */
    unsigned top_folders;                         /* what cage_landlock_look() has found; 0: nobody has looked */
    uint64_t staged_bytes, staged_inodes;         /* what the scratch holds before the guest starts */
    bool root_stood_ready;
    int root_fd, scratch_fd, listener_fd, signal_fd;
    int zygote_fd;    /* a keeper's line to its zygote; -1: there is none */
    bool has_strays;  /* the zygote has children of that guest's that live on when it has ended */
    uint64_t next_id; /* of the next notification, as the kernel counts them; 0: none has come */
    uint64_t unread;  /* notifications from then on that were gone when they were asked for */
    int guest_fd;     /* the line of a guest that the zygote has forked, or is asked to; -1: there is none */
    pid_t guest;      /* the guest-to-be that stands ready; 0: there is none */
    int guest_alive;  /* and that it has neither ended nor begun: the kernel sets this to 0 */
    int go_fd;        /* on which it waits for the word */
    pid_t zygote;     /* of the keeper; 0: there is none */
    pid_t first;      /* of a keeper: the first process that it has made and not reaped */
};

/* init_child.c: the cage's first process; never returns. */
void cage_init_main(struct cage_context *context) __attribute__((noreturn));

/* init_child.c: the same for a keeper's child, which shares its memory; @context, its own, has what the keeper's has
 * but for the line. Never returns. */
int cage_init_kept(void *context);

/* init_child.c: give up, and say at which step (CAGE_STEP_*, CAGE_AT_*) and why (-errno). */
void cage_init_fail(struct cage_context *context, unsigned step, int r) __attribute__((noreturn));

/* launcher_child.c: signals, limits, precedence and the environment that came with the start. 0 or -errno. */
int cage_launcher_forget(char **environment);

/* start_child.c: have the guest stand ready, where the terms are known ahead. 0 or -errno. */
int cage_start_ready(struct cage_context *context);

/* start_child.c: let it begin, in the way that the order says. Its pid, or -errno, or the report says at which step it
 * failed. */
pid_t cage_start_guest(struct cage_context *context);

/* keep_child.c: make first processes as they are asked for, reap them; never returns. */
void cage_keep_main(struct cage_context *context) __attribute__((noreturn));

/* begin_child.c: CLONE_NEW* of what clone makes for a cage. */
uint64_t cage_begin_namespaces(uint64_t without);

/* What groups are to enforce. */
struct cage_bounds {
    const struct policy_limit *limits; /* POLICY_LIMIT_MAX of them */
    const bool *uses_cgroup;           /* CAGE_CONTROLLER_MAX of them */
    enum policy_network network;
};

/* cgroup_priv.c: make the groups of a slot, without limits; for one run, or for a keeper and its runs. */
int cage_cgroup_create(const struct cage_host *host, const struct cage_slot *slot, bool is_kept,
                       struct cage_cgroup *ret_cgroup, struct base_err *err);

/* cgroup_priv.c: put limits in force. The second: those of a plan. */
int cage_cgroup_bound(struct cage_cgroup *cgroup, const struct cage_bounds *bounds, struct base_err *err);
int cage_cgroup_limit(struct cage_cgroup *cgroup, const struct cage_plan *plan, struct base_err *err);

/* cgroup_priv.c: v2: have a new group for the next run of a keeper, with limits; the last one must be dead. What was
 * open of the old one is closed. 0 or -errno or BASE_E_*. */
int cage_cgroup_renew(struct cage_cgroup *cgroup, const struct cage_bounds *bounds);

/* cgroup_priv.c: v2: a new descriptor of the group where the first process, or the keeper, is to be born; -1: it joins
 * its groups itself; or -errno. */
int cage_cgroup_birthplace(const struct cage_cgroup *cgroup);

/* cgroup_count_priv.c: open what counts in the groups' folders, also between runs where they serve many; what is not
 * there stays -1. */
void cage_cgroup_open_counters(struct cage_cgroup *cgroup, bool many_runs);

/* cgroup_count_priv.c: groups that serve several runs. What only grows is counted from here; processes in it now;
 * memory that is charged now; set the peaks back, false where that cannot be. UINT64_MAX: unknown. */
void cage_cgroup_count_from_here(struct cage_cgroup *cgroup);
uint64_t cage_cgroup_processes(const struct cage_cgroup *cgroup);
uint64_t cage_cgroup_charge_bytes(const struct cage_cgroup *cgroup);
bool cage_cgroup_reset_memory(const struct cage_cgroup *cgroup);

/* cgroup_count_priv.c: v1: whether the peak of processes is more than that of a run with one: nobody can set it back.
 */
bool cage_cgroup_has_peak(const struct cage_cgroup *cgroup);

/* cgroup_count_priv.c */
void cage_cgroup_close_counters(struct cage_cgroup *cgroup, enum cage_controller controller);

/* cgroup_priv.c: v1: make the other group of processes, with its limit, and count there from now on; a new descriptor
 * with which a process writes itself into it; remove the former one, when all have. 0 or -errno or BASE_E_*. */
int cage_cgroup_turn(struct cage_cgroup *cgroup, const struct cage_bounds *bounds);
int cage_cgroup_open_turn(const struct cage_cgroup *cgroup);
int cage_cgroup_leave_turn(const struct cage_cgroup *cgroup);

/* cgroup_priv.c: close what is open of it; the groups stay. */
void cage_cgroup_close(struct cage_cgroup *cgroup);

/* cgroup_priv.c: where a process writes itself into the groups, one descriptor a group, which the caller closes.
 * Returns how many: 0 where it need not (v2, none); or -errno, and none is open. */
int cage_cgroup_open_tasks(const struct cage_cgroup *cgroup, int ret_fds[CAGE_CONTROLLER_MAX]);

/* begin_child.c: clone the first process, into the group of @group_fd (-1: none). 0 or -errno; what *@cage holds then
 * is the caller's to drop. */
int cage_begin_clone(char **environment, int group_fd, struct cage *cage);

/* begin_child.c: the cage that was begun before the C library had started, once; false when there is none. */
bool cage_begin_take_early(struct cage *ret_cage);

/* keep_priv.c: put the limits of @guest's plan in force, where they are not, and note what it runs on. */
int cage_keeper_limit(struct cage_keeper *keeper, const struct cage_guest *guest, struct base_err *err);

/* keep_priv.c: a cage of @keeper is let go, whose groups were @cgroup then. */
void cage_keeper_note_hurry(struct cage_keeper *keeper, const struct cage_cgroup *cgroup);

/* keep_priv.c: give the next run groups without anything of the last one: on v2 another, on v1 the other one for
 * processes, to which the keeper moves. False where that cannot be. */
bool cage_keeper_renew(struct cage_keeper *keeper);

/* make_priv.c: NULL does nothing. */
void cage_shared_free(struct cage_shared *shared);

/* What the supervisor says to the first process, in this order; and what a keeper answers. */
enum cage_word {
    CAGE_WORD_IDS = 'i',    /* ids are mapped, the host is known; with the slot's lock */
    CAGE_WORD_GROUPS = 'g', /* control groups are there; with what is needed to join them */
    CAGE_WORD_KEEP = 'k',   /* the same, and: stay, and make first processes */
    CAGE_WORD_ZYGOTE = 'y', /* to a keeper, where one is wanted: with what is to be preloaded */
    CAGE_WORD_ORDER = 'o',  /* the order is complete; with the guest's descriptors */
    CAGE_WORD_OVER = 'v',   /* from the first process: the guest has ended */
    CAGE_WORD_GUEST = 'u',  /* to the first process: hand over a descriptor of the guest; from it: this is it */
    CAGE_WORD_LEFT = 'l',   /* from it: a descriptor that is to outlive it */
    CAGE_WORD_NEXT = 'n',   /* to a keeper: make a first process; with its end of a line, and on v2 its group */
    CAGE_WORD_REAP = 'w',   /* to it: reap the one that is dead, and say so */
    CAGE_WORD_MOVE = 't', /* to it: the same, and move to another group of processes; with what is needed to join it */
    CAGE_WORD_MADE = 'm', /* from it: this is it; with its pid and a descriptor of it */
    CAGE_WORD_GONE = 'r', /* from it: it is dead and reaped, and there is no other */
};

/* make_priv.c: as cage_make(), and @word is what its first process is told at the end. */
int cage_make_as(const struct cage_host *host, const struct cage_slot *slot, enum cage_word word,
                 const struct cage_zygote *zygote, struct cage *cage, struct base_err *err);

/* order.c: what a keeper is told of its zygote (NULL: there is none). */
int cage_order_zygote(struct cage_shared *shared, const struct cage_zygote *zygote, struct base_err *err);

/* zygote.c: a new descriptor of what is preloaded, or -errno. */
int cage_zygote_preload(void);

/* line.c: send a word and up to CAGE_END_MAX descriptors. 0 or -errno; 0 also when nobody is there any more: the report
 * tells why. */
int cage_line_send(int line_fd, enum cage_word word, const int *fds, unsigned count);

/* line.c: wait for a word of a keeper, at most @timeout_ms. *@ret_fd and *@ret_pid, which may both be NULL, get what
 * came with it, or -1. 0 or -errno: -ESRCH when it is gone, -ETIMEDOUT. */
int cage_line_receive(int line_fd, enum cage_word expected, int timeout_ms, int *ret_fd, pid_t *ret_pid);

/* line_child.c: a keeper's answers. */
int cage_line_say_made(int line_fd, pid_t pid, int pid_fd);
int cage_line_say_gone(int line_fd);

/* line_child.c: what a keeper is asked for: the word, or -errno; with the line of the first process that is to be made,
 * and on v2 the group for it (-1: none). */
int cage_line_wait_asked(struct cage_context *context, int *ret_line_fd, int *ret_run_fd);

/* line_child.c: a descriptor of the guest, which the supervisor has asked for. */
void cage_line_say_guest(int line_fd, int pid_fd);

/* line_child.c: the guest's end is in the report. */
void cage_line_say_over(int line_fd);

/* line_child.c: the descriptor that comes for a zygote, or -errno. */
int cage_line_wait_zygote(struct cage_context *context);

/* line_child.c: wait for each word. -ESRCH when the supervisor gave up or died. */
int cage_line_wait_ids(struct cage_context *context);
int cage_line_wait_groups(struct cage_context *context);
int cage_line_wait_order(struct cage_context *context);

/* line_child.c: @fd stays open on the way to the supervisor, which never reads, until that lets go of the cage. */
void cage_line_leave(int line_fd, int fd);

/* ns_child.c: the names of the caller's namespaces now. */
int cage_ns_names(char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES]);
int cage_ns_name(enum cage_ns ns, char names[CAGE_NS_MAX][CAGE_NS_NAME_BYTES]); /* of one of them */

/* identity_child.c: become user and group @id, for good; and 0 where this process is that,
 * in all three of each, else -EPERM. */
int cage_identity_set(uint32_t id);
int cage_identity_prove(uint32_t id);

/* guest_child.c: applies those of the guest's steps that are in @steps and that the terms ask for, in their order; 0,
 * or -errno with the report filled. After that of the filter, what can be called is up to it. */
int cage_guest_walk(struct cage_context *context, uint64_t steps);

/* guest_child.c: the caller may use more than the one processor that its launcher keeps to. 0 or -errno. */
int cage_guest_free_processors(const struct cage_host *host);

/* guest_child.c: set a limit of this process, or what is next to it that it may set. 0 or -errno. */
int cage_guest_rlimit(int id, const struct rlimit *limit);

/* guest_child.c: bits of the steps that are its own. */
uint64_t cage_guest_steps(void);

/* guest_child.c: the same ahead of the order, on the terms alone; then waits for the word on go_fd, and execs. Its
 * streams are put in place by who says the word, in the table that both share. Never returns. */
int cage_guest_ahead_main(void *context);

/* guest_child.c: does so and execs; never returns. */
int cage_guest_main(void *context);

/* bounding_child.c: 0 or -errno. */
int cage_bounding_empty(void);
int cage_bounding_prove(void);

/* zygote_child.c, in a keeper: start the zygote that the supervisor wants, and wait until it is ready. Does nothing
 * where it wants none. */
int cage_zygote_start(struct cage_context *context);

/* zygote_child.c, in a keeper: have the zygote move to the group of @tasks_fd and to @ns_fd (-1: it stays where it is),
 * and wait until it is there. 0 or -errno. Does nothing where there is none. */
int cage_zygote_move(const struct cage_context *context, int tasks_fd, int ns_fd);

/* zygote_child.c, in the cage's first process. */

/* Ask the zygote for a fork that joins this cage, becomes a guest on the terms, and waits for its program. Does not
 * wait. 0 or -errno. @context->guest_fd is its line then. */
int cage_zygote_ask(struct cage_context *context);

/* Let it begin with the order's program; asks for one first where there is none. Its pid in the cage, or -errno, or the
 * report says at which step it failed. The listener is here then, and on @context->guest_fd its end is told. */
pid_t cage_zygote_let_go(struct cage_context *context);

/* zygote_child.c: the guest's end, as told; false while there is none. Does not return when its zygote is dead. */
bool cage_zygote_ended(struct cage_context *context, int *ret_status);

/* root_child.c: what stands in a root. */
#define CAGE_ROOT_TOP        4u
#define CAGE_ROOT_LINK_BYTES 64
#define CAGE_ROOT_FOLDER     "/" /* instead of where a link leads: it is none */
struct cage_root {
    char top[CAGE_ROOT_TOP][CAGE_ROOT_LINK_BYTES]; /* where /bin and its like lead; empty: there is none */
    char java[64];                                 /* the folder of its settings; empty: there is none */
    unsigned count;
    struct cage_setting settings[CAGE_SETTINGS_MAX];
};

/* root_child.c: name of the i-th of the top. */
const char *cage_root_top(unsigned i);

/* root_child.c: fill in all but the settings. 0 or -errno. */
int cage_root_look(struct cage_root *root);

/* root_child.c: make it in an empty folder, where the umask is 0; a setting more. 0 or -errno. */
int cage_root_make(const struct cage_root *root, int root_fd);
int cage_root_add_setting(int root_fd, const struct cage_setting *setting);

/* root_child.c: of all that is made for it; what one is called that stands ready for a slot, below CAGE_READY_SLOTS. */
#define CAGE_READY_SLOTS     8u
#define CAGE_ROOT_PREFIX     "root-"
#define CAGE_ROOT_NAME_BYTES 32
uint64_t cage_root_hash(const struct cage_root *root);
void cage_root_name(unsigned slot, uint64_t hash, char name[CAGE_ROOT_NAME_BYTES]);

/* slot.c: the folder of slots; its caller closes it. 0 or an error. */
int cage_slot_folder(int *ret_fd);
#define CAGE_SLOT_ROOTS_FOLDER "/run/fumehood/slots" /* root's */

/* ready_priv.c: where the first process may look for a root that stands ready. */
void cage_ready_tell(const struct cage_host *host, const struct cage_slot *slot, struct cage_ready *ret_ready);

/* ready_priv.c: the cage is gone, its slot still held: have what it missed stand ready for the next. */
void cage_ready_renew(const struct cage_shared *shared);

/* mount_child.c */
int cage_mount_own_root(struct cage_context *context);
int cage_mount_take_settings(struct cage_context *context); /* of the host, before ids are mapped */
int cage_mount_host_view(struct cage_context *context);
int cage_mount_devices(struct cage_context *context);
int cage_mount_prove_devices(struct cage_context *context);
int cage_mount_scratch(struct cage_context *context);
int cage_mount_proc(struct cage_context *context);
int cage_mount_proc_over(struct cage_context *context); /* the same, from within */
int cage_mount_inputs(struct cage_context *context);
int cage_mount_enter(struct cage_context *context);
int cage_mount_number(uint64_t *ret_number); /* of the mount that is the caller's root */
int cage_mount_prove_root(struct cage_context *context);
int cage_mount_prove_view(struct cage_context *context);
int cage_mount_prove_scratch(struct cage_context *context);
int cage_mount_prove_proc(struct cage_context *context);

/* landlock_child.c: which folders of the caller's root are there in some cages only; a keeper's root stays as it is. */
unsigned cage_landlock_look(void);

/* landlock_child.c */
int cage_landlock_apply(struct cage_context *context);

/* judge_child.c: the answer of @code for @data, as the kernel would find it; a denial where it is not understood. */
uint32_t cage_judge(const struct sock_filter *code, unsigned count, const struct seccomp_data *data);

/* quiet_child.c: what a denied call answers that is no attempt, so that nobody is told of it; 0: it is one. */
int cage_quiet_error(const struct seccomp_data *data);

/* notify_child.c: answer and record denied calls until the guest's first process ends. */
void cage_notify_loop(struct cage_context *context, pid_t guest);

/* observe_child.c: note what a call that is let pass is after. */
void cage_observe(struct cage_context *context, const struct seccomp_notif *request);

/* observe_child.c: whether the guest's memory can be read; 0 or -errno. */
int cage_observe_prove(pid_t guest);

/* The guest's streams and its mark become 0 to 3, in a table that the first process shares: everything that it needs
 * itself must stand above. Moves *@fd there; on failure it stays where it is. */
#define CAGE_LOW_FDS 4
#define CAGE_HIGH_FD 10
int cage_fd_high(int *fd);

/* Close every descriptor of this process but the @count in @keep (any order; -1 is skipped). */
int cage_close_all_but(const int *keep, unsigned count);
