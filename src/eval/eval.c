/* eval.c - the loop: submit, collect, judge, write
 *
 * Order of writes: the bytes that ran, the receipt with its verdict, the result. What a crash leaves out is then always
 * at the end, and --resume runs it again. A result is written once its row is final; an infra-error is tried once more
 * before.
 */

#include "eval/eval.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/json_memory.h"
#include "base/place.h"
#include "engine/pool.h"
#include "eval/claim.h"
#include "eval/job.h"
#include "eval/plan.h"
#include "eval/result.h"
#include "eval/summary.h"
#include "eval/tests.h"
#include "receipt/receipt.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICK_MS      100
#define ATTEMPTS_MAX 2

/* What the receipts of an evaluation hold of each stream: a folder of many runs is not to be filled by their output. */
#define RECEIPT_STREAM_BYTES ((size_t)256 << 10)

/* Of what the jobs that are out hold; where there is more, workers stay idle rather than our memory grows. */
#define OUT_MAX_BYTES (16u << 20)

#define PLACES(options)                                                                                                \
    ((size_t)(options)->jobs * 2) /* a worker may have a new job while the former is not settled                       \
                                   */

struct loop {
    const struct eval_options *options;
    struct engine_pool *pool;
    struct eval_plan plan;
    struct receipt_store *store;
    struct run_common *common; /* of all receipts */
    struct eval_candidates *candidates;
    struct eval_candidate candidate; /* the one whose cases are submitted now */
    size_t case_at, case_count;      /* of it; equal: a new one is needed */
    struct eval_job **running;       /* PLACES of them */
    struct eval_job *again;          /* those whose run failed through no fault of their own, and runs of tests alone */
    struct eval_tests tests;
    size_t runs, resumed;
    const struct stage_runtime *checked; /* the last one whose toolchain was there */
    uint64_t started_us, ticked_us, checked_us;
    bool interrupted;
    struct base_err why;
    bool has_run;  /* a cage was built */
    bool is_weak;  /* ... whose memory is bounded by process, and that was said */
    size_t faults; /* of the machine, in a row */
};

static struct eval_job *take_again(struct loop *loop)
{
    struct eval_job *job = loop->again;

    loop->again = job->next;
    return job;
}

static void loop_release(struct loop *loop)
{
    engine_pool_stop(loop->pool); /* first: nothing may run for a loop that is gone */
    run_release();
    for (size_t i = 0; loop->running && i < PLACES(loop->options); i++)
        eval_job_free(loop->running[i]);
    free(loop->running);
    while (loop->again)
        eval_job_free(take_again(loop));
    eval_tests_release(&loop->tests);
    eval_candidates_close(loop->candidates);
    receipt_store_close(loop->store);
    run_common_free(loop->common);
    eval_plan_release(&loop->plan);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static int write_line(struct loop *loop, const struct eval_place *place, enum judge_verdict verdict, json_t *line,
                      struct base_err *err)
{
    size_t row = eval_ledger_row(&loop->plan.ledger, place);
    int r;

    if (row == SIZE_MAX)
        return base_err_set(err, BASE_E_INVALID, loop->options->candidates, "changed while it was read");
    if (!line)
        return base_err_set(err, BASE_E_NOMEM, "results", "out of memory");
    r = receipt_store_result(loop->store, line, err);
    if (r >= 0)
        eval_ledger_note(&loop->plan.ledger, row, verdict, line);
    return r;
}

static int write_result(struct loop *loop, const struct eval_result *result, struct base_err *err)
{
    AUTO_JSON json_t *line = eval_result_json(result, &loop->plan.tasks);

    return write_line(loop, &result->place, result->ruling.verdict, line, err);
}

/* The bytes that ran, and the candidate's where a driver ran. */
static int write_objects(struct loop *loop, const struct eval_job *job, struct base_err *err)
{
    int r = receipt_store_object(loop->store, job->program_sha256, job->program.bytes, job->program.count, err);

    if (r >= 0 && strcmp(job->code_sha256, job->program_sha256) != 0)
        r = receipt_store_object(loop->store, job->code_sha256, job->code.bytes, job->code.count, err);
    return r;
}

/* What the run was for, and the verdict: all of its result but what is in the receipt already. The receipt of a driver
 * alone would not even say whose function it called. */
static int add_verdict(json_t *receipt, const struct eval_result *result, const struct eval_plan *plan)
{
    static const char *const of_run[] = {"run_id", "wall_us", "cpu_us", "memory_peak_bytes"};
    json_t *said = eval_result_json(result, &plan->tasks);

    if (said)
        base_json_put(&said, "evaluation_sha256", json_string(plan->manifest.sha256));
    for (size_t i = 0; said && i < ARRAY_COUNT(of_run); i++)
        (void)json_object_del(said, of_run[i]); /* it is there */
    return json_object_set_new(receipt, "eval", said) < 0 ? BASE_E_NOMEM : 0;
}

static int write_receipt(struct loop *loop, const struct eval_job *job, const struct eval_result *result,
                         struct base_err *err)
{
    AUTO_JSON json_t *receipt = NULL;
    char sha256[BASE_HASH_HEX];
    int r = run_receipt(&job->request, result->outcome, &receipt, err);

    if (r < 0)
        return r;
    if (add_verdict(receipt, result, &loop->plan) < 0)
        return base_err_set(err, BASE_E_NOMEM, "receipts", "out of memory");
    return receipt_store_append(loop->store, receipt, sha256, err);
}

/* A run of tests alone is of no row. */
static int write_tests_receipt(struct loop *loop, const struct eval_job *job, const struct judge_ruling *ruling,
                               const struct warden_outcome *outcome, struct base_err *err)
{
    bool known = ruling->verdict == JUDGE_PASS || ruling->verdict == JUDGE_TASK_INVALID;
    AUTO_JSON json_t *receipt = NULL;
    char sha256[BASE_HASH_HEX];
    int r = run_receipt(&job->request, outcome, &receipt, err);

    if (r < 0)
        return r;
    if (json_object_set_new(
            receipt, "eval",
            json_pack("{s:s, s:s, s:o, s:o, s:s, s:s}", "task_id", job->task->id, "check", "tests", "compiles",
                      known ? json_boolean(ruling->verdict == JUDGE_PASS) : json_null(), "detail",
                      *ruling->detail ? base_json_text(ruling->detail, strlen(ruling->detail)) : json_null(),
                      "code_sha256", job->code_sha256, "evaluation_sha256", loop->plan.manifest.sha256)) < 0)
        return base_err_set(err, BASE_E_NOMEM, "receipts", "out of memory");
    return receipt_store_append(loop->store, receipt, sha256, err);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

static const char *verdict_names[JUDGE_VERDICT_MAX];

static void tell_progress(struct loop *loop)
{
    struct eval_progress progress = {
        .rows = loop->plan.ledger.rows,
        .done = loop->plan.ledger.done,
        .resumed = loop->resumed,
        .elapsed_us = base_clock_us() - loop->started_us,
        .verdict_count = JUDGE_VERDICT_MAX,
        .verdict_names = verdict_names,
        .verdict_rows = loop->plan.ledger.by_verdict,
    };

    for (int i = 0; i < JUDGE_VERDICT_MAX; i++)
        verdict_names[i] = judge_verdict_name((enum judge_verdict)i);
    if (loop->options->on_progress)
        loop->options->on_progress(loop->options->context, &progress);
}

/* Rows that need no run. */
static int settle_without_run(struct loop *loop, enum judge_verdict verdict, const char *detail, struct base_err *err)
{
    const struct eval_candidate *candidate = &loop->candidate;
    const struct eval_place place = {candidate->task, candidate->sample, loop->case_at};
    char sha256[BASE_HASH_HEX];
    AUTO_JSON json_t *line = eval_line_without_run(candidate, &place, verdict, detail, &loop->plan.tasks, sha256);

    if (line && sha256[0]) {
        int r =
            receipt_store_object(loop->store, sha256, candidate->count ? candidate->code : "", candidate->count, err);
        if (r < 0)
            return r;
    }
    return write_line(loop, &place, verdict, line, err);
}

/* Move to the next row that is not done: 1, 0 at the end, or an error. */
static int next_row(struct loop *loop, struct base_err *err)
{
    for (;;) {
        struct eval_place place;
        size_t row;
        int r;

        while (loop->case_at == loop->case_count) {
            r = eval_candidates_next(loop->candidates, &loop->candidate, err);
            if (r < 0)
                return eval_plan_unread(r, err);
            if (eval_plan_recognise(&loop->plan, loop->options->candidates, r ? &loop->candidate : NULL, err) < 0)
                return err->code;
            if (r == 0)
                return 0;
            loop->case_at = 0;
            loop->case_count = loop->plan.tasks.items[loop->candidate.task].case_count;
        }
        place = (struct eval_place){loop->candidate.task, loop->candidate.sample, loop->case_at};
        row = eval_ledger_row(&loop->plan.ledger, &place);
        if (row == SIZE_MAX)
            return base_err_set(err, BASE_E_INVALID, loop->options->candidates, "changed while it was read");
        if (!eval_ledger_is_done(&loop->plan.ledger, row))
            return 1;
        loop->case_at++;
    }
}

/* A toolchain that was there a moment ago is there. */
static int check_runtime(struct loop *loop, const struct stage_runtime *runtime, struct base_err *err)
{
    uint64_t now_us = base_clock_us();
    int r;

    if (loop->checked == runtime && now_us - loop->checked_us < TICK_MS * 1000)
        return 0;
    r = stage_runtime_check(runtime, err);
    loop->checked = r < 0 ? NULL : runtime;
    loop->checked_us = now_us;
    return r;
}

/* A job of the row, unless what goes in is larger than the policy allows: that is known without a run. */
static int make_job(struct loop *loop, struct eval_job **ret_job, struct base_err *err)
{
    const struct eval_task *task = &loop->plan.tasks.items[loop->candidate.task];
    const struct policy *policy = loop->options->policy;
    struct eval_job *job = NULL;
    struct base_err large;
    int r = eval_job_make(&loop->candidate, task, loop->case_at, policy, &job, err);

    if (r < 0)
        return r;
    if (run_staged_check(policy, &job->program, job->files, job->request.file_count, &large) < 0) {
        eval_job_free(job);
        return settle_without_run(loop, JUDGE_LIMIT, large.what, err);
    }
    *ret_job = job;
    return 0;
}

/* Make the next job: 1 with *ret_job, 0 when there is none left, or an error. Rows that need no run are settled. */
static int next_job(struct loop *loop, struct eval_job **ret_job, struct base_err *err)
{
    const struct eval_candidate *candidate = &loop->candidate;
    int r;

    if (loop->again) {
        *ret_job = take_again(loop);
        return 1;
    }
    while ((r = next_row(loop, err)) > 0) {
        const char *detail;
        enum judge_verdict verdict = eval_without_run(candidate, &detail);
        struct base_err toolchain;

        if (verdict != JUDGE_VERDICT_MAX)
            r = settle_without_run(loop, verdict, detail, err);
        else if (check_runtime(loop, candidate->runtime, &toolchain) < 0)
            r = settle_without_run(loop, JUDGE_INFRA_ERROR, toolchain.what, err);
        else
            r = make_job(loop, ret_job, err);
        loop->case_at++;
        if (r < 0 || *ret_job)
            return r < 0 ? r : 1;
    }
    return r;
}

static void stop_for(struct loop *loop, const struct base_err *why)
{
    loop->interrupted = true;
    if (why && loop->why.code == 0)
        loop->why = *why;
}

static int submit(struct loop *loop, struct eval_job *job, struct base_err *err)
{
    size_t place = 0;
    int r;

    while (loop->running[place]) /* there is one: a worker is idle */
        place++;
    job->attempts++;
    job->request.cage = loop->options->cage;
    job->request.common = loop->common;
    job->request.receipt_stream_bytes = RECEIPT_STREAM_BYTES;
    loop->runs++;
    r = engine_pool_submit(loop->pool, &job->request, &loop->running[place], err);
    if (r >= 0) {
        loop->running[place] = job;
        return r;
    }
    eval_job_free(job);
    if (r != BASE_E_REFUSED)
        return r;
    stop_for(loop, err); /* a new worker meets the emergency stop before its first job does */
    return 0;
}

static bool has_much_out(const struct loop *loop)
{
    size_t bytes = 0;

    for (size_t i = 0; i < PLACES(loop->options); i++)
        bytes += loop->running[i] ? eval_job_bytes(loop->running[i]) : 0;
    return bytes + eval_tests_waiting_bytes(&loop->tests) > OUT_MAX_BYTES;
}

/* Keep the workers busy. Returns 1 while there may be more, 0 when all jobs are out, or an error. */
static int submit_all(struct loop *loop, struct base_err *err)
{
    while (engine_pool_idle(loop->pool) > 0 && !loop->interrupted && (loop->again || !has_much_out(loop))) {
        struct eval_job *job = NULL;
        int r = next_job(loop, &job, err);

        if (r > 0)
            r = submit(loop, job, err);
        else if (r == 0)
            return 0;
        if (r < 0)
            return r;
    }
    return 1;
}

/* No cage could be built, for no reason of the program's: what the machine lacks, it lacks for the next one too. */
static const struct base_err *machine_fault(int code, const struct base_err *error,
                                            const struct warden_outcome *outcome)
{
    if (code == BASE_E_SETUP)
        return error;
    return code >= 0 && outcome->ending == WARDEN_SETUP_ERROR && outcome->error.code == BASE_E_SETUP ? &outcome->error
                                                                                                     : NULL;
}

/* Many in a row, where others were built before: then it is not the one program's bad luck. */
#define FAULTS_MAX(options) ((size_t)(options)->jobs * 2 + 2)

/* With control groups who meets the limit of memory is ended, and the verdict names it. Without them the verdicts of
 * the same candidates are others, so that it is said beside them. */
static void tell_weak(struct loop *loop, const struct warden_outcome *outcome)
{
    const char *by = outcome->limits[POLICY_LIMIT_MEMORY_BYTES].enforced_by;

    if (loop->is_weak || strcmp(by, "rlimit") != 0 || !loop->options->on_warning)
        return;
    loop->is_weak = true;
    loop->options->on_warning(
        loop->options->context,
        "memory is bounded for each process here, by rlimit: who meets the limit is refused memory, "
        "which is mostly a runtime-error and not the verdict memory");
}

/* What becomes of a job whose run is over, where it is no error. */
enum { DONE, AGAIN, WAITS };

static void run_again(struct loop *loop, struct eval_job *job)
{
    job->next = loop->again;
    loop->again = job;
}

static int record(struct loop *loop, struct eval_job *job, const struct eval_result *result, struct base_err *err)
{
    int r = write_objects(loop, job, err);

    if (r >= 0 && result->outcome)
        r = write_receipt(loop, job, result, err);
    if (r < 0)
        return r;
    if (result->ruling.verdict == JUDGE_INFRA_ERROR && job->attempts < ATTEMPTS_MAX)
        return AGAIN;
    return write_result(loop, result, err);
}

static int record_with_tests(struct loop *loop, struct eval_job *job, struct eval_result *result, struct base_err *err)
{
    job->attempts = ATTEMPTS_MAX; /* a run of the candidate would find no more */
    eval_tests_apply(&loop->tests, job->place.task, &result->ruling);
    return record(loop, job, result, err);
}

/* Is it the candidate that does not compile, or are it the tests? */
static int ask_tests(struct loop *loop, struct eval_job *job, struct eval_result *result,
                     struct warden_outcome *outcome, struct base_err *err)
{
    struct eval_tests_found *found = &loop->tests.of_task[job->place.task];
    struct eval_job *alone = NULL;

    if (found->state == EVAL_TESTS_UNKNOWN) {
        if (eval_job_make_tests(job->task, job->place.task, loop->options->policy, &alone, err) < 0)
            return err->code;
        found->state = EVAL_TESTS_ASKED;
        run_again(loop, alone);
    }
    if (found->state != EVAL_TESTS_ASKED)
        return record_with_tests(loop, job, result, err);
    job->waiting = result->ruling;
    eval_tests_wait(&loop->tests, job, outcome);
    return WAITS;
}

/* Those that wait for it get their results. */
static int finish_tests(struct loop *loop, struct eval_job *alone, const struct judge_ruling *ruling,
                        const struct warden_outcome *outcome, struct base_err *err)
{
    bool known = ruling->verdict == JUDGE_PASS || ruling->verdict == JUDGE_TASK_INVALID;
    size_t task = alone->place.task;
    struct eval_job *job;
    int r = write_objects(loop, alone, err);

    if (r >= 0 && outcome)
        r = write_tests_receipt(loop, alone, ruling, outcome, err);
    if (r < 0)
        return r;
    if (!known && alone->attempts < ATTEMPTS_MAX)
        return AGAIN;
    if (eval_tests_note(&loop->tests, task, ruling) < 0)
        return base_err_set(err, BASE_E_NOMEM, alone->task->id, "out of memory");
    while (r >= 0 && (job = eval_tests_take(&loop->tests, task))) {
        struct eval_result result = {.place = job->place,
                                     .ruling = job->waiting,
                                     .code_sha256 = job->code_sha256,
                                     .assembly = job->assembly,
                                     .outcome = &job->outcome};

        r = record_with_tests(loop, job, &result, err);
        eval_job_free(job);
    }
    return r;
}

static int finish(struct loop *loop, struct eval_job *job, int code, const struct base_err *error,
                  struct warden_outcome *outcome, struct base_err *err)
{
    struct eval_result result = {.place = job->place, .code_sha256 = job->code_sha256, .assembly = job->assembly};
    const struct base_err *fault = machine_fault(code, error, outcome);

    loop->faults = fault ? loop->faults + 1 : 0;
    loop->has_run = loop->has_run || !fault;
    if (fault && !loop->has_run) { /* nothing is told of a program that nothing is known of */
        if (job->attempts < ATTEMPTS_MAX)
            return AGAIN;
        stop_for(loop, fault);
        return 0;
    }
    if (fault && loop->faults >= FAULTS_MAX(loop->options))
        stop_for(loop, fault);
    result.outcome = code >= 0 ? outcome : NULL;
    if (result.outcome)
        tell_weak(loop, outcome);
    eval_job_judge(job, code, error, outcome, &result.ruling);
    if (result.ruling.verdict == JUDGE_SKIPPED)
        return 0; /* cancelled: not done, and a resumed run will do it */
    if (job->kind == JUDGE_TESTS)
        return finish_tests(loop, job, &result.ruling, result.outcome, err);
    if (eval_tests_matter(job, &result.ruling))
        return ask_tests(loop, job, &result, outcome, err);
    return record(loop, job, &result, err);
}

/* Wait until something has happened, and deal with what is settled. */
static int collect(struct loop *loop, struct base_err *err)
{
    struct engine_pool_report report;
    struct eval_job *job;
    int r;

    if (engine_pool_wait(loop->pool, TICK_MS, &report) != ENGINE_POOL_SETTLED)
        return 0;
    job = *(struct eval_job **)report.tag;
    *(struct eval_job **)report.tag = NULL;
    if (report.code == BASE_E_REFUSED) { /* it would be so for every other run too */
        eval_job_free(job);
        stop_for(loop, &report.error);
        return 0;
    }
    r = finish(loop, job, report.code, &report.error, report.outcome, err);
    if (r == AGAIN)
        run_again(loop, job);
    else if (r != WAITS)
        eval_job_free(job);
    return r < 0 ? r : 0;
}

static int tick(struct loop *loop, struct base_err *err)
{
    uint64_t now_us = base_clock_us();
    struct base_err why;

    if (loop->options->stop && *loop->options->stop)
        stop_for(loop, NULL);
    if (now_us - loop->ticked_us < TICK_MS * 1000)
        return 0;
    loop->ticked_us = now_us;
    if (run_check_stop(&why) < 0)
        stop_for(loop, &why);
    tell_progress(loop);
    return receipt_store_sync(loop->store, false, err);
}

static int run_all(struct loop *loop, struct base_err *err)
{
    int r = 1, more = 1;

    while (r >= 0 && !loop->interrupted && (more > 0 || loop->again || engine_pool_open(loop->pool) > 0)) {
        r = more = submit_all(loop, err);
        if (r >= 0)
            r = collect(loop, err);
        if (r >= 0)
            r = tick(loop, err);
    }
    return r;
}

/* ---- beginning and end ----------------------------------------------------------------------------------------- */

static void close_dir(DIR **dir)
{
    if (*dir)
        (void)closedir(*dir); /* it was only read */
}

/* What an evaluation makes; of eval.json also the name that it has while it is written. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {".",       "..",          ".lock", "receipts.jsonl", "results.jsonl",
                                        "objects", "summary.json"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "eval.json", strlen("eval.json")) == 0 || strncmp(name, "summary.json.", 13) == 0;
}

/* A folder of something else is left alone. */
static int refuse_foreign_folder(const char *path, struct base_err *err)
{
    CLEANUP(close_dir) DIR *dir = NULL;
    const struct dirent *entry;
    struct stat st;
    int fd = -1, r = base_place_folder(path, BASE_PLACE_MAKE, &fd, err);

    if (r < 0)
        return r;
    dir = fdopendir(fd);
    if (!dir) {
        base_cleanup_close(&fd);
        return base_err_set(err, BASE_E_NOMEM, path, "out of memory");
    }
    if (fstatat(fd, "eval.json", &st, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    while ((entry = readdir(dir)))
        if (!is_ours(entry->d_name)) {
            (void)base_err_set(err, BASE_E_USAGE, path, "holds something that is no evaluation: %.100s", entry->d_name);
            return base_err_remedy(err, "give --out a new or empty folder");
        }
    return 0;
}

static void tell(const struct loop *loop, const char *file, const char *text)
{
    char line[PATH_MAX + 256];

    (void)snprintf(line, sizeof(line), "%s/%s: %s", loop->options->out_dir, file, text);
    if (loop->options->on_warning)
        loop->options->on_warning(loop->options->context, line);
}

/* What an earlier run has found. Its summary goes: there is one again when all is done. */
static int load_results(struct loop *loop, struct base_err *err)
{
    CLEANUP(eval_claims_release) struct eval_claims claims = {0};
    const struct eval_options *options = loop->options;
    int folder_fd = receipt_store_folder(loop->store), r;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/results.jsonl", options->out_dir);
    r = eval_results_load(folder_fd, path, &loop->plan.ledger, &claims, err);
    if (r >= 0)
        r = eval_claims_confirm(&claims, options, &loop->plan, path, err);
    if (r >= 0)
        (void)unlinkat(folder_fd, "summary.json", 0); /* where it stays, a new one replaces it */
    loop->resumed = loop->plan.ledger.done;
    return r;
}

/* New receipts would name another eval.json than those before them, and none of them could be proved any more. */
static int check_named(const struct loop *loop, struct base_err *err)
{
    const char *named = receipt_store_chain(loop->store).evaluation;
    char path[PATH_MAX];

    if (!*named || strcmp(named, loop->plan.manifest.sha256) == 0)
        return 0;
    (void)snprintf(path, sizeof(path), "%s/eval.json", loop->options->out_dir);
    (void)base_err_set(err, BASE_E_INVALID, path, "is not the one of which the receipts are");
    return base_err_remedy(err, "what was recorded has been changed: keep the folder, and start in another one");
}

static int open_output(struct loop *loop, struct base_err *err)
{
    const struct eval_options *options = loop->options;
    int r = refuse_foreign_folder(options->out_dir, err);

    if (r >= 0)
        r = receipt_store_open(options->out_dir, options->resume, &loop->store, err);
    if (r >= 0 && receipt_store_chain(loop->store).mended)
        tell(loop, "receipts.jsonl", "a last line that was torn, here or in results.jsonl, is cut off");
    if (r >= 0)
        r = eval_manifest_settle(receipt_store_folder(loop->store), options->out_dir, options->resume,
                                 &loop->plan.manifest, err);
    if (r >= 0)
        r = check_named(loop, err);
    if (r < 0 || !options->resume)
        return r;
    return load_results(loop, err);
}

static int begin(struct loop *loop, struct base_err *err)
{
    const struct eval_options *options = loop->options;
    int r;

    run_take_groups(); /* once, and not by each worker for itself */
    r = engine_pool_start(options->jobs, options->program, options->policy, STDERR_FILENO, &loop->pool, err);
    if (r >= 0)
        r = eval_plan_make(options, &loop->plan, err);
    if (r >= 0)
        r = open_output(loop, err);
    if (r >= 0)
        r = eval_candidates_open(options->candidates, &loop->plan.tasks, &loop->candidates, err);
    if (r < 0)
        return r;
    loop->running = calloc(PLACES(options), sizeof(struct eval_job *));
    loop->common = run_common_new();
    base_json_memory_keep(); /* receipts and results come and go */
    loop->started_us = base_clock_us();
    return loop->running && loop->common && eval_tests_init(&loop->tests, loop->plan.tasks.count) == 0
               ? 0
               : base_err_set(err, BASE_E_NOMEM, "candidates", "out of memory");
}

static json_t *collect_rows(const struct eval_ledger *ledger)
{
    json_t *rows = json_array();

    for (size_t i = 0; rows && i < ledger->shown_count; i++)
        if (json_array_append(rows, ledger->shown[i].line) < 0) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}

static int write_summary(const struct loop *loop, const json_t *summary, struct base_err *err)
{
    AUTO_BUF struct base_buf text = {0};
    char path[PATH_MAX];
    int r = base_json_canonical(summary, &text);

    if (r >= 0)
        r = base_buf_text(&text, "\n");
    if (r < 0)
        return base_err_set(err, r, "summary", "out of memory");
    (void)snprintf(path, sizeof(path), "%s/summary.json", loop->options->out_dir);
    return base_place_replace_at(receipt_store_folder(loop->store), "summary.json", path, text.bytes, text.count, err);
}

/* Rows that did not pass and are not in the table. */
static size_t count_unlisted(const struct eval_ledger *ledger)
{
    size_t not_passed = ledger->done - ledger->by_verdict[JUDGE_PASS], listed = 0;

    for (size_t i = 0; i < ledger->shown_count; i++)
        listed += ledger->state[ledger->shown[i].row] != 1 + JUDGE_PASS;
    return not_passed - listed;
}

static int report(struct loop *loop, struct eval_report *ret_report, struct base_err *err)
{
    /* a run may also have been cancelled behind our back */
    bool interrupted = loop->interrupted || loop->plan.ledger.done < loop->plan.ledger.rows;
    struct receipt_chain chain = receipt_store_chain(loop->store);
    struct eval_totals totals = {
        .ledger = &loop->plan.ledger,
        .manifest = &loop->plan.manifest,
        .receipts = chain.receipts,
        .receipts_head = chain.head,
        .unknown = loop->plan.unknown,
        .covered = loop->plan.covered,
        .resumed = loop->resumed,
        .runs = loop->runs,
        .wall_us = base_clock_us() - loop->started_us,
        .interrupted = interrupted,
    };
    struct eval_counts counts;
    struct eval_report made = {.interrupted = interrupted, .unknown = loop->plan.unknown};
    int r;

    if (interrupted && loop->why.code == 0)
        (void)run_check_stop(&loop->why); /* it ends the runs first, and is noticed later */
    made.why = loop->why;
    made.no_cage = loop->why.code != 0 && loop->why.code != BASE_E_REFUSED && !loop->has_run;
    eval_summary_count(&loop->plan.ledger, &counts);
    made.infra_errors = counts.infra_errors;
    made.failed = counts.judged - counts.passed + counts.by_verdict[JUDGE_TASK_INVALID];
    made.summary = eval_summary_json(&totals, &counts);
    made.rows = collect_rows(&loop->plan.ledger);
    made.unlisted = count_unlisted(&loop->plan.ledger);
    r = made.summary ? write_summary(loop, made.summary, err)
                     : base_err_set(err, BASE_E_NOMEM, "summary", "out of memory");
    if (r < 0) {
        eval_report_release(&made);
        return r;
    }
    *ret_report = made;
    return 0;
}

int eval_run(const struct eval_options *options, struct eval_report *ret_report, struct base_err *err)
{
    CLEANUP(loop_release) struct loop loop = {.options = options};
    int r = begin(&loop, err);

    if (r >= 0)
        r = run_all(&loop, err);
    if (r < 0)
        return r;
    engine_pool_stop(TAKE_PTR(loop.pool)); /* cancels what runs; the time of that belongs to this call */
    tell_progress(&loop);
    r = receipt_store_sync(loop.store, true, err);
    return r < 0 ? r : report(&loop, ret_report, err);
}

void eval_report_release(struct eval_report *report)
{
    json_decref(report->summary);
    json_decref(report->rows);
    *report = (struct eval_report){0};
}
