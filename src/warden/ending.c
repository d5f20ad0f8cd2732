/* ending.c - how did it end: from the supervisor's own record and the kernel's counters, in that order of weight
 *
 * An exit code or signal is what the guest chose; it is reported, and it never turns a failure of ours into one of the
 * guest's or the other way round. It has one say: a guest that met a limit and then succeeded has coped with it.
 */
#include "base/cleanup.h"
#include "warden/watch.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static void end_with(struct warden_outcome *outcome, enum warden_ending ending, enum warden_limit limit,
                     const char *detail)
{
    outcome->ending = ending;
    outcome->limit = limit;
    (void)snprintf(outcome->detail, sizeof(outcome->detail), "%.*s", (int)sizeof(outcome->detail) - 1, detail);
}

/* A file that the kernel will not run is no program, whatever is wrong with it; that the machine is short of something
 * is not the file's fault. */
static int setup_code(unsigned step, int sys_errno)
{
    bool is_short = sys_errno == ENOMEM || sys_errno == EAGAIN || sys_errno == EMFILE || sys_errno == ENFILE;

    if (step == CAGE_AT_OBSERVE)
        return BASE_E_REFUSED;
    return step == CAGE_AT_EXEC && !is_short ? BASE_E_NOT_FOUND : BASE_E_SETUP;
}

/* In one of its own steps, what was to be the guest was killed, for which mostly a filter is to blame that ends what
 * makes a call that is not in it. */
static void end_killed(struct warden_watch *watch, const char *place, const char *who, int sig)
{
    struct warden_outcome *outcome = watch->outcome;

    (void)base_err_set(&outcome->error, BASE_E_SETUP, place, "%s was killed (signal %d)%s", who, sig,
                       sig == SIGSYS ? ": a filter of system calls that was here first does that" : "");
    if (sig == SIGSYS)
        (void)cage_outer_remedy(NULL, &outcome->error);
    end_with(outcome, WARDEN_SETUP_ERROR, WARDEN_LIMIT_NONE, outcome->error.what);
}

static void end_setup(struct warden_watch *watch)
{
    const struct cage_report *report = watch->report;
    unsigned step = (unsigned)report->failed_step;
    struct warden_outcome *outcome = watch->outcome;

    if (report->failed_errno == 0 && WIFSIGNALED(report->wait_status)) {
        end_killed(watch, cage_step_name(step), "what was to become the program", WTERMSIG(report->wait_status));
        return;
    }
    (void)base_err_sys(&outcome->error, setup_code(step, report->failed_errno), report->failed_errno,
                       cage_step_name(step), "%s failed",
                       step < CAGE_STEP_MAX ? "this part of the cage" : cage_step_text(step));
    cage_outer_blame(step, report->failed_errno, &outcome->error);
    end_with(outcome, WARDEN_SETUP_ERROR, WARDEN_LIMIT_NONE, outcome->error.what);
}

static bool output_over(const struct warden_watch *watch)
{
    return watch->job->plan->policy->output == POLICY_OUTPUT_END &&
           (warden_sink_over(watch, WARDEN_OUT) || warden_sink_over(watch, WARDEN_ERR));
}

/* The kernel's size signal, with a file of about that size to show for it. */
static bool met_file_limit(const struct warden_watch *watch, int status)
{
    const struct policy_limit *file = &watch->job->plan->policy->limits[POLICY_LIMIT_FILE_BYTES];

    return WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ && !file->unlimited &&
           watch->report->scratch_peak_bytes + 4096 >= file->value;
}

/* Without a group the kernel ends each process at its own time; the time that was used is the witness. The kernel
 * counts ticks there, which on a busy machine come to more than the time that it measures. */
#define TICKS_MAY_COUNT(cpu_us) ((cpu_us) / 4 * 5)

static bool met_cpu_limit(const struct warden_watch *watch, int status)
{
    const struct policy_limit *cpu = &watch->job->plan->policy->limits[POLICY_LIMIT_CPU_MS];

    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL) && !cpu->unlimited &&
           !watch->job->plan->uses_cgroup[CAGE_CPUACCT] && TICKS_MAY_COUNT(watch->rusage_cpu_us) >= cpu->value * 1000;
}

static void end_lost_because(struct warden_outcome *outcome, const char *why)
{
    (void)base_err_set(&outcome->error, BASE_E_LOST, "cage", "%s", why);
    end_with(outcome, WARDEN_LOST, WARDEN_LIMIT_NONE, outcome->error.what);
}

static void end_by_itself(struct warden_watch *watch, const struct cage_counters *counters)
{
    struct warden_outcome *outcome = watch->outcome;
    int status = watch->report->wait_status;
    bool coped = WIFEXITED(status) && WEXITSTATUS(status) == 0;

    if (WIFSIGNALED(status)) {
        end_with(outcome, WARDEN_SIGNALED, WARDEN_LIMIT_NONE, "");
        outcome->signal = WTERMSIG(status);
    } else {
        end_with(outcome, WARDEN_EXITED, WARDEN_LIMIT_NONE, "");
        outcome->exit_code = WEXITSTATUS(status);
    }
    if (coped)
        return;
    if (met_cpu_limit(watch, status))
        end_with(outcome, WARDEN_LIMIT, WARDEN_LIMIT_CPU, "");
    else if (watch->report->scratch_full)
        end_with(outcome, WARDEN_LIMIT, WARDEN_LIMIT_DISK, "it failed after the scratch space was full");
    else if (met_file_limit(watch, status))
        end_with(outcome, WARDEN_LIMIT, WARDEN_LIMIT_DISK, "it went on writing to a file that was at its limit");
    else if (counters->refusals.processes != UINT64_MAX && counters->refusals.processes > 0)
        end_with(outcome, WARDEN_LIMIT, WARDEN_LIMIT_PROCESSES, "it failed after a new process was refused");
    else if (counters->refusals.is_outer_processes)
        end_lost_because(outcome, WARDEN_OUTER_PROCESSES);
}

static void end_denied(struct warden_watch *watch)
{
    unsigned long long count = watch->report->denied_calls;
    char detail[64] = "at its first denied call";

    if (count > 1)
        (void)snprintf(detail, sizeof(detail), "after %llu denied calls", count);
    end_with(watch->outcome, WARDEN_DENIED, WARDEN_LIMIT_NONE, detail);
}

static const char *lost_why(const struct warden_watch *watch)
{
    if (!watch->dead)
        return "it cannot be killed";
    if (watch->stop.wanted)
        return watch->stop.detail;
    if (watch->report->zygote_died)
        return "the zygote of its guest was killed from outside";
    return WIFSIGNALED(watch->status) ? "its first process was killed from outside" : "its first process gave up";
}

static void end_lost(struct warden_watch *watch)
{
    int status = watch->status;
    char why[160];

    (void)snprintf(why, sizeof(why), "%s (%s %d)", lost_why(watch), WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    end_lost_because(watch->outcome, why);
}

void warden_ending_stopped(struct warden_watch *watch)
{
    end_with(watch->outcome, watch->stop.ending, watch->stop.limit, watch->stop.detail);
    watch->outcome->signal = watch->stop.signal;
}

/* A guest that ended just before it could be ended has used up its time all the same. */
static bool met_wall_limit(const struct warden_watch *watch)
{
    const struct policy_limit *wall = &watch->job->plan->policy->limits[POLICY_LIMIT_WALL_MS];
    const struct cage_report *report = watch->report;

    return report->overdue ||
           (report->ended && !wall->unlimited && report->end_us >= report->start_us + wall->value * 1000);
}

static bool used_its_cpu(const struct warden_watch *watch, const struct cage_counters *counters)
{
    const struct policy_limit *cpu = &watch->job->plan->policy->limits[POLICY_LIMIT_CPU_MS];

    return watch->report->ended && !cpu->unlimited && counters->cpu_us != UINT64_MAX &&
           counters->cpu_us >= cpu->value * 1000;
}

/* --- what was promised held to the end --- */

enum policy_limit_key warden_taken_key(const struct warden_watch *watch)
{
    static const enum policy_limit_key keys[CAGE_CONTROLLER_MAX + 1] = {
        [CAGE_PIDS] = POLICY_LIMIT_PROCESSES, [CAGE_MEMORY] = POLICY_LIMIT_MEMORY_BYTES, [CAGE_CPU] = POLICY_LIMIT_CPUS,
        [CAGE_CPUACCT] = POLICY_LIMIT_CPU_MS, [CAGE_CONTROLLER_MAX] = POLICY_LIMIT_MAX,
    };

    return keys[watch->taken];
}

/* Whatever it came to without that limit, nobody knows what it comes to with it. */
static void doubt(struct warden_watch *watch)
{
    struct warden_outcome *outcome = watch->outcome;
    const enum policy_limit_key key = warden_taken_key(watch);
    char why[96];

    if (key == POLICY_LIMIT_MAX || outcome->ending == WARDEN_CANCELLED || outcome->ending == WARDEN_SETUP_ERROR ||
        outcome->ending == WARDEN_LOST)
        return;
    (void)snprintf(why, sizeof(why), "its limit %s was taken away or changed by others while it ran",
                   policy_limit_name(key));
    end_lost_because(outcome, why);
}

static void decide(struct warden_watch *watch, const struct cage_counters *counters)
{
    const struct cage_report *report = watch->report;
    const struct warden_stop *stop = &watch->stop;

    if (!watch->dead)
        end_lost(watch);
    else if (counters->refusals.is_outer_memory)
        end_lost_because(watch->outcome, WARDEN_OUTER_MEMORY);
    else if (counters->refusals.oom_kills != UINT64_MAX && counters->refusals.oom_kills > 0)
        end_with(watch->outcome, WARDEN_LIMIT, WARDEN_LIMIT_MEMORY, "");
    else if (report->failed_step >= 0)
        end_setup(watch);
    else if (report->denied_end)
        end_denied(watch);
    else if (stop->wanted && stop->ending == WARDEN_LOST)
        end_lost(watch);
    else if (met_wall_limit(watch))
        end_with(watch->outcome, WARDEN_LIMIT, WARDEN_LIMIT_WALL, "");
    else if (stop->wanted && !(report->ended && stop->limit == WARDEN_LIMIT_WALL))
        warden_ending_stopped(watch);
    else if (used_its_cpu(watch, counters))
        end_with(watch->outcome, WARDEN_LIMIT, WARDEN_LIMIT_CPU, "");
    else if (output_over(watch))
        end_with(watch->outcome, WARDEN_LIMIT, WARDEN_LIMIT_OUTPUT, "");
    else if (report->ended)
        end_by_itself(watch, counters);
    else if (WIFSIGNALED(watch->status) && WTERMSIG(watch->status) == SIGSYS)
        end_killed(watch, "cage", "its first process", SIGSYS);
    else
        end_lost(watch);
}

void warden_ending_decide(struct warden_watch *watch, const struct cage_counters *counters)
{
    decide(watch, counters);
    doubt(watch);
}
