/* manifest.h - eval.json: what an output folder's results are results of */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include <stdbool.h>

struct eval_manifest {
    char task_set_sha256[BASE_HASH_HEX];
    char candidates_sha256[BASE_HASH_HEX];
    char policy_sha256[BASE_HASH_HEX];
    const char *cage;           /* what --cage says; static */
    char sha256[BASE_HASH_HEX]; /* of eval.json itself, once it is settled: each receipt says it */
    /* What there is to be evaluated: tasks; candidates, where one that is missing counts; tasks that have one; and
     * which these candidates are, as receipt_samples_hash() has them. */
    size_t tasks, candidates, covered;
    char samples_sha256[BASE_HASH_HEX];
};

/* Write eval.json into the folder @dir_fd, which errors name as @dir; with @resume check it against the one that is
 * there instead, when there is one. What differs is BASE_E_USAGE and named. Foreign bytes: has a fuzzer. */
int eval_manifest_settle(int dir_fd, const char *dir, bool resume, struct eval_manifest *manifest,
                         struct base_err *err);

/* The check alone. */
int eval_manifest_check(const char *bytes, size_t count, const char *place, const struct eval_manifest *manifest,
                        struct base_err *err);
