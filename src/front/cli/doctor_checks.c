/* doctor_checks.c - what this machine can enforce, asked of the machine itself */

#include "front/cli/doctor_checks.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "cage/cage.h"
#include "front/cli/doctor_sockets.h"
#include "run/run.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

static struct doctor_check *add(struct doctor_report *report, const char *name, enum doctor_state state,
                                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* A new row without a remedy. When the table is full the last row is used again: a bug that the tests would see. */
static struct doctor_check *add(struct doctor_report *report, const char *name, enum doctor_state state,
                                const char *fmt, ...)
{
    size_t at = report->count < DOCTOR_CHECKS_MAX ? report->count++ : DOCTOR_CHECKS_MAX - 1;
    struct doctor_check *check = &report->checks[at];
    va_list args;

    *check = (struct doctor_check){.state = state};
    (void)snprintf(check->name, sizeof(check->name), "%s", name);
    va_start(args, fmt);
    (void)vsnprintf(check->found, sizeof(check->found), fmt, args);
    va_end(args);
    return check;
}

static void mend(struct doctor_check *check, const char *remedy)
{
    (void)snprintf(check->remedy, sizeof(check->remedy), "%s", remedy);
}

static void ask_kernel(struct doctor_report *report, const struct cage_host *host)
{
    struct utsname name;
    struct base_err blame;
    char lacks[320];

    (void)host;
    if (uname(&name) < 0)
        return;
    if (cage_kernel_blame(&blame))
        mend(add(report, "kernel", DOCTOR_BAD, "%s", blame.what), blame.remedy);
    else
        add(report, "kernel", DOCTOR_OK, "%s %s, %s", name.sysname, name.release, name.machine);
    cage_kernel_lacks(name.release, lacks, sizeof(lacks));
    if (*lacks)
        add(report, "newer kernels have", DOCTOR_OK, "by its version this one has not %s: docs/kernels.md", lacks);
}

/* A value of /proc/sys, or -1. */
static long read_setting(const char *path)
{
    AUTO_FCLOSE FILE *file = fopen(path, "re");
    long value;

    return file && fscanf(file, "%ld", &value) == 1 ? value : -1;
}

static const char *namespace_remedy(void)
{
    static struct base_err blame;

    return cage_namespaces_blame(&blame) || cage_outer_remedy(NULL, &blame) ? blame.remedy : "";
}

static void ask_namespaces(struct doctor_report *report, const struct cage_host *host)
{
    static const struct {
        enum cage_step step;
        int flags;
    } rows[] = {
        {CAGE_STEP_USER_NS, 0},
        {CAGE_STEP_PID_NS, CLONE_NEWPID},
        {CAGE_STEP_MOUNT_NS, CLONE_NEWNS},
        {CAGE_STEP_NETWORK_NS, CLONE_NEWNET},
        {CAGE_STEP_IPC_NS, CLONE_NEWIPC},
        {CAGE_STEP_UTS_NS, CLONE_NEWUTS},
        {CAGE_STEP_CGROUP_NS, CLONE_NEWCGROUP},
    };

    (void)host;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int error = cli_doctor_try_namespace(rows[i].flags);
        if (error == 0)
            add(report, cage_step_name(rows[i].step), DOCTOR_OK, "made one");
        else
            mend(add(report, cage_step_name(rows[i].step), DOCTOR_BAD, "cannot be made: %s", strerror(error)),
                 namespace_remedy());
    }
}

static void ask_identity(struct doctor_report *report, const struct cage_host *host)
{
    const char *name = cage_step_name(CAGE_STEP_IDENTITY_MAP);

    if (host->has_own_ids)
        add(report, name, DOCTOR_OK, "own ids for each of %u cages at once, from %u%s", host->uid_slots, host->uid_base,
            host->privileged ? "" : ", of those that /etc/subuid gives you");
    else if (geteuid() == 0)
        mend(add(report, name, DOCTOR_GAP,
                 "root, but with too few ids of its own to give away: every cage has the same"),
             "map at least 10000 ids from 50000 into this container");
    else
        add(report, name, DOCTOR_OK, "ordinary user: every cage has the id %u outside, its own inside", geteuid());
}

/* What a guest of ours is in that nobody can take from it. */
static void ask_groups(struct doctor_report *report, const struct cage_host *host)
{
    const char *name = cage_step_name(CAGE_STEP_IDENTITY);
    gid_t groups[64];
    char text[160] = "";
    const struct cage_stay_words *words = cage_stay_words(host->groups_stay);
    int count = getgroups(ARRAY_COUNT(groups), groups);

    for (int i = 0, used = 0; i < count && used < (int)sizeof(text) - 16; i++)
        if (groups[i] != getegid())
            used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%u", used ? ", " : "", groups[i]);
    if (host->groups_stay != CAGE_STAY_NOT)
        mend(add(report, name, DOCTOR_GAP,
                 "programs stay in your groups (%s): what those may read below /usr, they may; %s",
                 *text ? text : "many", words->why),
             words->remedy);
    else if (host->has_own_ids && !host->privileged)
        add(report, name, DOCTOR_OK, "your groups (%s) are dropped, by newuidmap and newgidmap", *text ? text : "many");
    else
        add(report, name, DOCTOR_OK, "no further group");
}

/* Crashes: what the kernel does for the handler and the log of the machine. */
static void ask_crashes(struct doctor_report *report, const struct cage_host *host)
{
    static const char name[] = "crashes";

    if (!host->core_is_piped)
        add(report, name, DOCTOR_OK, "no handler of the machine's is told: the core limit is 0");
    else if (host->hard_core == 0)
        mend(add(report, name, DOCTOR_BAD, "go to a handler, as root, at the core limit of 0 that this process has"),
             "raise it (ulimit -Hc 1), or as root: sysctl -w kernel.core_pattern=core");
    else
        mend(add(report, name, DOCTOR_GAP,
                 "the machine's handler is kept out by a core limit of 1; each leaves two lines in the kernel's log, "
                 "with a name that the program chose"),
             "as root: sysctl -w kernel.core_pattern=core, where nobody needs the handler");
}

static void ask_modules(struct doctor_report *report, const struct cage_host *host)
{
    static const char name[] = "module requests";
    AUTO_FCLOSE FILE *file = fopen("/proc/sys/kernel/modprobe", "re");
    char path[256] = "";
    struct utsname kernel;

    (void)host;
    if (uname(&kernel) == 0 && cage_kernel_has(kernel.release, CAGE_KERNEL_NO_MODULE_REQUESTS))
        add(report, name, DOCTOR_OK, "this kernel makes none for unknown programs");
    else if (!file || fscanf(file, "%255s", path) != 1 || read_setting("/proc/sys/kernel/modules_disabled") == 1)
        add(report, name, DOCTOR_OK, "none: this kernel loads no modules by itself");
    else
        mend(add(report, name, DOCTOR_GAP,
                 "a program that executes a file of no known kind makes the kernel run %s, as root, outside its limits",
                 path),
             "a kernel of 6.14 or later; or as root, when all modules are loaded: sysctl -w kernel.modules_disabled=1");
}

/* The one thing to do where there are no groups, or not all. */
static const char *group_remedy(const struct cage_host *host, char *text, size_t text_bytes)
{
    static const char of_user[] = "run as root, or with a delegated group: systemd-run --user --scope -p Delegate=yes "
                                  "fumehood ...";
    static const char of_root[] = "give this container control groups that it may write, docs/containers.md";

    (void)snprintf(text, text_bytes, "%s; or go on without: --if-available",
                   host->cgroup_remedy[0] ? host->cgroup_remedy
                   : host->is_root        ? of_root
                                          : of_user);
    return text;
}

static void ask_base(struct doctor_report *report, const struct cage_host *host)
{
    static const char *const texts[CAGE_BASE_MAX] = {
        [CAGE_BASE_OWN] = "v1, below our own group of each controller",
        [CAGE_BASE_DELEGATED] = "v2, below our own group, which is delegated",
        [CAGE_BASE_SCOPE] = "v2, in a scope of its own, for which systemd is asked at each start",
        [CAGE_BASE_TOP] = "v2, below the machine's topmost group",
    };
    bool has_unit = host->base == CAGE_BASE_DELEGATED && host->cgroup_unit[0];
    char remedy[320];

    if (host->manager == CAGE_MANAGER_NONE)
        mend(add(report, "cgroup", DOCTOR_BAD, "none: %s", host->cgroup_why),
             group_remedy(host, remedy, sizeof(remedy)));
    else
        add(report, "cgroup", DOCTOR_OK, "%s%s%s", texts[host->base], has_unit ? ": " : "",
            has_unit ? host->cgroup_unit : "");
}

/* What all cages together cannot have more of. With less than one may have, a run ends as lost. */
static void ask_bound(struct doctor_report *report, const struct cage_host *host, enum cage_controller controller,
                      const char *name, enum policy_limit_key key)
{
    AUTO_POLICY struct policy policy = {0};
    enum base_unit unit = controller == CAGE_MEMORY ? BASE_UNIT_BYTES : BASE_UNIT_COUNT;
    struct cage_bound bound;
    char value[32], own[32];

    if (!cage_base_bound(host, controller, &bound) || policy_builtin("default", &policy, NULL) < 0)
        return;
    (void)base_units_text(bound.value, unit, value, sizeof(value));
    (void)base_units_text(policy.limits[key].value, unit, own, sizeof(own));
    if (bound.value >= policy.limits[key].value)
        add(report, name, DOCTOR_OK, "all cages together have at most %s, of %s", value, bound.path);
    else
        mend(add(report, name, DOCTOR_GAP,
                 "all cages together have at most %s, of %s: less than %s, which one may have", value, bound.path, own),
             "raise that limit, or give --limit a smaller one");
}

static void ask_cgroups(struct doctor_report *report, const struct cage_host *host)
{
    static const struct {
        enum cage_controller controller;
        const char *name, *limits;
    } rows[] = {
        {CAGE_MEMORY, "cgroup memory", "memory_bytes"},
        {CAGE_PIDS, "cgroup pids", "processes"},
        {CAGE_CPU, "cgroup cpu", "cpus"},
        {CAGE_CPUACCT, "cgroup cpuacct", "cpu_ms"},
    };
    char remedy[320];

    ask_base(report, host);
    for (size_t i = 0; host->manager != CAGE_MANAGER_NONE && i < ARRAY_COUNT(rows); i++) {
        const char *parent = host->cgroup_parents[host->manager == CAGE_MANAGER_V2 ? CAGE_PIDS : rows[i].controller];
        if (host->controllers[rows[i].controller])
            add(report, rows[i].name, DOCTOR_OK, "below %s", parent);
        else
            mend(add(report, rows[i].name, DOCTOR_GAP, "not there, so %s has no group to enforce it", rows[i].limits),
                 group_remedy(host, remedy, sizeof(remedy)));
    }
    ask_bound(report, host, CAGE_MEMORY, "memory of all", POLICY_LIMIT_MEMORY_BYTES);
    ask_bound(report, host, CAGE_PIDS, "processes of all", POLICY_LIMIT_PROCESSES);
}

static void ask_landlock(struct doctor_report *report, const struct cage_host *host)
{
    const char *name = cage_step_name(CAGE_STEP_LANDLOCK);
    char has[256], lacks[256];

    cage_landlock_text(host->landlock_abi, POLICY_NETWORK_NONE, has, sizeof(has));
    cage_landlock_lacks(host->landlock_abi, lacks, sizeof(lacks));
    if (host->landlock_abi > 0)
        add(report, name, DOCTOR_OK, "ABI %d: %s%s%s", host->landlock_abi, has, *lacks ? "; not here: " : "", lacks);
    else
        mend(add(report, name, DOCTOR_GAP, "not in this kernel: runs go without this second wall, and say so"),
             "a kernel of 5.13 or later, with landlock in its lsm= list");
}

/* Whether the kernel knows the filter's answer @action. */
static bool has_action(unsigned action)
{
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void ask_filter(struct doctor_report *report, const struct cage_host *host)
{
    if (has_action(SECCOMP_RET_KILL_PROCESS) && has_action(SECCOMP_RET_ERRNO))
        add(report, cage_step_name(CAGE_STEP_SYSCALL_FILTER), DOCTOR_OK, "system call filters work");
    else
        mend(add(report, cage_step_name(CAGE_STEP_SYSCALL_FILTER), DOCTOR_BAD, "no system call filters"),
             "a kernel with CONFIG_SECCOMP_FILTER");
    if (host->has_outer_filter)
        mend(
            add(report, "denials named", DOCTOR_GAP,
                "a system call filter was here first: what it denies by itself is not seen, so denials: fail, denials: "
                "end and denied_calls are refused"),
            "start without it (systemd: SystemCallFilter=, RestrictAddressFamilies=; Docker: --security-opt "
            "seccomp=unconfined)");
    else if (has_action(SECCOMP_RET_USER_NOTIF))
        add(report, "denials named", DOCTOR_OK, "denied calls are reported to the supervisor");
    else
        mend(add(report, "denials named", DOCTOR_BAD, "denied calls cannot be reported to the supervisor"),
             "a kernel of 5.0 or later");
}

static void ask_runtimes(struct doctor_report *report, const struct cage_host *host)
{
    const char *name;

    (void)host;
    for (unsigned i = 0; (name = stage_runtime_name(i)); i++) {
        const struct stage_runtime *runtime;
        struct base_err err = {0};
        char row[32];

        (void)snprintf(row, sizeof(row), "runtime %s", name);
        if (stage_runtime_find(name, &runtime, &err) >= 0 && stage_runtime_check(runtime, &err) >= 0)
            add(report, row, DOCTOR_OK, "%s",
                runtime->command[0][0] == '/' ? runtime->command[0] : "the program itself");
        else
            mend(add(report, row, DOCTOR_GAP, "%s %s", err.place, err.what), err.remedy);
    }
}

static void ask_stop(struct doctor_report *report, const struct cage_host *host)
{
    struct base_err err = {0};

    (void)host;
    if (run_check_stop(&err) >= 0)
        add(report, "emergency stop", DOCTOR_OK, "not set");
    else
        mend(add(report, "emergency stop", DOCTOR_BAD, "%s", err.what), *err.remedy ? err.remedy : "fumehood enable");
}

static void ask_sockets(struct doctor_report *report, const struct cage_host *host)
{
    static const char name[] = "sockets below /usr";
    struct doctor_sockets sockets;

    (void)host;
    cli_doctor_find_sockets("/usr", &sockets);
    if (sockets.count == 0)
        add(report, name, DOCTOR_OK, "none among %u names, in two levels of it and in /usr/local%s", sockets.looked_at,
            sockets.is_cut ? "; there are more" : "");
    else
        mend(add(report, name, DOCTOR_GAP, "%u, which every program in a cage may connect to: %s%s", sockets.count,
                 sockets.first, sockets.count > 1 ? ", ..." : ""),
             "let whoever listens there do so below /run");
}

/* What stands against threats: where a run was possible, what it proved. */
static void take_here(struct doctor_report *report, const struct cage_host *host)
{
    struct base_err err;

    report->has_here = threat_look(host, &report->here, &err) == 0;
    if (report->run.policy)
        report->here.steps = report->run.achieved;
}

/* The proof of it all. Where the default policy is refused, whether the one that goes on without is a way. */
static void ask_run(struct doctor_report *report, const struct cage_host *host)
{
    static const char *const policies[][2] = {{"default", "default run"}, {"if-available", "run if-available"}};
    struct base_err err = {0};

    for (size_t i = 0; i < ARRAY_COUNT(policies) && !report->run.policy; i++) {
        if (i > 0 && (err.code != BASE_E_REFUSED || run_check_stop(NULL) < 0))
            break;
        if (cli_doctor_run(policies[i][0], &report->run, &err) >= 0)
            add(report, policies[i][1], DOCTOR_OK, "done, in %llu us", (unsigned long long)report->run.wall_us);
        else
            mend(add(report, policies[i][1], DOCTOR_BAD, "%s: %s", err.place, err.what), err.remedy);
        if (!report->run.policy)
            report->refusal = err;
        report->is_default_run = i == 0 && report->run.policy;
    }
    take_here(report, host);
}

void cli_doctor_ask(struct doctor_report *ret_report)
{
    static void (*const questions[])(struct doctor_report *, const struct cage_host *) = {
        ask_kernel,  ask_namespaces, ask_identity, ask_groups,  ask_cgroups, ask_landlock, ask_filter,
        ask_crashes, ask_modules,    ask_runtimes, ask_sockets, ask_stop,    ask_run,
    };
    struct cage_host host;

    cage_host_probe(&host);
    cage_base_take(&host);
    *ret_report = (struct doctor_report){0};
    for (size_t i = 0; i < ARRAY_COUNT(questions); i++)
        questions[i](ret_report, &host);
    cage_base_leave();
}
