/* clocks.c - wall, processor and idle time, and what the kernel's counters say while the guest runs */
#include "base/clock.h"
#include "warden/watch.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TICK_US 50000

/* A guest that is refused new processes this often is not coping with the limit, it is storming it. */
#define PROCESS_STORM 1024

/* A cage that is not built in this time is not going to be. */
#define SETUP_PATIENCE_US 60000000

/* Less processor time than this in the idle time counts as none. */
#define IDLE_NOISE_US 2000

static const struct policy_limit *limit_of(const struct warden_watch *watch, enum policy_limit_key key)
{
    return &watch->job->plan->policy->limits[key];
}

void warden_stop(struct warden_watch *watch, enum warden_ending ending, enum warden_limit limit, const char *detail)
{
    if (watch->stop.wanted)
        return; /* the first reason is the reason */
    watch->stop.wanted = true;
    watch->stop.ending = ending;
    watch->stop.limit = limit;
    (void)snprintf(watch->stop.detail, sizeof(watch->stop.detail), "%s", detail);
}

void warden_clocks_start(struct warden_watch *watch)
{
    watch->started_us = watch->active_us = base_clock_us();
    watch->next_tick_us = watch->started_us + TICK_US;
}

/* The guest's time runs from its exec: building the cage on a busy machine is not its fault. */
static uint64_t wall_deadline_us(const struct warden_watch *watch)
{
    const struct policy_limit *wall = limit_of(watch, POLICY_LIMIT_WALL_MS);
    uint64_t start_us = watch->report->start_us;

    if (start_us == 0)
        return watch->started_us + SETUP_PATIENCE_US;
    return wall->unlimited ? UINT64_MAX : start_us + wall->value * 1000;
}

/* Once it is to end the deadline is of no interest: waiting for one that is over is no waiting. */
int warden_clocks_timeout_ms(const struct warden_watch *watch)
{
    uint64_t now_us = base_clock_us(), deadline_us = watch->stop.wanted ? UINT64_MAX : wall_deadline_us(watch);
    uint64_t next_us = watch->next_tick_us < deadline_us ? watch->next_tick_us : deadline_us;

    return next_us <= now_us ? 0 : (int)((next_us - now_us + 999) / 1000);
}

static void check_cpu(struct warden_watch *watch, uint64_t cpu_us)
{
    const struct policy_limit *cpu = limit_of(watch, POLICY_LIMIT_CPU_MS);

    if (!cpu->unlimited && cpu_us != UINT64_MAX && cpu_us >= cpu->value * 1000)
        warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_CPU, "");
}

/* Our own process in the cage wakes twenty times a second: what it uses is nothing that the guest does. */
static uint64_t own_cpu_us(const struct warden_watch *watch)
{
    struct timespec used;
    clockid_t clock;

    if (watch->cage.pid <= 0 || clock_getcpuclockid(watch->cage.pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

/* The time of ours from before we joined the groups is in no counter of theirs, so the difference may be less than
 * nothing. What it grows by is the guest's. */
static void check_idle(struct warden_watch *watch, uint64_t now_us, uint64_t cpu_us)
{
    const struct policy_limit *idle = limit_of(watch, POLICY_LIMIT_IDLE_MS);

    if (idle->unlimited || cpu_us == UINT64_MAX)
        return;
    cpu_us -= own_cpu_us(watch);
    if ((int64_t)(cpu_us - watch->active_cpu_us) < 0)
        watch->active_cpu_us = cpu_us;
    if ((int64_t)(cpu_us - watch->active_cpu_us) > IDLE_NOISE_US) {
        watch->active_cpu_us = cpu_us;
        watch->active_us = now_us;
    } else if (now_us - watch->active_us >= idle->value * 1000) {
        warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_IDLE, "");
    }
}

/* Of the guest: before its exec it has neither worked nor rested. */
static void check_work(struct warden_watch *watch, uint64_t now_us)
{
    uint64_t cpu_us;

    if (watch->report->start_us == 0) {
        watch->active_us = now_us;
        return;
    }
    cpu_us = cage_cgroup_cpu_us(&watch->cage.cgroup);
    check_cpu(watch, cpu_us);
    check_idle(watch, now_us, cpu_us);
}

static void check_counters(struct warden_watch *watch)
{
    const struct cage_refusals refusals = cage_cgroup_refusals(&watch->cage.cgroup);

    if (refusals.is_outer_memory)
        warden_stop(watch, WARDEN_LOST, WARDEN_LIMIT_NONE, WARDEN_OUTER_MEMORY);
    if (refusals.oom_kills != UINT64_MAX && refusals.oom_kills > 0)
        warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_MEMORY, "");
    if (refusals.processes != UINT64_MAX && refusals.processes >= PROCESS_STORM)
        warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_PROCESSES, "new processes were refused again and again");
}

static void check_emergency(struct warden_watch *watch)
{
    const char *why = watch->job->should_stop ? watch->job->should_stop() : NULL;

    if (why)
        warden_stop(watch, WARDEN_CANCELLED, WARDEN_LIMIT_NONE, why);
}

void warden_clocks_tick(struct warden_watch *watch)
{
    uint64_t now_us = base_clock_us();

    if (now_us >= wall_deadline_us(watch)) {
        if (watch->report->start_us)
            warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_WALL, "");
        else
            warden_stop(watch, WARDEN_LOST, WARDEN_LIMIT_NONE, "the cage was not built in time");
    }
    if (now_us < watch->next_tick_us)
        return;
    watch->next_tick_us = now_us + TICK_US;
    if (watch->report->started && !watch->put_first) {
        cage_put_first(&watch->cage);
        watch->put_first = true;
    }
    check_work(watch, now_us);
    check_counters(watch);
    check_emergency(watch);
}
