/* staged.c - what goes in must fit: program and input files together
 *
 * They lie in the cage's scratch beside what the guest stores there, which they do not lessen: so a run can hold twice
 * scratch_bytes, and no more.
 */
#include "run/run.h"

#define READ_MAX_BYTES (UINT64_C(256) << 20) /* they are kept in memory, too, whatever the policy allows */

static bool is_bounded_by_policy(const struct policy *policy)
{
    const struct policy_limit *scratch = &policy->limits[POLICY_LIMIT_SCRATCH_BYTES];

    return !scratch->unlimited && scratch->value <= READ_MAX_BYTES;
}

uint64_t run_staged_max_bytes(const struct policy *policy)
{
    return is_bounded_by_policy(policy) ? policy->limits[POLICY_LIMIT_SCRATCH_BYTES].value : READ_MAX_BYTES;
}

int run_staged_remedy(const struct policy *policy, int code, struct base_err *err)
{
    if (code == BASE_E_TOO_LARGE && is_bounded_by_policy(policy))
        (void)base_err_remedy(err, "it must fit into the scratch: raise --limit scratch_bytes=SIZE");
    return code;
}

static int refuse_file(const struct policy *policy, const struct stage_file *file, uint64_t max_bytes,
                       struct base_err *err)
{
    return run_staged_remedy(policy,
                             base_err_set(err, BASE_E_TOO_LARGE, "--input",
                                          "with \"%.200s\" the program and its files have more than %llu bytes",
                                          file->path, (unsigned long long)max_bytes),
                             err);
}

uint64_t run_staged_left_bytes(const struct policy *policy, const struct stage_program *program,
                               const struct stage_file *files, size_t file_count)
{
    uint64_t left = run_staged_max_bytes(policy);

    left -= program->count < left ? program->count : left;
    for (size_t i = 0; i < file_count; i++)
        left -= files[i].count < left ? files[i].count : left;
    return left;
}

int run_staged_check(const struct policy *policy, const struct stage_program *program, const struct stage_file *files,
                     size_t file_count, struct base_err *err)
{
    const uint64_t max_bytes = run_staged_max_bytes(policy);
    uint64_t left = max_bytes;

    if (program->count > left)
        return run_staged_remedy(policy,
                                 base_err_set(err, BASE_E_TOO_LARGE, program->name,
                                              "the program has more than %llu bytes", (unsigned long long)max_bytes),
                                 err);
    left -= program->count;
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].count > left)
            return refuse_file(policy, &files[i], max_bytes, err);
        left -= files[i].count;
    }
    return 0;
}
