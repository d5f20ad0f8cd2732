/* warden.c - one run, from the first pipe to the proof that nothing is left
 *
 * Theory of operation: the warden waits for five things at once: the cage's end (a pidfd that becomes readable when its
 * first process is dead, which the kernel lets happen only after everything else in the cage is), output, room for
 * input, a signal to itself, and the next tick of its clocks. Whatever goes wrong it has one answer, to kill the first
 * process; at a limit of time, where the runtime says so, a moment after the guest was interrupted. It parses nothing
 * that the guest wrote.
 */
#include "warden/warden.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/signals.h"
#include "cage/kernel.h"
#include "warden/watch.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

/* Which they are does not change while a process lives: what it is started to ignore, it ignores. */
static uint64_t ending_signals(void)
{
    static uint64_t set;

    if (!set)
        set = base_signals_ending();
    return set;
}

static int catch_signals(struct warden_watch *watch, uint64_t *ret_old, struct base_err *err)
{
    *ret_old = base_signals_block(ending_signals());
    watch->signal_fd = base_signals_open(ending_signals());
    if (watch->signal_fd >= 0)
        return 0;
    int e = errno;
    base_signals_restore(*ret_old);
    return base_err_sys(err, BASE_E_SETUP, e, "signals", "cannot be caught");
}

static void take_signal(struct warden_watch *watch)
{
    struct signalfd_siginfo info;
    char detail[64], name[32];

    if (read(watch->signal_fd, &info, sizeof(info)) != sizeof(info))
        return;
    (void)snprintf(detail, sizeof(detail), "signal %s", base_signal_text((int)info.ssi_signo, name, sizeof(name)));
    watch->signalled = true;
    if (!watch->stop.wanted)
        watch->stop.signal = (int)info.ssi_signo;
    warden_stop(watch, WARDEN_CANCELLED, WARDEN_LIMIT_NONE, detail);
}

static int no_cage(struct warden_watch *watch, struct base_err *err)
{
    struct warden_outcome *outcome = watch->outcome;

    outcome->is_kept = true;
    (void)snprintf(outcome->teardown.slot_why, sizeof(outcome->teardown.slot_why), "it has no keeper");
    *err = *watch->job->no_cage;
    return err->code;
}

static void note_keeper(const struct cage_keeper *keeper, struct warden_outcome *outcome)
{
    outcome->is_kept = keeper != NULL;
    if (!keeper)
        return;
    outcome->slot.number = keeper->slot;
    outcome->slot.keeper = keeper->cage.pid;
    outcome->slot.runs = keeper->runs + 1; /* with this one */
}

static int take_cage(struct warden_watch *watch, struct base_err *err)
{
    const struct warden_job *job = watch->job;

    if (job->no_cage)
        return no_cage(watch, err);
    if (job->cage && job->cage->shared) {
        watch->cage = *job->cage;
        note_keeper(watch->cage.keeper, watch->outcome);
        *job->cage = (struct cage)CAGE_NONE;
        return 0;
    }
    return cage_make(job->host, job->slot, &watch->cage, err);
}

static int start(struct warden_watch *watch, struct base_err *err)
{
    const struct warden_job *job = watch->job;
    const struct cage_guest guest = {
        .plan = job->plan,
        .files = job->files,
        .file_count = job->file_count,
        .argv = job->argv,
        .envp = job->envp,
        .learn = job->learn,
        .from_zygote = job->from_zygote,
        .stdin_fd = watch->guest_fds[0],
        .stdout_fd = watch->guest_fds[1],
        .stderr_fd = watch->guest_fds[2],
        .mark_fd = watch->guest_fds[3],
    };
    int r;

    warden_clocks_start(watch);
    r = take_cage(watch, err);
    if (r == 0) {
        watch->report = watch->cage.report;
        r = cage_start(&watch->cage, &guest, err);
    }
    for (int i = 0; i < 4; i++) {
        base_cleanup_close(&watch->guest_fds[i]);
        watch->guest_fds[i] = -1;
    }
    return r;
}

/* --- watching --- */

static void check_streams(struct warden_watch *watch)
{
    const struct policy *policy = watch->job->plan->policy;

    for (int i = 0; i <= WARDEN_ERR; i++) {
        if (policy->output == POLICY_OUTPUT_END && warden_sink_over(watch, i))
            warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_OUTPUT, i == WARDEN_OUT ? "stdout" : "stderr");
        if (!watch->sinks[i].pass_broken)
            continue;
        if (!watch->stop.wanted && watch->sinks[i].reader_gone)
            watch->stop.signal = SIGPIPE; /* what would have ended it without us */
        warden_stop(watch, WARDEN_CANCELLED, WARDEN_LIMIT_NONE,
                    watch->sinks[i].reader_gone ? "the reader of its output went away"
                                                : "its output cannot be written where it goes");
    }
    if (warden_source_over(&watch->source))
        warden_stop(watch, WARDEN_LIMIT, WARDEN_LIMIT_INPUT, "");
}

enum {
    POLL_CAGE,
    POLL_LINE,
    POLL_SIGNAL,
    POLL_INPUT,
    POLL_INPUT_FROM,
    POLL_SINKS,
    POLL_MAX = POLL_SINKS + WARDEN_SINK_MAX
};

/* Only what can move is waited for: input when the guest can take it and we have or can get some, output when the last
 * chunk has been passed on, and the reader of output when it has not. */
static void fill_poll(const struct warden_watch *watch, struct pollfd *fds)
{
    const struct warden_source *source = &watch->source;
    bool has_chunk = source->chunk_count > 0 || source->from_fd < 0;

    fds[POLL_CAGE] = (struct pollfd){.fd = watch->cage.pid_fd, .events = POLLIN};
    fds[POLL_LINE] = (struct pollfd){.fd = watch->dying ? -1 : watch->cage.line_fd};
    fds[POLL_SIGNAL] = (struct pollfd){.fd = watch->signal_fd, .events = POLLIN};
    fds[POLL_INPUT] = (struct pollfd){.fd = source->write_fd, .events = has_chunk ? POLLOUT : 0};
    fds[POLL_INPUT_FROM] =
        (struct pollfd){.fd = source->write_fd >= 0 && !has_chunk ? source->from_fd : -1, .events = POLLIN};
    for (int i = 0; i < WARDEN_SINK_MAX; i++) {
        const struct warden_sink *sink = &watch->sinks[i];
        fds[POLL_SINKS + i] = sink->pending_count > 0 ? (struct pollfd){.fd = sink->pass_fd, .events = POLLOUT}
                                                      : (struct pollfd){.fd = sink->read_fd, .events = POLLIN};
    }
}

static int move_streams(struct warden_watch *watch, const struct pollfd *fds)
{
    if (fds[POLL_INPUT].revents || fds[POLL_INPUT_FROM].revents)
        warden_source_move(&watch->source);
    for (int i = 0; i < WARDEN_SINK_MAX; i++) {
        struct warden_sink *sink = &watch->sinks[i];
        if (!fds[POLL_SINKS + i].revents)
            continue;
        int r = warden_sink_read(sink);
        if (r < 0)
            return r;
        warden_sink_pass(sink);
    }
    check_streams(watch);
    return 0;
}

/* Nothing of the guest's lives any more, and what it has used is counted by the group: what the cage's own process
 * still has to do needs no waiting for. */
static bool is_over(const struct warden_watch *watch)
{
    return watch->report->ended && watch->report->alone && watch->job->plan->uses_cgroup[CAGE_CPUACCT];
}

static void hurry(struct warden_watch *watch)
{
    if (!watch->hurried)
        cage_cgroup_hurry(&watch->cage.cgroup);
    watch->hurried = true;
}

/* It is at its limit already, and what it does in this time changes nothing about that. Its limit on processors stays:
 * it is alive. The time is the processor's, since a busy machine may not let it have its turn for long; who sleeps
 * through it, or is counted by no group, loses the word after the other time. */
#define LAST_WORD_CPU_US  100000
#define LAST_WORD_US      1000000
#define LAST_WORD_BARE_US 300000
#define LAST_WORD_STEP_MS 20

static bool is_at_its_time(const struct warden_watch *watch)
{
    const struct warden_stop *stop = &watch->stop;

    return stop->ending == WARDEN_LIMIT &&
           (stop->limit == WARDEN_LIMIT_WALL || stop->limit == WARDEN_LIMIT_CPU || stop->limit == WARDEN_LIMIT_IDLE);
}

static bool is_in_last_word(const struct warden_watch *watch)
{
    uint64_t gone_us, cpu_us;

    if (!watch->interrupted_us || watch->killed_us)
        return false;
    gone_us = base_clock_us() - watch->interrupted_us;
    cpu_us = cage_cgroup_cpu_us(&watch->cage.cgroup);
    if (cpu_us == UINT64_MAX)
        return gone_us < LAST_WORD_BARE_US;
    return gone_us < LAST_WORD_US && cpu_us - watch->interrupted_cpu_us < LAST_WORD_CPU_US;
}

static bool has_last_word(struct warden_watch *watch)
{
    if (!watch->job->interrupts || !is_at_its_time(watch) || watch->signalled || !watch->report->started)
        return false;
    if (watch->interrupted_us)
        return is_in_last_word(watch);
    watch->interrupted_us = base_clock_us();
    watch->interrupted_cpu_us = cage_cgroup_cpu_us(&watch->cage.cgroup);
    if (warden_sink_finish(&watch->sinks[WARDEN_MARK]) < 0) /* an answer that comes now is none */
        return false;
    return cage_interrupt(&watch->cage);
}

static void kill_if_stopped(struct warden_watch *watch)
{
    if (!watch->stop.wanted || watch->killed_us || has_last_word(watch))
        return;
    hurry(watch);
    (void)kernel_pidfd_send_signal(watch->cage.pid_fd, SIGKILL); /* fails when it is dead, which is what we want */
    watch->killed_us = base_clock_us();
}

/* When its first process has closed its end of the line, all the rest is about to die. Mostly that is over before there
 * is anything to hurry. */
#define DYING_MS 2

static int timeout_ms(const struct warden_watch *watch)
{
    int next_ms = warden_clocks_timeout_ms(watch);

    if (is_in_last_word(watch) && next_ms > LAST_WORD_STEP_MS)
        next_ms = LAST_WORD_STEP_MS;
    return watch->dying && !watch->hurried && next_ms > DYING_MS ? DYING_MS : next_ms;
}

/* Until the cage is dead, or cannot be killed. */
static int watch_cage(struct warden_watch *watch)
{
    struct pollfd fds[POLL_MAX];
    int r;

    for (;;) {
        kill_if_stopped(watch);
        watch->stuck = watch->killed_us && base_clock_us() - watch->killed_us > WARDEN_KILL_PATIENCE_US;
        if (watch->stuck)
            return 0;
        fill_poll(watch, fds);
        if (poll(fds, POLL_MAX, timeout_ms(watch)) < 0 && errno != EINTR)
            return BASE_E_IO;
        if (fds[POLL_SIGNAL].revents)
            take_signal(watch);
        r = move_streams(watch, fds);
        if (r < 0)
            return r;
        if (fds[POLL_CAGE].revents || (fds[POLL_LINE].revents && is_over(watch))) {
            watch->dead = true;
            return 0;
        }
        if (watch->dying)
            hurry(watch);
        watch->dying = watch->dying || fds[POLL_LINE].revents;
        warden_clocks_tick(watch);
    }
}

/* --- after the end --- */

/* A keeper that does not answer is dead, and took the cage with it, or will be. */
static void reap_kept(struct warden_watch *watch)
{
    if (watch->dead && !cage_keeper_reap(watch->cage.keeper, &watch->status, &watch->rusage_cpu_us))
        watch->status = SIGKILL;
    watch->stuck = !watch->dead;
}

static void reap(struct warden_watch *watch)
{
    struct rusage usage;

    if (is_over(watch))
        return; /* when it is settled */
    if (watch->cage.keeper)
        reap_kept(watch);
    else if (wait4(watch->cage.pid, &watch->status, watch->dead ? 0 : WNOHANG, &usage) == watch->cage.pid)
        watch->rusage_cpu_us = kernel_usage_cpu_us(&usage);
    watch->cage.pid = -1; /* done with, or given up */
}

/* Nobody is left to write: read what is in the pipes, to their ends. */
static int drain(struct warden_watch *watch)
{
    for (int i = 0; i < WARDEN_SINK_MAX; i++) {
        int r = warden_sink_drain(&watch->sinks[i]);
        if (r < 0)
            return r;
        watch->sinks[i].pending_from = 0; /* from here on: how far the tail is passed on */
    }
    return 0;
}

/* The cage is gone, and its reader may take its time: only a signal to us ends the wait, now or before. */
static void pass_on_rest(struct warden_watch *watch, struct warden_rest *rest)
{
    for (;;) {
        struct pollfd fds[3] = {{.fd = watch->signal_fd, .events = POLLIN}};
        bool done = true;
        for (int i = 0; i <= WARDEN_ERR; i++) {
            bool flushed = warden_sink_flush(&watch->sinks[i]);
            fds[1 + i] = (struct pollfd){.fd = flushed ? -1 : watch->sinks[i].pass_fd, .events = POLLOUT};
            done = done && flushed;
        }
        if (done || watch->signalled)
            return;
        warden_settle(rest, watch->outcome); /* nothing of the cage may wait with us */
        if (poll(fds, 3, -1) < 0 && errno != EINTR)
            return;
        if (fds[0].revents) {
            watch->stop.wanted = false;
            take_signal(watch);
            warden_ending_stopped(watch);
            return;
        }
    }
}

static void finish_stream(const struct warden_sink *sink, struct warden_stream *stream)
{
    stream->bytes = sink->bytes;
    stream->truncated = sink->bytes > stream->kept.count;
    base_hash_hex(&sink->hash, stream->sha256);
}

static void finish_passing(const struct warden_sink *sink, struct warden_stream *stream)
{
    stream->passed_turn = sink->passed_turn;
    stream->passed_last = sink->passed_last;
}

static void finish_usage(struct warden_watch *watch, const struct cage_counters *counters)
{
    const struct cage_report *report = watch->report;
    struct warden_outcome *outcome = watch->outcome;
    uint64_t from_us = report->start_us ? report->start_us : watch->started_us;
    uint64_t to_us = report->end_us > from_us ? report->end_us : base_clock_us();

    outcome->wall_us = to_us - from_us;
    /* Without a group only what was waited for is known, and nobody waits for those that are killed with the cage. */
    outcome->cpu_us = counters->cpu_us != UINT64_MAX ? counters->cpu_us
                      : report->ended                ? watch->rusage_cpu_us
                                                     : WARDEN_UNKNOWN;
    outcome->memory_peak_bytes = counters->memory_peak_bytes;
    outcome->processes_peak = counters->processes_peak;
    outcome->scratch_peak_bytes = report->scratch_peak_bytes;
}

static void finish_limits(struct warden_watch *watch, const struct cage_counters *counters)
{
    struct warden_outcome *outcome = watch->outcome;
    const struct {
        enum policy_limit_key key;
        uint64_t hits;
    } known[] = {
        {POLICY_LIMIT_MEMORY_BYTES, counters->refusals.oom_kills},
        {POLICY_LIMIT_PROCESSES, counters->refusals.processes},
        {POLICY_LIMIT_SCRATCH_BYTES, watch->report->scratch_full & 1},
        {POLICY_LIMIT_SCRATCH_INODES, watch->report->scratch_full >> 1 & 1},
        {POLICY_LIMIT_STDOUT_BYTES, warden_sink_over(watch, WARDEN_OUT)},
        {POLICY_LIMIT_STDERR_BYTES, warden_sink_over(watch, WARDEN_ERR)},
        {POLICY_LIMIT_VALUE_BYTES, warden_sink_over(watch, WARDEN_MARK)},
        {POLICY_LIMIT_STDIN_BYTES, warden_source_over(&watch->source)},
        {POLICY_LIMIT_WALL_MS, outcome->limit == WARDEN_LIMIT_WALL},
        {POLICY_LIMIT_CPU_MS, outcome->limit == WARDEN_LIMIT_CPU},
        {POLICY_LIMIT_IDLE_MS, outcome->limit == WARDEN_LIMIT_IDLE},
    };

    for (int key = 0; key < POLICY_LIMIT_MAX; key++) {
        (void)snprintf(outcome->limits[key].enforced_by, sizeof(outcome->limits[key].enforced_by), "%s",
                       watch->job->plan->limits[key].enforced_by);
        outcome->limits[key].in_force = watch->job->plan->limits[key].in_force;
        outcome->limits[key].hits = WARDEN_UNKNOWN;
    }
    for (size_t i = 0; i < ARRAY_COUNT(known); i++)
        outcome->limits[known[i].key].hits = known[i].hits;
    if (warden_taken_key(watch) != POLICY_LIMIT_MAX)
        (void)snprintf(outcome->limits[warden_taken_key(watch)].enforced_by, sizeof(outcome->limits[0].enforced_by),
                       "none");
}

static void finish_groups(struct warden_watch *watch)
{
    static const char *const managers[] = {"none", "v1", "v2"};
    const struct cage_host *host = watch->job->host;
    struct warden_outcome *outcome = watch->outcome;

    (void)snprintf(outcome->groups.manager, sizeof(outcome->groups.manager), "%s", managers[host->manager]);
    (void)snprintf(outcome->groups.base, sizeof(outcome->groups.base), "%s", cage_base_name(host->base));
    (void)snprintf(outcome->groups.unit, sizeof(outcome->groups.unit), "%s",
                   host->base == CAGE_BASE_DELEGATED || host->base == CAGE_BASE_SCOPE ? host->cgroup_unit : "");
}

static void finish_protections(struct warden_watch *watch)
{
    watch->outcome->protections_requested = watch->job->plan->requested;
    watch->outcome->protections_achieved = watch->report->achieved;
    watch->outcome->protections_missing = watch->job->plan->missing;
    if (watch->report->achieved & CAGE_BIT(LANDLOCK))
        watch->outcome->landlock_abi = watch->job->plan->landlock_abi;
}

static int finish_denials(struct warden_watch *watch)
{
    const struct cage_report *report = watch->report;
    uint32_t count = report->denial_count;
    int r = 0;

    watch->outcome->denials_unlisted = report->denials_unlisted;
    for (uint32_t i = 0; i < count && i < CAGE_DENIALS_MAX && r == 0; i++) {
        const struct cage_denial *from = &report->denials[i];
        struct warden_denial denial = {.count = from->count, .first_us = from->first_us};
        const char *class;
        cage_denial_describe(from, denial.what, sizeof(denial.what), &class);
        (void)snprintf(denial.class_name, sizeof(denial.class_name), "%s", class);
        r = warden_outcome_add_denial(watch->outcome, &denial);
    }
    return r;
}

/* What lies in there was written inside the cage. */
static int add_sight(struct base_buf *buf, const struct cage_sight *from, bool is_exec)
{
    struct warden_sight to = {.count = from->count, .is_exec = is_exec, .is_cut = from->is_cut};

    _Static_assert(sizeof(to.path) == sizeof(from->path), "one length of paths");
    (void)snprintf(to.seen, sizeof(to.seen), "%s", cage_seen_name(from->seen));
    memcpy(to.path, from->path, sizeof(to.path) - 1);
    return base_buf_append(buf, &to, sizeof(to));
}

static int finish_observed(struct warden_watch *watch)
{
    struct warden_outcome *outcome = watch->outcome;
    int r = 0;

    for (unsigned kind = 0; kind < POLICY_OBSERVE_MAX && watch->job->plan->policy->observe; kind++) {
        const struct cage_sights *sights = &watch->cage.observed->kinds[kind];
        uint32_t count = sights->count;

        outcome->observed_unlisted += sights->unlisted;
        outcome->observed_unread += sights->unread;
        for (uint32_t i = 0; i < count && i < CAGE_OBSERVED_MAX && r == 0; i++)
            r = add_sight(&outcome->observed, &sights->rows[i], kind == POLICY_OBSERVE_EXEC);
    }
    return r;
}

static int finish(struct warden_watch *watch, struct base_err *err)
{
    struct warden_outcome *outcome = watch->outcome;
    struct cage_counters counters;
    int r;

    reap(watch);
    cage_cgroup_read(&watch->cage.cgroup, &counters);
    r = watch->dead ? drain(watch) : 0;
    if (r == 0)
        r = finish_denials(watch);
    if (r == 0)
        r = finish_observed(watch);
    if (r < 0)
        return base_err_set(err, r, "output", "there is no memory to keep it");
    finish_stream(&watch->sinks[WARDEN_OUT], &outcome->out);
    finish_stream(&watch->sinks[WARDEN_ERR], &outcome->err);
    outcome->mark_truncated = watch->sinks[WARDEN_MARK].bytes > outcome->mark.count;
    watch->taken = cage_cgroup_taken(&watch->cage.cgroup);
    warden_ending_decide(watch, &counters);
    finish_usage(watch, &counters);
    finish_limits(watch, &counters);
    outcome->learned = watch->report->learned;
    outcome->settings = watch->report->settings;
    finish_protections(watch);
    finish_groups(watch);
    return 0;
}

/* What is left of the cage changes hands. */
static void hand_over(struct warden_watch *watch, struct warden_rest *rest)
{
    const struct cage_report *report = watch->report;

    rest->is_stuck = watch->stuck;
    rest->from_us = report->end_us ? report->end_us : watch->killed_us ? watch->killed_us : base_clock_us();
    rest->cage = watch->cage;
    watch->cage = (struct cage)CAGE_NONE;
}

static int supervise(struct warden_watch *watch, struct base_err *err)
{
    int r = warden_streams_open(watch, err);

    if (r == 0)
        r = start(watch, err);
    if (r < 0)
        return r;
    if (watch->job->meanwhile)
        watch->job->meanwhile(watch->job->meanwhile_argument);
    r = watch_cage(watch);
    if (r < 0) { /* out of memory, say: end the cage first, then tell */
        (void)base_err_set(err, r, "warden", "watching the cage failed");
        warden_stop(watch, WARDEN_CANCELLED, WARDEN_LIMIT_NONE, "the supervisor failed");
        kill_if_stopped(watch);
        watch->dead = true;
        reap(watch);
        return r;
    }
    return finish(watch, err);
}

/* A failure of ours is an outcome too: it has a place in the evidence. */
static int as_outcome(struct warden_watch *watch, int r, struct base_err *err)
{
    struct warden_outcome *outcome = watch->outcome;

    if (r == 0 || r == BASE_E_REFUSED)
        return r;
    outcome->ending = watch->report->start_us ? WARDEN_LOST : WARDEN_SETUP_ERROR;
    if (err)
        outcome->error = *err;
    outcome->error.code = r;
    (void)snprintf(outcome->detail, sizeof(outcome->detail), "%.*s", (int)sizeof(outcome->detail) - 1,
                   outcome->error.what);
    finish_protections(watch);
    finish_groups(watch);
    base_hash_bytes_hex("", 0, outcome->out.sha256);
    base_hash_bytes_hex("", 0, outcome->err.sha256);
    finish_limits(watch, &(struct cage_counters){.refusals = {.oom_kills = UINT64_MAX, .processes = UINT64_MAX}});
    outcome->memory_peak_bytes = outcome->processes_peak = WARDEN_UNKNOWN;
    return 0;
}

/* Until there is a cage. */
static struct cage_report no_report = {.failed_step = -1};

static void init_watch(struct warden_watch *watch, const struct warden_job *job, struct warden_outcome *outcome)
{
    watch->job = job;
    watch->outcome = outcome;
    watch->cage = (struct cage)CAGE_NONE;
    watch->report = &no_report;
    watch->taken = CAGE_CONTROLLER_MAX;
    watch->signal_fd = -1;
    for (int i = 0; i < 4; i++)
        watch->guest_fds[i] = -1;
    for (int i = 0; i < WARDEN_SINK_MAX; i++)
        watch->sinks[i].read_fd = -1;
    watch->source.write_fd = watch->source.file_fd = -1;
}

int warden_run(const struct warden_job *job, struct warden_rest *ret_rest, struct warden_outcome *ret_outcome,
               struct base_err *err)
{
    struct warden_watch one = {0}, *watch = &one;
    struct base_err local = {0};
    uint64_t old;
    int r;

    *ret_rest = (struct warden_rest)WARDEN_REST_NONE;
    *ret_outcome = (struct warden_outcome){0};
    init_watch(watch, job, ret_outcome);
    r = base_random_hex(ret_outcome->run_id, 32, err);
    if (r < 0)
        return r;
    (void)base_clock_utc(ret_outcome->started_utc, sizeof(ret_outcome->started_utc));
    r = catch_signals(watch, &old, &local);
    if (r == 0) {
        r = supervise(watch, &local);
        hand_over(watch, ret_rest);
        if (r == 0)
            pass_on_rest(watch, ret_rest);
        finish_passing(&watch->sinks[WARDEN_OUT], &ret_outcome->out);
        finish_passing(&watch->sinks[WARDEN_ERR], &ret_outcome->err);
        base_signals_restore(old);
    }
    warden_streams_close(watch);
    base_cleanup_close(&watch->signal_fd);
    r = as_outcome(watch, r, &local);
    if (r < 0) {
        warden_outcome_release(ret_outcome);
        if (err)
            *err = local;
    }
    return r;
}
