/* plan.c - policy and machine make a plan: which promises, and who enforces which limit
 *
 * Pure: reads values, touches nothing.
 */
#include "base/cleanup.h"
#include "cage/cage.h"
#include <stdio.h>
#include <string.h>

/* Who enforces a limit when there is no control group for it. */
enum without { OWN, RLIMIT, NEEDS_GROUP };

static const struct {
    enum without without;
    enum cage_controller controller; /* NEEDS_GROUP, or RLIMIT that a group does better */
    const char *word;                /* enforced_by without a group */
} enforcers[POLICY_LIMIT_MAX] = {
    [POLICY_LIMIT_WALL_MS] = {OWN, CAGE_CONTROLLER_MAX, "supervisor"},
    [POLICY_LIMIT_CPU_MS] = {NEEDS_GROUP, CAGE_CPUACCT, "rlimit"},
    [POLICY_LIMIT_IDLE_MS] = {NEEDS_GROUP, CAGE_CPUACCT, "none"},
    [POLICY_LIMIT_MEMORY_BYTES] = {NEEDS_GROUP, CAGE_MEMORY, "rlimit"},
    [POLICY_LIMIT_STACK_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "rlimit"},
    [POLICY_LIMIT_PROCESSES] = {RLIMIT, CAGE_PIDS, "rlimit"},
    [POLICY_LIMIT_OPEN_FILES] = {OWN, CAGE_CONTROLLER_MAX, "rlimit"},
    [POLICY_LIMIT_FILE_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "rlimit"},
    [POLICY_LIMIT_SCRATCH_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "tmpfs"},
    [POLICY_LIMIT_SCRATCH_INODES] = {OWN, CAGE_CONTROLLER_MAX, "tmpfs"},
    [POLICY_LIMIT_STDIN_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "supervisor"},
    [POLICY_LIMIT_STDOUT_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "supervisor"},
    [POLICY_LIMIT_STDERR_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "supervisor"},
    [POLICY_LIMIT_VALUE_BYTES] = {OWN, CAGE_CONTROLLER_MAX, "supervisor"},
    [POLICY_LIMIT_CPUS] = {NEEDS_GROUP, CAGE_CPU, "none"},
};

static const char *manager_word(enum cage_manager manager)
{
    return manager == CAGE_MANAGER_V1 ? "cgroup-v1" : "cgroup-v2";
}

static bool enforceable(const struct policy *policy, const struct cage_host *host, enum policy_limit_key key)
{
    const struct policy_limit *limit = &policy->limits[key];
    enum cage_controller controller = enforcers[key].controller;

    return limit->unlimited || limit->if_available || enforcers[key].without != NEEDS_GROUP ||
           host->controllers[controller];
}

/* Who is root already is not told to be; what it lacks is its container's to give. */
static const char *other_way(const struct cage_host *host)
{
    if (host->cgroup_remedy[0])
        return host->cgroup_remedy;
    if (host->is_root)
        return "start this container with control groups that it may write: docs/containers.md";
    if (host->cgroup_v2)
        return "start as root, or in a group of your own: systemd-run --user --scope -p Delegate=yes fumehood ...";
    return "start as root";
}

/* All of them at once: nobody wants to be told of the second wall when the first has been given up. The remedy that
 * always works comes first. */
static int refuse(const struct policy *policy, const struct cage_host *host, struct base_err *err)
{
    char keys[160] = "";
    size_t length = 0;

    for (int key = 0; key < POLICY_LIMIT_MAX; key++)
        if (!enforceable(policy, host, (enum policy_limit_key)key) && length < sizeof(keys))
            length += (size_t)snprintf(keys + length, sizeof(keys) - length, "%s%s", length ? ", " : "",
                                       policy_limit_name((enum policy_limit_key)key));
    (void)base_err_set(err, BASE_E_REFUSED, keys, "cannot be enforced here: %s",
                       host->cgroup_why[0] ? host->cgroup_why : "the controller that does it is missing");
    return base_err_remedy(err, "--if-available goes on without; or %s", other_way(host));
}

/* A limit that our starter gave us ends the guest before the policy's does, and untyped: the receipt would tell a limit
 * that is not in force. */
static int refuse_lower(enum policy_limit_key key, uint64_t hard, const char *option, struct base_err *err)
{
    (void)base_err_set(err, BASE_E_REFUSED, policy_limit_name(key), "is more than this process was given (%llu)",
                       (unsigned long long)hard);
    return base_err_remedy(err,
                           "raise it (ulimit -%s), ask for less with --limit %s=..., or go on without: --if-available",
                           option, policy_limit_name(key));
}

/* Where it was asked to go on with less, the receipt says how much less. */
static int plan_lower(enum policy_limit_key key, uint64_t hard, const char *option, struct cage_plan *plan,
                      struct base_err *err)
{
    uint64_t *in_force = &plan->limits[key].in_force;

    if (!plan->policy->limits[key].if_available)
        return refuse_lower(key, hard, option, err);
    if (!*in_force || hard < *in_force)
        *in_force = hard;
    return 0;
}

static int plan_inherited(const struct cage_host *host, struct cage_plan *plan, struct base_err *err)
{
    int r = 0;

    const struct {
        enum policy_limit_key key;
        uint64_t hard;
        const char *option;
        bool ends_guest; /* then "unlimited" is more, too; where a call just fails, it is the guest's to cope with */
    } rows[] = {
        {POLICY_LIMIT_OPEN_FILES, host->hard_open_files, "Hn", false},
        {POLICY_LIMIT_FILE_BYTES, host->hard_file_bytes, "Hf", false},
        {POLICY_LIMIT_PROCESSES, host->hard_processes, "Hu", false},
        {POLICY_LIMIT_PROCESSES, host->soft_processes, "Su", false},
        {POLICY_LIMIT_STACK_BYTES, host->hard_stack_bytes, "Hs", true},
        {POLICY_LIMIT_CPU_MS, host->hard_cpu_s > UINT64_MAX / 1000 ? UINT64_MAX : host->hard_cpu_s * 1000, "Ht", true},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows) && r == 0; i++) {
        const struct policy_limit *limit = &plan->policy->limits[rows[i].key];
        if (rows[i].hard != UINT64_MAX && (limit->unlimited ? rows[i].ends_guest : limit->value > rows[i].hard))
            r = plan_lower(rows[i].key, rows[i].hard, rows[i].option, plan, err);
    }
    return r;
}

/* Limits of our starter for which no policy has a key, and which a guest would have without a word in its receipt: a
 * right program would fail by them. Where memory is bounded by a group, a guest's data is not. */
static int plan_unasked(const struct cage_host *host, const struct cage_plan *plan, struct base_err *err)
{
    const struct policy_limit *memory = &plan->policy->limits[POLICY_LIMIT_MEMORY_BYTES];
    bool is_bounded = !plan->uses_cgroup[CAGE_MEMORY] && !memory->unlimited;
    const struct {
        const char *what, *option;
        uint64_t hard, wanted;
    } rows[] = {
        {"address space", "Hv", host->hard_address_space, UINT64_MAX},
        {"data", "Hd", host->hard_data_bytes, is_bounded ? memory->value : UINT64_MAX},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (rows[i].hard >= rows[i].wanted)
            continue;
        (void)base_err_set(err, BASE_E_REFUSED, rows[i].what,
                           "this process was given a limit of %llu bytes, which its programs would have too",
                           (unsigned long long)rows[i].hard);
        return base_err_remedy(err, "raise it (ulimit -%s unlimited), or start fumehood where nobody has set it",
                               rows[i].option);
    }
    return 0;
}

/* A core limit of 1 keeps a crash from a handler of the host's, which is root and outside; at 0 the handler runs. */
static int plan_core(const struct cage_host *host, struct base_err *err)
{
    if (!host->core_is_piped || host->hard_core > 0)
        return 0;
    (void)base_err_set(
        err, BASE_E_REFUSED, "core",
        "a crash would go to this machine's handler, as root: only a core limit of 1 keeps it from that, "
        "and this process was given 0");
    return base_err_remedy(err, "raise it (ulimit -Hc 1), or as root: sysctl -w kernel.core_pattern=core");
}

/* Python runs without, and what compiles as it goes does not. */
static int plan_code(const struct cage_host *host, struct base_err *err)
{
    if (!host->denies_code)
        return 0;
    (void)base_err_set(err, BASE_E_REFUSED, "memory",
                       "this process, and so each of its programs, may not execute what it wrote into memory, as "
                       "Node.js and Java do");
    return base_err_remedy(err, "start without it (systemd: MemoryDenyWriteExecute=no)");
}

/* Another's filter that answers a call by itself wins over ours: we neither see nor count that attempt. */
static int plan_denials(const struct policy *policy, const struct cage_host *host, struct base_err *err)
{
    bool counts = policy->denials != POLICY_DENIALS_RECORD;

    if (!host->has_outer_filter || (!counts && policy_denied_calls(policy) == POLICY_NO_DENIED_CALL))
        return 0;
    (void)base_err_set(err, BASE_E_REFUSED, counts ? "denials" : "denied_calls",
                       "a system call filter was here before fumehood's: what it denies by itself is not seen");
    return base_err_remedy(err, "start without it (systemd: SystemCallFilter=, RestrictAddressFamilies=; Docker: "
                                "--security-opt seccomp=unconfined), or denials: record, with what is seen");
}

/* What our starter left us must not change what a guest has, or hide what the policy wants to be counted. */
static int plan_starter(const struct cage_host *host, struct cage_plan *plan, struct base_err *err)
{
    int r = plan_inherited(host, plan, err);

    if (r == 0)
        r = plan_unasked(host, plan, err);
    if (r == 0)
        r = plan_core(host, err);
    if (r == 0)
        r = plan_code(host, err);
    return r < 0 ? r : plan_denials(plan->policy, host, err);
}

/* The limit is in force from before the exec: the guest's streams, its mark, and what the first process holds in the
 * same table then; that is more than its loader opens on the way. */
#define OPEN_FILES_MIN 16

static int plan_open_files(const struct cage_plan *plan, struct base_err *err)
{
    const struct policy_limit *limit = &plan->policy->limits[POLICY_LIMIT_OPEN_FILES];

    if (limit->unlimited || limit->value >= OPEN_FILES_MIN)
        return 0;
    (void)base_err_set(err, BASE_E_USAGE, policy_limit_name(POLICY_LIMIT_OPEN_FILES),
                       "no program starts with fewer than %d", OPEN_FILES_MIN);
    return base_err_remedy(err, "--limit open_files=%d or more", OPEN_FILES_MIN);
}

/* What a new program has on it before its first instruction, and its loader needs. */
#define STACK_MIN_BYTES (256u << 10)

static int plan_stack(const struct cage_plan *plan, struct base_err *err)
{
    const struct policy_limit *limit = &plan->policy->limits[POLICY_LIMIT_STACK_BYTES];

    if (limit->unlimited || limit->value >= STACK_MIN_BYTES)
        return 0;
    (void)base_err_set(err, BASE_E_USAGE, policy_limit_name(POLICY_LIMIT_STACK_BYTES),
                       "no program starts with less than %uKiB", STACK_MIN_BYTES >> 10);
    return base_err_remedy(err, "--limit stack_bytes=%uKiB or more", STACK_MIN_BYTES >> 10);
}

static int plan_limit(enum policy_limit_key key, const struct cage_host *host, struct cage_plan *plan,
                      struct base_err *err)
{
    const struct policy_limit *limit = &plan->policy->limits[key];
    enum cage_controller controller = enforcers[key].controller;
    bool grouped = controller != CAGE_CONTROLLER_MAX && host->controllers[controller];

    plan->limits[key].enforced_by = enforcers[key].word;
    if (limit->unlimited) {
        plan->limits[key].enforced_by = "none";
        return 0;
    }
    if (grouped) {
        plan->limits[key].enforced_by =
            key == POLICY_LIMIT_CPU_MS || key == POLICY_LIMIT_IDLE_MS ? "supervisor" : manager_word(host->manager);
        plan->uses_cgroup[controller] = true;
        return 0;
    }
    plan->limits[key].is_weaker = enforcers[key].without == NEEDS_GROUP;
    return enforceable(plan->policy, host, key) ? 0 : refuse(plan->policy, host, err);
}

/* Counting is wanted even where nothing is limited: a receipt says what was used. */
static void plan_counting(const struct cage_host *host, struct cage_plan *plan)
{
    static const enum cage_controller counting[] = {CAGE_PIDS, CAGE_MEMORY, CAGE_CPUACCT};

    for (size_t i = 0; i < ARRAY_COUNT(counting); i++)
        if (host->controllers[counting[i]])
            plan->uses_cgroup[counting[i]] = true;
}

/* Of some calls a process is told nothing, and is just ended. */
static int plan_calls(const struct cage_host *host, struct base_err *err)
{
    if (!host->refused_calls[0])
        return 0;
    (void)base_err_set(err, BASE_E_SETUP, "system calls",
                       "a filter that was here first ends a process that makes one "
                       "that a cage needs: %s",
                       host->refused_calls);
    return base_err_remedy(err,
                           "in a unit of systemd they are to be in SystemCallFilter=, beside what is: docs/systemd.md");
}

int cage_plan_make(const struct policy *policy, const struct cage_host *host, struct cage_plan *ret_plan,
                   struct base_err *err)
{
    struct cage_plan plan = {.policy = policy, .requested = (UINT64_C(1) << CAGE_STEP_MAX) - 1};
    int r;

    if (policy->tier != POLICY_TIER_CONTAINER)
        return base_err_set(err, BASE_E_REFUSED, "tier", "%s is not in this version; container is",
                            policy_tier_name(policy->tier));
    r = plan_calls(host, err);
    if (r < 0)
        return r;
    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        r = plan_limit((enum policy_limit_key)key, host, &plan, err);
        if (r < 0)
            return r;
    }
    plan_counting(host, &plan);
    r = plan_open_files(&plan, err);
    if (r == 0)
        r = plan_stack(&plan, err);
    if (r == 0)
        r = plan_starter(host, &plan, err);
    if (r < 0)
        return r;
    if (host->manager == CAGE_MANAGER_NONE)
        plan.missing |= CAGE_BIT(CGROUP);
    plan.landlock_abi = host->landlock_abi;
    if (host->landlock_abi == 0)
        plan.missing |= CAGE_BIT(LANDLOCK);
    if (host->groups_stay != CAGE_STAY_NOT)
        plan.missing |= CAGE_BIT(IDENTITY);
    if (policy->proc == POLICY_PROC_MACHINE)
        plan.missing |= CAGE_BIT(PROC_MASKED);
    plan.requested &= ~plan.missing;
    *ret_plan = plan;
    return 0;
}

const struct cage_mount *cage_mounts(void)
{
    static const struct cage_mount mounts[] = {
        {"/", "generated", "ro,nosuid,nodev"},
        {"/usr", "host-view", "ro,nosuid,nodev"},
        {"/etc/alternatives", "host-view", "ro,nosuid,nodev"},
        {"/etc/ld.so.cache", "host-view", "ro,nosuid,nodev"},
        {"/etc/java", "host-view", "ro,nosuid,nodev,noexec"},
        {"/etc", "generated", "ro,nosuid,nodev"},
        {"/dev", "generated", "ro,nosuid,noexec"},
        {"/dev/pts", "devpts", "ro,nosuid,noexec,max=" CAGE_TERMINALS_MAX},
        {"/dev/shm", "scratch", "rw,nosuid,nodev,noexec"},
        {"/proc", "proc", "own processes only,nosuid,nodev,noexec"},
        {"/scratch", "tmpfs", "ro,nosuid,nodev"},
        {"/tmp", "scratch", "rw,nosuid,nodev"},
        {"/work", "scratch", "rw,nosuid,nodev"},
        {NULL, NULL, NULL},
    };
    return mounts;
}

const char *cage_mount_mode(const struct cage_mount *mount, const struct policy *policy)
{
    return policy->proc == POLICY_PROC_MACHINE && strcmp(mount->at, "/proc") == 0 ? CAGE_PROC_MACHINE : mount->mode;
}

const char *const *cage_environment(void)
{
    static const char *const environment[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/work", "LANG=C.UTF-8", "TZ=UTC", "TMPDIR=/tmp", "TERM=dumb", NULL,
    };
    return environment;
}
