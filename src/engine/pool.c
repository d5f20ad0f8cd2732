/* pool.c - the parent's side of all workers */

#include "engine/pool.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/processors.h"
#include "engine/link.h"
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_MAX     1024
#define STOP_WAIT_US 10000000 /* a worker that ends its cage needs far less */

/* Of output that came with verdicts and waits until its job is settled. Where there is more, other workers wait: what
 * one has said then waits in its own memory. */
#define HELD_MAX_BYTES (24u << 20)

/* One that is not settled: what came with its verdict is kept until then. */
struct pool_job {
    void *tag;
    bool open, judged;
    struct warden_outcome outcome;
};

struct engine_pool {
    struct engine_start start;
    unsigned jobs;
    unsigned first; /* where the search for news starts: no worker waits for ever */
    struct engine_link *links;
    struct pool_job *open; /* ENGINE_OPEN_MAX for each worker */
    struct pool_job *told; /* settled by the last report: its outcome is still lent */
    struct pollfd *polls;
};

static int start_workers(struct engine_pool *pool, struct base_err *err)
{
    int r = 0;

    for (unsigned i = 0; r >= 0 && i < pool->jobs; i++) {
        pool->links[i].processor = base_processors_of_worker(i, pool->jobs);
        r = engine_link_launch(&pool->links[i], &pool->start, err);
    }
    for (unsigned i = 0; r >= 0 && i < pool->jobs; i++)
        r = engine_link_greet(&pool->links[i], &pool->start, err);
    return r;
}

static void free_pool(struct engine_pool **pool)
{
    engine_pool_stop(*pool);
}

int engine_pool_start(unsigned jobs, const char *program, const struct policy *policy, int stderr_fd,
                      struct engine_pool **ret_pool, struct base_err *err)
{
    CLEANUP(free_pool) struct engine_pool *pool = NULL;
    int r;

    if (jobs == 0 || jobs > JOBS_MAX)
        return base_err_set(err, BASE_E_USAGE, "--jobs", "%u is not between 1 and %d", jobs, JOBS_MAX);
    pool = calloc(1, sizeof(*pool));
    if (pool) {
        pool->links = calloc(jobs, sizeof(*pool->links));
        pool->polls = calloc(jobs, sizeof(*pool->polls));
        pool->open = calloc((size_t)jobs * ENGINE_OPEN_MAX, sizeof(*pool->open));
    }
    if (!pool || !pool->links || !pool->polls || !pool->open)
        return base_err_set(err, BASE_E_NOMEM, "warden", "out of memory");
    for (; pool->jobs < jobs; pool->jobs++)
        pool->links[pool->jobs] = ENGINE_LINK_NONE;
    r = engine_start_init(&pool->start, program, policy, stderr_fd, err);
    if (r >= 0)
        r = start_workers(pool, err);
    if (r < 0)
        return r;
    *ret_pool = TAKE_PTR(pool);
    return 0;
}

unsigned engine_pool_idle(const struct engine_pool *pool)
{
    unsigned n = 0;
    for (unsigned i = 0; i < pool->jobs; i++)
        n += engine_link_is_idle(&pool->links[i]);
    return n;
}

unsigned engine_pool_open(const struct engine_pool *pool)
{
    unsigned n = 0;
    for (unsigned i = 0; i < pool->jobs * ENGINE_OPEN_MAX; i++)
        n += pool->open[i].open;
    return n;
}

static void release_told(struct engine_pool *pool)
{
    if (!pool->told)
        return;
    warden_outcome_release(&pool->told->outcome);
    *pool->told = (struct pool_job){0};
    pool->told = NULL;
}

int engine_pool_submit(struct engine_pool *pool, const struct run_request *request, void *tag, struct base_err *err)
{
    struct engine_link *link = NULL;
    struct pool_job *job = pool->open;
    int r;

    release_told(pool);
    for (unsigned i = 0; i < pool->jobs && !link; i++)
        if (engine_link_is_idle(&pool->links[i]))
            link = &pool->links[i];
    if (!link)
        return base_err_set(err, BASE_E_INTERNAL, "warden", "none is idle");
    while (job->open) /* as many as all workers can have */
        job++;
    r = engine_link_submit(link, &pool->start, request, job, err);
    if (r >= 0)
        *job = (struct pool_job){.tag = tag, .open = true};
    return r;
}

static size_t held_bytes(const struct warden_outcome *outcome)
{
    return outcome->out.kept.count + outcome->err.kept.count + outcome->mark.count + outcome->denials.count +
           outcome->observed.count;
}

static bool holds_much(const struct engine_pool *pool)
{
    size_t held = 0;

    for (unsigned i = 0; i < pool->jobs * ENGINE_OPEN_MAX; i++)
        held += pool->open[i].judged ? held_bytes(&pool->open[i].outcome) : 0;
    return held > HELD_MAX_BYTES;
}

/* It owes the news with which an outcome is complete. */
static bool owes_end(const struct engine_link *link)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (link->open[i].number && link->open[i].judged)
            return true;
    return false;
}

static enum engine_pool_event collect(struct engine_pool *pool, struct engine_link *link,
                                      struct engine_pool_report *report)
{
    struct engine_event event;
    struct pool_job *job;

    engine_link_receive(link, &event);
    job = event.tag;
    *report = (struct engine_pool_report){job->tag, event.answer.code, event.answer.error, &job->outcome};
    if (job->judged)
        engine_event_settle(&event, &job->outcome);
    else
        job->outcome = event.answer.outcome;
    job->judged = true;
    if (event.kind == ENGINE_VERDICT)
        return ENGINE_POOL_VERDICT;
    job->open = false;
    pool->told = job;
    return ENGINE_POOL_SETTLED;
}

enum engine_pool_event engine_pool_wait(struct engine_pool *pool, int timeout_ms, struct engine_pool_report *ret_report)
{
    bool any = false, orphans = false, much;

    release_told(pool);
    much = holds_much(pool);
    for (unsigned i = 0; i < pool->jobs; i++) {
        const struct engine_link *link = &pool->links[i];
        bool open = !engine_link_is_settled(link);

        pool->polls[i] = (struct pollfd){.fd = open && (!much || owes_end(link)) ? link->fd : -1, .events = POLLIN};
        any = any || open;
        orphans = orphans || engine_link_has_orphan(link);
    }
    if (!any || (!orphans && poll(pool->polls, pool->jobs, timeout_ms) <= 0))
        return ENGINE_POOL_NOTHING;
    for (unsigned n = 0; n < pool->jobs; n++) {
        unsigned i = (pool->first + n) % pool->jobs;
        struct engine_link *link = &pool->links[i];

        if (!engine_link_has_orphan(link) && pool->polls[i].revents == 0)
            continue;
        pool->first = i + 1;
        return collect(pool, link, ret_report);
    }
    return ENGINE_POOL_NOTHING;
}

void engine_pool_stop(struct engine_pool *pool)
{
    uint64_t until_us = base_clock_us() + STOP_WAIT_US;

    if (!pool)
        return;
    for (unsigned i = 0; i < pool->jobs; i++)
        engine_link_ask_end(&pool->links[i]);
    for (unsigned i = 0; i < pool->jobs; i++)
        engine_link_end(&pool->links[i], until_us);
    for (unsigned i = 0; i < pool->jobs * ENGINE_OPEN_MAX; i++)
        warden_outcome_release(&pool->open[i].outcome);
    engine_start_release(&pool->start);
    free(pool->links);
    free(pool->open);
    free(pool->polls);
    free(pool);
}
