/* warden.c - who of many threads may use which warden, and whom its news are for */
#include "front/lib/lib.h"
#include <stdlib.h>

/* In turn: the one whose last run is longest over is the likeliest to have cleared it away. */
static struct lib_warden *find_free(struct fumehood_pool *pool)
{
    struct lib_warden *second = NULL;

    for (unsigned n = 0; n < pool->count; n++) {
        struct lib_warden *warden = &pool->wardens[(pool->turn + n) % pool->count];

        if (!warden->taken && engine_link_is_idle(&warden->link))
            return warden;
        if (!warden->taken)
            second = warden; /* its news must be heard first */
    }
    return second;
}

struct lib_warden *lib_warden_take(struct fumehood_pool *pool)
{
    struct lib_warden *warden;

    (void)pthread_mutex_lock(&pool->lock);
    while (!(warden = find_free(pool)))
        (void)pthread_cond_wait(&pool->changed, &pool->lock);
    warden->taken = true;
    pool->turn = (unsigned)(warden - pool->wardens) + 1;
    (void)pthread_mutex_unlock(&pool->lock);
    while (!engine_link_is_idle(&warden->link))
        lib_warden_listen(pool, warden);
    return warden;
}

void lib_warden_give_back(struct fumehood_pool *pool, struct lib_warden *warden)
{
    (void)pthread_mutex_lock(&pool->lock);
    warden->taken = false;
    (void)pthread_cond_broadcast(&pool->changed);
    (void)pthread_mutex_unlock(&pool->lock);
}

/* Under the lock. */
static void tell(struct lib_job *job, const struct engine_event *event)
{
    struct fumehood_result *result = job->result;

    job->answered = true;
    if (!result && event->kind == ENGINE_VERDICT) {
        struct warden_outcome unwanted = event->answer.outcome;
        warden_outcome_release(&unwanted);
    }
    if (result)
        result->last = *event;
    if (event->kind == ENGINE_VERDICT)
        return;
    free(job);
    if (!result)
        return;
    result->job = NULL;
    atomic_store_explicit(&result->pool, NULL, memory_order_release); /* last: its owner needs no lock from here */
}

void lib_warden_listen(struct fumehood_pool *pool, struct lib_warden *warden)
{
    struct engine_event event;

    engine_link_receive(&warden->link, &event);
    (void)pthread_mutex_lock(&pool->lock);
    tell(event.tag, &event);
    (void)pthread_cond_broadcast(&pool->changed);
    (void)pthread_mutex_unlock(&pool->lock);
}

static bool has_job(const struct lib_warden *warden, const struct lib_job *job)
{
    for (unsigned i = 0; i < ENGINE_OPEN_MAX; i++)
        if (warden->link.open[i].number && warden->link.open[i].tag == job)
            return true;
    return false;
}

/* The warden that has the job, if nobody listens to it already. Under the lock. */
static struct lib_warden *take_of(struct fumehood_pool *pool, const struct lib_job *job)
{
    for (unsigned i = 0; i < pool->count; i++)
        if (!pool->wardens[i].taken && has_job(&pool->wardens[i], job)) {
            pool->wardens[i].taken = true;
            return &pool->wardens[i];
        }
    return NULL;
}

void lib_wait_settled(struct fumehood_pool *pool, struct fumehood_result *result)
{
    (void)pthread_mutex_lock(&pool->lock);
    while (result->job) {
        struct lib_warden *warden = take_of(pool, result->job);

        if (!warden) {
            (void)pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&pool->lock);
        lib_warden_listen(pool, warden);
        lib_warden_give_back(pool, warden);
        (void)pthread_mutex_lock(&pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
}
