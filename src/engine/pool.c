/* pool.c - the parent's side of the workers */

#include "engine/pool.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "engine/wire.h"
#include "engine/worker.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX     1024
#define STOP_WAIT_US 10000000 /* a worker that ends its cage needs far less */

struct worker {
    pid_t pid; /* 0: there is none */
    int fd;
    bool busy;
    void *tag;
};

struct engine_pool {
    const struct policy *policy;
    unsigned jobs;
    unsigned first; /* where the search for a finished job starts: no worker waits for ever */
    struct worker *workers;
    struct pollfd *polls;
};

static int worker_start(struct engine_pool *pool, struct worker *worker, struct base_err *err)
{
    pid_t parent = getpid(), pid;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return base_err_sys(err, BASE_E_SETUP, errno, "worker", "no connection can be made");
    pid = fork();
    if (pid == 0)
        engine_worker_main(pair[1], parent, pool->policy); /* closes pair[0] and all other connections */
    (void)close(pair[1]);
    if (pid < 0) {
        int sys_errno = errno;
        (void)close(pair[0]);
        return base_err_sys(err, BASE_E_SETUP, sys_errno, "worker", "cannot be started");
    }
    *worker = (struct worker){.pid = pid, .fd = pair[0]};
    return 0;
}

int engine_pool_start(unsigned jobs, const struct policy *policy, struct engine_pool **ret_pool, struct base_err *err)
{
    struct engine_pool *pool;
    int r = 0;

    if (jobs == 0 || jobs > JOBS_MAX)
        return base_err_set(err, BASE_E_USAGE, "--jobs", "%u is not between 1 and %d", jobs, JOBS_MAX);
    pool = calloc(1, sizeof(*pool));
    if (pool) {
        pool->workers = calloc(jobs, sizeof(*pool->workers));
        pool->polls = calloc(jobs, sizeof(*pool->polls));
    }
    if (!pool || !pool->workers || !pool->polls)
        r = base_err_set(err, BASE_E_NOMEM, "worker", "out of memory");
    for (unsigned i = 0; r >= 0 && i < jobs; i++) {
        pool->policy = policy;
        pool->workers[i].fd = -1;
        pool->jobs = i + 1;
        r = worker_start(pool, &pool->workers[i], err);
    }
    if (r < 0) {
        engine_pool_stop(pool);
        return r;
    }
    *ret_pool = pool;
    return 0;
}

unsigned engine_pool_idle(const struct engine_pool *pool)
{
    unsigned n = 0;
    for (unsigned i = 0; i < pool->jobs; i++)
        n += !pool->workers[i].busy;
    return n;
}

/* The worker is gone, or its connection cannot be trusted any more: end it, whatever state it is in. */
static void worker_bury(struct worker *worker)
{
    if (worker->pid > 0) {
        (void)kill(worker->pid, SIGKILL); /* fails only when it is dead already */
        while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (worker->fd >= 0)
        (void)close(worker->fd);
    *worker = (struct worker){.fd = -1};
}

int engine_pool_submit(struct engine_pool *pool, const struct run_request *request, void *tag, struct base_err *err)
{
    struct worker *worker = NULL;
    int r = 0;

    for (unsigned i = 0; i < pool->jobs && !worker; i++)
        if (!pool->workers[i].busy)
            worker = &pool->workers[i];
    if (!worker)
        return base_err_set(err, BASE_E_INTERNAL, "worker", "none is idle");
    for (int attempt = 0; attempt < 2; attempt++) { /* an idle worker may have died since */
        if (worker->pid == 0)
            r = worker_start(pool, worker, err);
        if (r >= 0)
            r = engine_wire_send_request(worker->fd, request, err);
        if (r != BASE_E_LOST)
            break;
        worker_bury(worker);
        r = 0;
    }
    if (r < 0)
        return r;
    if (worker->pid == 0)
        return base_err_set(err, BASE_E_LOST, "worker", "died twice before it took its program");
    worker->busy = true;
    worker->tag = tag;
    return 0;
}

/* What is known of a run whose worker died: nothing. */
static void make_lost(struct warden_outcome *outcome)
{
    *outcome = (struct warden_outcome){
        .ending = WARDEN_LOST,
        .wall_us = WARDEN_UNKNOWN,
        .cpu_us = WARDEN_UNKNOWN,
        .memory_peak_bytes = WARDEN_UNKNOWN,
        .processes_peak = WARDEN_UNKNOWN,
        .scratch_peak_bytes = WARDEN_UNKNOWN,
    };
    (void)base_random_hex(outcome->run_id, sizeof(outcome->run_id) - 1, NULL); /* without it, there is no id */
    base_clock_utc(outcome->started_utc, sizeof(outcome->started_utc));
    base_err_set(&outcome->error, BASE_E_LOST, "worker", "died during the run");
    for (int i = 0; i < POLICY_LIMIT_MAX; i++)
        outcome->limits[i].hits = WARDEN_UNKNOWN;
    base_hash_bytes_hex("", 0, outcome->out.sha256);
    base_hash_bytes_hex("", 0, outcome->err.sha256);
}

static int worker_collect(struct worker *worker, struct warden_outcome *ret_outcome, int *ret_code,
                          struct base_err *ret_error)
{
    struct base_err err;

    worker->busy = false;
    if (engine_wire_receive_result(worker->fd, ret_code, ret_error, ret_outcome, &err) < 0) {
        worker_bury(worker); /* a new one comes with the next job */
        make_lost(ret_outcome);
        *ret_code = 0;
    }
    return 1;
}

int engine_pool_wait(struct engine_pool *pool, int timeout_ms, void **ret_tag, struct warden_outcome *ret_outcome,
                     int *ret_code, struct base_err *ret_error)
{
    bool any = false;

    for (unsigned i = 0; i < pool->jobs; i++) {
        const struct worker *worker = &pool->workers[i];
        pool->polls[i] = (struct pollfd){.fd = worker->busy ? worker->fd : -1, .events = POLLIN};
        any = any || worker->busy;
    }
    if (!any || poll(pool->polls, pool->jobs, timeout_ms) <= 0)
        return 0;
    for (unsigned n = 0; n < pool->jobs; n++) {
        unsigned i = (pool->first + n) % pool->jobs;
        if (pool->polls[i].fd < 0 || pool->polls[i].revents == 0)
            continue;
        pool->first = i + 1;
        *ret_tag = pool->workers[i].tag;
        return worker_collect(&pool->workers[i], ret_outcome, ret_code, ret_error);
    }
    return 0;
}

/* True when the worker is dead and reaped. */
static bool worker_is_gone(const struct worker *worker)
{
    pid_t r = worker->pid > 0 ? waitpid(worker->pid, NULL, WNOHANG) : 0;
    return worker->pid == 0 || r == worker->pid || (r < 0 && errno == ECHILD);
}

static void wait_for_end(struct worker *worker, uint64_t until_us)
{
    while (!worker_is_gone(worker)) {
        if (base_clock_us() > until_us) {
            worker_bury(worker);
            return;
        }
        base_clock_sleep_ms(2);
    }
    worker->pid = 0;
}

void engine_pool_stop(struct engine_pool *pool)
{
    uint64_t until_us = base_clock_us() + STOP_WAIT_US;

    if (!pool)
        return;
    for (unsigned i = 0; pool->workers && i < pool->jobs; i++)
        if (pool->workers[i].pid > 0)
            (void)kill(pool->workers[i].pid, SIGTERM); /* ends its cage as cancelled */
    for (unsigned i = 0; pool->workers && i < pool->jobs; i++) {
        if (pool->workers[i].fd >= 0)
            (void)close(pool->workers[i].fd);
        pool->workers[i].fd = -1;
        wait_for_end(&pool->workers[i], until_us);
    }
    free(pool->workers);
    free(pool->polls);
    free(pool);
}
