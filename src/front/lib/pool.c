/* pool.c - a pool: its policy, its wardens, and its end */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/processors.h"
#include "front/lib/lib.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARDENS_MAX   1024
#define CLOSE_WAIT_US 10000000 /* a warden that ends its cage needs far less */

static pthread_mutex_t rooms = PTHREAD_MUTEX_INITIALIZER;

size_t lib_count(const char *const *texts)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    return count;
}

void lib_rooms_lock(void)
{
    (void)pthread_mutex_lock(&rooms);
}

void lib_rooms_unlock(void)
{
    (void)pthread_mutex_unlock(&rooms);
}

struct lib_shared *lib_shared_take(struct lib_shared *shared)
{
    shared->owners++;
    return shared;
}

void lib_shared_drop(struct lib_shared *shared)
{
    if (!shared || --shared->owners > 0)
        return;
    policy_release(&shared->policy);
    run_common_free(shared->common);
    free(shared);
}

static unsigned processors(void)
{
    unsigned count = base_processors_count();

    return count > WARDENS_MAX ? WARDENS_MAX : count;
}

static int load_policy(const struct fumehood_pool_options *options, struct policy *policy, struct base_err *err)
{
    int r;

    if (options->policy && options->policy_text)
        return base_err_set(err, BASE_E_USAGE, "policy_text", "is given together with policy");
    if (options->policy_text)
        r = policy_parse(options->policy_text, strlen(options->policy_text), "policy_text", policy, err);
    else
        r = policy_load(options->policy ? options->policy : "default", policy, err);
    if (r < 0 && !err->place[0]) /* it was no file */
        (void)snprintf(err->place, sizeof(err->place), "policy");
    if (r >= 0)
        r = policy_set_limits(policy, options->limits, lib_count(options->limits), "who opened the pool", err);
    if (r >= 0 && options->if_available)
        policy_soften(policy);
    return r;
}

/* All of them are on their way before the first is waited for. */
static int start_wardens(struct fumehood_pool *pool, struct base_err *err)
{
    int r = 0;

    for (unsigned i = 0; r >= 0 && i < pool->count; i++)
        r = engine_link_launch(&pool->wardens[i].link, &pool->start, err);
    for (unsigned i = 0; r >= 0 && i < pool->count; i++)
        r = engine_link_greet(&pool->wardens[i].link, &pool->start, err);
    return r;
}

static int make_shared(const struct fumehood_pool_options *options, struct fumehood_pool *pool, struct base_err *err)
{
    pool->shared = calloc(1, sizeof(*pool->shared));
    if (!pool->shared)
        return base_err_set(err, BASE_E_NOMEM, "pool", "out of memory");
    pool->shared->owners = 1;
    pool->shared->common = run_common_new();
    return load_policy(options, &pool->shared->policy, err);
}

static int choose_cage(const struct fumehood_pool_options *options, struct fumehood_pool *pool, struct base_err *err)
{
    static const enum run_cage cages[] = {
        [FUMEHOOD_CAGE_SLOT] = RUN_CAGE_SLOT,
        [FUMEHOOD_CAGE_FRESH] = RUN_CAGE_FRESH,
        [FUMEHOOD_CAGE_ZYGOTE] = RUN_CAGE_ZYGOTE,
    };

    if ((unsigned)options->cage >= ARRAY_COUNT(cages))
        return base_err_set(err, BASE_E_USAGE, "cage", "%d is no kind of cage", (int)options->cage);
    pool->cage = cages[options->cage];
    return 0;
}

static int make_pool(const struct fumehood_pool_options *options, struct fumehood_pool *pool, struct base_err *err)
{
    const char *program = options->program ? options->program : FUMEHOOD_PROGRAM_PATH;
    int r;

    if (options->wardens > WARDENS_MAX)
        return base_err_set(err, BASE_E_USAGE, "wardens", "%u are more than %d", options->wardens, WARDENS_MAX);
    if (program[0] != '/')
        return base_err_set(err, BASE_E_USAGE, "program", "\"%.200s\" is not an absolute path", program);
    r = choose_cage(options, pool, err);
    if (r < 0)
        return r;
    lib_rooms_lock();
    r = make_shared(options, pool, err);
    if (r >= 0)
        r = engine_start_init(&pool->start, program, &pool->shared->policy, -1, err);
    lib_rooms_unlock();
    if (r < 0)
        return r;
    pool->count = options->wardens ? options->wardens : processors();
    pool->wardens = calloc(pool->count, sizeof(*pool->wardens));
    if (!pool->wardens) {
        pool->count = 0;
        return base_err_set(err, BASE_E_NOMEM, "pool", "out of memory");
    }
    for (unsigned i = 0; i < pool->count; i++)
        pool->wardens[i].link = ENGINE_LINK_NONE;
    return start_wardens(pool, err);
}

int fumehood_pool_open(const struct fumehood_pool_options *options, struct fumehood_pool **ret_pool,
                       struct fumehood_error *error)
{
    static const struct fumehood_pool_options defaults = {.size = sizeof(defaults)};
    struct fumehood_pool *pool;
    struct base_err err;
    int r;

    options = options ? options : &defaults;
    if (options->size != sizeof(*options)) {
        (void)base_err_set(&err, BASE_E_USAGE, "size", "is not that of the options of this version");
        return lib_error(&err, error);
    }
    pool = calloc(1, sizeof(*pool));
    if (!pool) {
        (void)base_err_set(&err, BASE_E_NOMEM, "pool", "out of memory");
        return lib_error(&err, error);
    }
    (void)pthread_mutex_init(&pool->lock, NULL); /* these cannot fail on Linux */
    (void)pthread_cond_init(&pool->changed, NULL);
    pool->start.stderr_fd = -1;
    r = make_pool(options, pool, &err);
    if (r < 0) {
        fumehood_pool_close(pool);
        return lib_error(&err, error);
    }
    *ret_pool = pool;
    return 0;
}

void fumehood_pool_close(struct fumehood_pool *pool)
{
    uint64_t until_us = base_clock_us() + CLOSE_WAIT_US;

    if (!pool)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        while (!engine_link_is_settled(&pool->wardens[i].link))
            lib_warden_listen(pool, &pool->wardens[i]);
    for (unsigned i = 0; i < pool->count; i++)
        engine_link_ask_end(&pool->wardens[i].link);
    for (unsigned i = 0; i < pool->count; i++)
        engine_link_end(&pool->wardens[i].link, until_us);
    engine_start_release(&pool->start);
    lib_rooms_lock();
    lib_shared_drop(pool->shared);
    lib_rooms_unlock();
    (void)pthread_cond_destroy(&pool->changed);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool->wardens);
    free(pool);
}
