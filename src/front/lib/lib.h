/* lib.h - what the files of the library share; not for others */
#pragma once

#include "base/err.h"
#include "engine/link.h"
#include <fumehood/fumehood.h>
#include <pthread.h>
#include <stdatomic.h>

/* A warden is taken by one thread at a time: to run a program, or to hear what has become of a former one. */
struct lib_warden {
    struct engine_link link; /* of who has taken it */
    bool taken;
};

/* What a pool and its results have in common; the last of them frees it. All of it is of the rooms' lock. */
struct lib_shared {
    unsigned owners;
    struct policy policy;
    struct run_common *common; /* of receipts under that policy */
};

struct fumehood_pool {
    pthread_mutex_t lock;   /* of what follows, but for links; never held while something is waited for */
    pthread_cond_t changed; /* a warden is free, or a run is settled */
    struct lib_shared *shared;
    enum run_cage cage;
    struct engine_start start;
    unsigned count, turn;
    struct lib_warden *wardens;
};

/* A run that is not settled, as its warden knows it: its result may be freed before. */
struct lib_job {
    struct fumehood_result *result; /* NULL: nobody wants to know any more */
    bool answered;                  /* its verdict has come, or its only answer */
};

struct fumehood_result {
    _Atomic(struct fumehood_pool *) pool; /* NULL: it is settled, and `last` says how */
    struct lib_job *job;                  /* while it is not; of the pool's lock */
    struct engine_event last;             /* what came last of it */
    bool merged;                          /* `last` is in the outcome */
    struct warden_outcome outcome;
    struct lib_shared *shared;
    struct policy policy; /* where the run has an environment of its own */
    bool has_policy;
    struct stage_program program;
    struct stage_file *files; /* without their bytes: for the receipt */
    size_t file_count;
    struct base_buf receipt;
    char detail[1200];
};

/* Tables of the rooms below are filled when first needed, and are for one thread at a time. */
void lib_rooms_lock(void);
void lib_rooms_unlock(void);

/* Another owner of @shared, and one less. Under the rooms' lock. */
struct lib_shared *lib_shared_take(struct lib_shared *shared);
void lib_shared_drop(struct lib_shared *shared);

/* Of a list that ends with NULL, or is NULL. */
size_t lib_count(const char *const *texts);

/* Where @err speaks of the command line, let it name the fields of include/fumehood/fumehood.h. */
void lib_name_fields(struct base_err *err);

/* Hand @err to the caller, with its fields named. Returns its code. */
int lib_error(struct base_err *err, struct fumehood_error *error);

/* Take a warden that can take a job; waits while there is none. */
struct lib_warden *lib_warden_take(struct fumehood_pool *pool);
void lib_warden_give_back(struct fumehood_pool *pool, struct lib_warden *warden);

/* Read one event of a taken warden, and tell it to the result that it is for. */
void lib_warden_listen(struct fumehood_pool *pool, struct lib_warden *warden);

/* Wait until @result is settled, whoever hears of it; @pool is that of it. */
void lib_wait_settled(struct fumehood_pool *pool, struct fumehood_result *result);
